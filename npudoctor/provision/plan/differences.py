"""What differs on a host from what is wanted, component by component. What cannot be read is never equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.fact import Unavailable
from npudoctor.provision.plan.difference import (
    CONFIGURE,
    INSTALL,
    REBOOT,
    REPAIR,
    SAME,
    Difference,
    moved,
    order,
    same,
    unknown,
    unreadable,
)  # fmt: skip
from npudoctor.provision.planned import Change
from npudoctor.regex import regex
from npudoctor.versions import (
    Cann,
    Firmware,
    MindCluster,
    Python,
    Torch,
    TorchNpu,
    Version,
    VersionError,
    driver_version,
)  # fmt: skip
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from npudoctor.fact import Fact
    from npudoctor.provision.plan.ground import Ground
    from npudoctor.provision.plan.installed import Toolkit
    from npudoctor.provision.plan.wanted import Wanted

_CANN_FOLDER = regex(r"/(?:cann-|ascend-toolkit/|atb/)(\d+\.\d[\w.-]*)")


def _version(text: str) -> Version:
    return driver_version(text)


def driver(ground: Ground, wanted: Wanted) -> Difference:
    """The driver on the disk; then whether it is whole, and what runs."""
    want, found = wanted.version("driver"), ground.installed
    if missing := unreadable("driver", want, found.driver):
        return missing
    before = found.driver.or_none() or ""
    difference = moved("driver", before, want, _version)
    if difference.action != SAME:
        return difference
    if found.driver_whole.or_none() is False:
        why = _("its installer did not come to its end")
        return Difference(REPAIR, before, (Change("driver", f"{before} (part)", want, why),))
    running = found.driver_running.content
    if isinstance(running, Unavailable):
        why = _("the driver that runs cannot be asked: {why}").format(why=running.why)
        return Difference(REBOOT, before, (Change("driver.running", "?", want, why),))
    return _runs("driver.running", running, before, want, _version)


def firmware(ground: Ground, wanted: Wanted) -> Difference:
    """The flash of every card decides; where it cannot be read, the package on the disk."""
    want, found = wanted.version("firmware"), ground.installed
    flash = found.flash.or_none()
    if flash:
        return _flash(flash, want, found.firmware)
    if missing := unreadable("firmware", want, found.firmware):
        return missing
    before = found.firmware.or_none() or ""
    difference = moved("firmware", before, want, Firmware)
    if difference.action != SAME:
        return difference
    why = found.flash.content.why if isinstance(found.flash.content, Unavailable) else ""
    change = Change("firmware.flash", "?", want, _("the flash cannot be read: {why}").format(why=why))
    return Difference(REBOOT, before, (change,))


def _flash(flash: tuple[str, ...], want: str, on_disk: Fact[str]) -> Difference:
    differ = [version for version in flash if order(version, want, Firmware) != 0]
    if not differ:
        laid = on_disk.or_none()  # what was laid down since starts with the next boot
        return moved("firmware", laid, want, Firmware) if laid else same(want)
    before = ", ".join(differ)
    if on_disk.known and order(on_disk.value, want, Firmware) == 0:
        return Difference(REBOOT, before, (Change("firmware.flash", before, want, _unbooted()),))
    return moved("firmware", differ[0], want, Firmware)


def _runs(what: str, running: str, before: str, want: str, make: Callable[[str], Version]) -> Difference:
    if order(running, want, make) == 0:
        return same(before)
    return Difference(REBOOT, before, (Change(what, running, want, _unbooted()),))


def _unbooted() -> str:
    return _("it is on the disk, and the host was not rebooted since")


def toolkit(ground: Ground, wanted: Wanted) -> Difference:
    """One toolkit of that version, and the links lead to it."""
    want, found = wanted.version("toolkit"), ground.installed.toolkits
    if missing := unreadable("toolkit", want, found):
        return missing
    exact = _exact(found.or_none() or (), want)
    current = _current(found.or_none() or ())
    if exact is None:
        return moved("toolkit", current.version if current else "", want, Cann)
    if current is not None and current.linked and not exact.linked:
        why = _("the links lead to {version}").format(version=current.version)
        return Difference(
            CONFIGURE, current.version, (Change("toolkit.link", current.root, exact.root, why),)
        )
    return same(exact.version)


def ops(ground: Ground, wanted: Wanted) -> Difference:
    """The operators for the chip, in the toolkit of that version."""
    want = wanted.version("ops")
    toolkits = ground.installed.toolkits.or_none() or ()
    exact = _exact(toolkits, want)
    if exact is None:
        current = _current(toolkits)
        before = (current.ops.or_none() or {}).get(wanted.stack.chip, "") if current else ""
        return moved("ops", before, want, Cann) if before != want else _gone("ops", want)
    if missing := unreadable("ops", want, exact.ops):
        return missing
    packages = exact.ops.or_none() or {}
    if wanted.stack.chip in packages and not packages[wanted.stack.chip]:
        return unknown("ops", want, _("no install file says it"))
    return moved("ops", packages.get(wanted.stack.chip, ""), want, Cann)


def _gone(what: str, want: str) -> Difference:
    return Difference(INSTALL, "", (Change(what, "", want, _("its toolkit is not installed")),))


def nnal(ground: Ground, wanted: Wanted) -> Difference:
    """ATB of that version, with a build for the C++ ABI of torch."""
    want, found = wanted.version("nnal"), ground.installed.nnal
    if missing := unreadable("nnal", want, found):
        return missing
    all_found = found.or_none() or ()
    exact = next((one for one in all_found if order(one.version, want, Cann) == 0), None)
    if exact is None:
        return moved("nnal", all_found[-1].version if all_found else "", want, Cann)
    abi, abis = wanted.stack.versions.get("nnal_abi", ""), exact.abis.or_none()
    if abi and abis is not None and int(abi) not in abis:
        why = _("it has no build for the C++ ABI {abi}").format(abi=abi)
        return Difference(REPAIR, exact.version, (Change("nnal.abi", str(abis), abi, why),))
    return same(exact.version)


def python_env(ground: Ground, wanted: Wanted) -> Difference:
    """A Python that has this torch and torch_npu together."""
    versions, found = wanted.stack.versions, ground.installed.environments
    want = versions["torch_npu"]
    if missing := unreadable("python_env", want, found):
        return missing
    environments = found.or_none() or ()
    for one in environments:
        right = (
            order(one.torch_npu, want, TorchNpu) == 0
            and ("torch" not in versions or order(one.torch, versions["torch"], Torch) == 0)
            and ("python" not in versions or _within(one.python, versions["python"]))
        )
        if right:
            return same(one.torch_npu)
    before = environments[0].torch_npu if environments else ""
    if before == want:
        why = _("no Python has this torch, torch_npu and version together")
        return Difference(REPAIR, before, (Change("python_env", before, want, why),))
    return moved("python_env", before, want, TorchNpu)


def _within(version: str, wanted: str) -> bool:
    """Whether `3.11.9` is a `3.11`."""
    try:
        return Python(version).extends(Python(wanted)) or version.startswith(wanted + ".")
    except VersionError:
        return False


def docker(ground: Ground, _wanted: Wanted) -> Difference:
    """An engine that answers; which version, the package manager of the system decides."""
    found = ground.installed.docker
    if missing := unreadable("docker", "any", found):
        return missing
    if found.absent:
        return Difference(INSTALL, "", (Change("docker", "", "any", _("it is not installed")),))
    return same(found.value)


def ascend_runtime(ground: Ground, wanted: Wanted) -> Difference:
    """The runtime that gives containers their NPUs."""
    want, found = wanted.version("ascend_runtime"), ground.installed.runtime
    if missing := unreadable("ascend_runtime", want, found):
        return missing
    difference = moved("ascend_runtime", found.or_none() or "", want, MindCluster)
    runtimes = ground.installed.runtimes
    names = () if runtimes.absent else runtimes.or_none()
    if difference.action == SAME and names is not None and "ascend" not in names:
        why = _("Docker does not know it")
        change = Change("ascend_runtime.registered", ", ".join(names), "ascend", why)
        return Difference(CONFIGURE, difference.before, (change,))
    return difference


def environment(ground: Ground, wanted: Wanted) -> Difference:
    """The scripts for logins and services are there, and lead to the wanted CANN."""
    want, installed = wanted.version("toolkit"), ground.installed
    changes = []
    for name, text in (("logins", installed.logins), ("services", installed.services)):
        if missing := unreadable(f"environment.{name}", want, text):
            return missing
        others = {found for found in _CANN_FOLDER.findall(text.or_none() or "") if not _is(found, want)}
        if text.absent:
            why = _("it is not set up")
            changes.append(Change(f"environment.{name}", "", want, why))
        elif others:
            before, why = ", ".join(sorted(others)), _("it leads to another CANN")
            changes.append(Change(f"environment.{name}", before, want, why))
    return Difference(CONFIGURE, "", tuple(changes)) if changes else same("")


def _is(version: str, want: str) -> bool:
    return order(version, want, Cann) == 0


def _exact(toolkits: Iterable[Toolkit], want: str) -> Toolkit | None:
    return next((one for one in toolkits if order(one.version, want, Cann) == 0), None)


def _current(toolkits: tuple[Toolkit, ...]) -> Toolkit | None:
    """The one that is in use: that the links lead to, else the only one, else the last."""
    linked = [one for one in toolkits if one.linked]
    found = linked or list(toolkits)
    return found[-1] if found else None


OF = {
    "driver": driver,
    "firmware": firmware,
    "toolkit": toolkit,
    "ops": ops,
    "nnal": nnal,
    "python_env": python_env,
    "docker": docker,
    "ascend_runtime": ascend_runtime,
    "environment": environment,
}
"""By component: what is compared. The others are compared by the doctor's checks; see `settings`."""
