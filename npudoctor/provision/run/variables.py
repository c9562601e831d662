"""The variables that a step of a host is given: its stack, its packages, and those of the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.components import component
from npudoctor.provision.plan.serving import SERVING, image_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.matrix import Matrix
    from npudoctor.matrix.stacks import NamedStack
    from npudoctor.provision.call import Call
    from npudoctor.provision.planned import Step
    from npudoctor.provision.record import Record

_CUTS_OFF = frozenset({"npu-in-use", "use-unknown"})
"""Blockers whose answer lets the vendor's installer go on although NPUs are in use."""
_MOST_MIB = 512
_FORCED = ("driver_force", "firmware_force", "hccn_force")


class Variables:
    """Gives them; see `playbooks/step.yml` for how roles read them."""

    def __init__(self, call: Call, matrix: Matrix) -> None:
        self._call, self._matrix = call, matrix

    def __call__(self, record: Record, step: Step) -> Mapping[str, Any]:
        """Those of one step."""
        stack = load_stack(self._matrix, record.stack)
        versions = {**stack.versions, "image": image_of("", stack)}
        return {
            "npudoctor_stack": {"name": stack.name, "chip": stack.chip, "versions": versions},
            "npudoctor_packages": {step.component: _files(record, step.packages)},
            "npudoctor_previous": {
                "versions": _previous(record),
                "packages": {step.component: _files(record, step.previous)},
            },
            "npudoctor_run": record.origin or record.run,
            "npudoctor_skip": list(self._call.skip),
            "npudoctor_sources": _sources(self._call.packages),
            "npudoctor_restart_docker": self._call.restart_docker,
            "preflight_proceed": list(record.host.accepted),
            "preflight_space": _space(step, stack),
            **dict.fromkeys(_FORCED, bool(_CUTS_OFF & {*record.host.accepted})),
        }


def _space(step: Step, stack: NamedStack) -> list[dict[str, Any]]:
    """Never more than its plan has asked for; a part of it, as a try before may have laid down the rest."""
    if step.component == SERVING and not step.packages:  # its image is there
        return []
    needs = component(step.component).space_for(stack)
    return [{"path": one.at, "mb": min(_MOST_MIB, one.mb * 1_000_000 >> 20)} for one in needs]


def _files(record: Record, digests: tuple[str, ...]) -> list[dict[str, Any]]:
    """Each package as modules take it."""
    found = ((digest, record.files.get(digest, ("", 0))) for digest in digests)
    return [{"name": name, "sha256": digest, "size": size} for digest, (name, size) in found]


def _previous(record: Record) -> dict[str, str]:
    """Versions as they were, by component; `absent` where there was none."""
    return {name: version or "absent" for name, version in record.host.before.items()}


def _sources(packages: str | None) -> list[str]:
    return [packages] if packages and "://" in packages else []
