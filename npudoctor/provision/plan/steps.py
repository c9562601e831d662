"""From what differs to the steps: in order, with packages, minutes, reboots, and how far back they go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.provision.components import Component  # noqa: TC001 (dataclasses read it)
from npudoctor.provision.plan.difference import CONFIGURE, INSTALL, REBOOT, SAME, Difference, same
from npudoctor.provision.plan.differences import OF
from npudoctor.provision.plan.ports import port_difference
from npudoctor.provision.plan.serving import SERVING, image_of, serving_difference
from npudoctor.provision.plan.settings import setting_difference, with_repair
from npudoctor.provision.plan.shelf import Condition, Package, Shelf
from npudoctor.provision.planned import Change, Reboot, Step, Undo
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.provision.plan.survey import Surveyed
    from npudoctor.provision.plan.wanted import Wanted

IN_FLASH = ("firmware",)
"""What an uninstaller leaves where it is: there is no way back to nothing."""
FOLLOWS = {"ops": ("toolkit",)}
"""Components that are laid down again where one of these is."""
_BOOT_SETTINGS = ("host_tuning.aspm",)


@dataclass(frozen=True, slots=True)
class Work:
    """One component that differs, with all that its step and its blockers need.

    Attributes:
        packages: What the wanted version needs.
        previous: What brings the present version back, as far as it is at hand.
    """

    component: Component
    difference: Difference
    packages: tuple[Package, ...]
    previous: tuple[Package, ...]

    @property
    def has_way_back(self) -> bool:
        """Whether every file of the present version is at hand."""
        return bool(self.previous) and all(one.condition is Condition.HERE for one in self.previous)


def work_of(seen: Surveyed, wanted: Wanted, shelf: Shelf) -> tuple[Work, ...]:
    """What is to be done on a host, in order."""
    found = differences(seen, wanted)
    bare = any(found.get(name, same("")).action == INSTALL for name in ("driver", "firmware"))
    touched = [one for one in wanted.components if found[one.name].action != SAME]
    ordered = sorted(touched, key=lambda one: one.install if bare else one.upgrade)
    return tuple(_work(one, found[one.name], seen, wanted, shelf) for one in ordered)


def differences(seen: Surveyed, wanted: Wanted) -> dict[str, Difference]:
    """Every wanted component, by its name."""
    found = {one.name: _difference(one.name, seen, wanted) for one in wanted.components}
    for name, leaders in FOLLOWS.items():
        moved = [
            leader for leader in leaders if leader in found and found[leader].action not in (SAME, REBOOT)
        ]
        if name in found and found[name].action == SAME and moved:
            why = _("it follows {component}").format(component=", ".join(moved))
            change = Change(name, found[name].before, wanted.version(name), why)
            found[name] = Difference(CONFIGURE, found[name].before, (change,))
    return found


def _difference(name: str, seen: Surveyed, wanted: Wanted) -> Difference:
    assert seen.ground is not None, "a host that was read"
    if name in OF:
        return with_repair(name, OF[name](seen.ground, wanted), seen.findings)
    if name == "hccn":
        return port_difference(seen.hccn, seen.ground.ports)
    if name == SERVING:
        asked = SERVING in wanted.named
        return serving_difference(seen.serving, seen.ground.served, wanted.stack, asked=asked)
    return setting_difference(name, seen.findings, wanted)


def _work(component: Component, difference: Difference, seen: Surveyed, wanted: Wanted, shelf: Shelf) -> Work:
    arch = seen.arch
    if difference.action == REBOOT or not component.packages:
        return Work(component, difference, (), ())
    if component.name == SERVING:
        return Work(component, difference, _archive(component, seen, wanted, shelf), ())
    packages = shelf.packages(component, wanted.stack, arch)
    return Work(component, difference, packages, _previous(component, difference, wanted, shelf, arch))


def _archive(component: Component, seen: Surveyed, wanted: Wanted, shelf: Shelf) -> tuple[Package, ...]:
    """What holds the image, where the host has it not. The one of before stays on the host."""
    assert seen.ground is not None, "a host that was read"
    image = image_of(seen.serving, wanted.stack)
    if seen.ground.served.has_image(image):
        return ()
    stack = replace(wanted.stack, versions={**wanted.stack.versions, "image": image})
    return shelf.packages(component, stack, seen.arch)


def _previous(
    component: Component, difference: Difference, wanted: Wanted, shelf: Shelf, arch: str
) -> tuple[Package, ...]:
    """The files of the version that is there: the same stack with that one version in it."""
    if not component.version or difference.before in ("", "?"):
        return ()
    versions = {**wanted.stack.versions, component.version: difference.before}
    return shelf.packages(component, replace(wanted.stack, versions=versions), arch)


def step_of(work: Work) -> Step:
    """The step that does it."""
    component, difference = work.component, work.difference
    return Step(
        component=component.name,
        action=difference.action,
        changes=difference.changes,
        packages=tuple(one.sha256 for one in work.packages if one.condition is Condition.HERE),
        previous=tuple(one.sha256 for one in work.previous) if work.has_way_back else (),
        minutes=0.0 if difference.action == REBOOT else component.minutes,
        reboot=_reboot(work),
        undo=undo_of(work),
    )


def _reboot(work: Work) -> Reboot:
    if work.difference.action == REBOOT:
        return Reboot.YES
    if work.component.name == "host_tuning":
        boots = any(change.what in _BOOT_SETTINGS for change in work.difference.changes)
        return Reboot.YES if boots else Reboot.NO
    return work.component.reboot


def undo_of(work: Work) -> Undo:
    """How far it can be taken back."""
    component, action = work.component, work.difference.action
    if action == REBOOT:
        return Undo.FULL
    if action == INSTALL:
        return Undo.FORWARD if component.name in IN_FLASH else Undo.FULL
    if not component.packages or work.has_way_back:
        return component.undo
    return component.undo_alone


def steps_of(work: tuple[Work, ...]) -> Iterator[Step]:
    """All steps, in order."""
    return map(step_of, work)
