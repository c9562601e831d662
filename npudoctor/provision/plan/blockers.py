"""What is in the way on one host. Each function says how often its key applies, and with which words.

The texts, the fixes and what may be answered are data: `blockers.yaml`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, Unavailable
from npudoctor.finding import Action, Finding, Fix, Status
from npudoctor.provision.plan.controller import Controller, core_for
from npudoctor.provision.plan.differences import DOWNGRADE, INSTALL
from npudoctor.provision.plan.ground import Ground  # noqa: TC001 (dataclasses read it)
from npudoctor.provision.plan.rollback import refusals, unknown_because
from npudoctor.provision.plan.shelf import Condition
from npudoctor.provision.plan.space import shortages
from npudoctor.provision.plan.steps import Work, step_of, undo_of
from npudoctor.provision.planned import Blocker, Reboot, Undo
from npudoctor.provision.record import Phase
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from npudoctor.provision.plan.wanted import Wanted

Words = dict[str, str]
"""What is filled into the texts of a blocker."""
ARCHES = ("aarch64", "x86_64")
_DEBIAN = ("debian", "ubuntu", "velinux", "uos", "kylin-desktop")
_BUILT = ("driver",)
"""Components whose installer builds kernel modules."""
_CUTS_OFF = ("driver", "firmware")
_NOT_UP = ("starting", "initializing", "stopping", "maintenance", "offline")


@dataclass(frozen=True, slots=True)
class Case:
    """One host, with all that decides what is in the way.

    Attributes:
        work: What is to be done, in order.
        findings: Of the checks that a plan listens to.
        drained: Whether somebody takes the work off before anything is changed.
        restart_docker: Whether Docker may be restarted while containers run.
        retry: Whether hosts that are stuck are tried again.
        run: The run that asks; its own lease is not in its way.
    """

    name: str
    ground: Ground
    wanted: Wanted
    work: tuple[Work, ...]
    controller: Controller
    findings: tuple[Finding, ...] = ()
    drained: bool = False
    restart_docker: bool = False
    retry: bool = False
    run: str = ""

    def work_on(self, *components: str) -> Iterator[Work]:
        """What is to be done on these."""
        return (one for one in self.work if one.component.name in components)

    @property
    def boots(self) -> bool:
        """Whether the host may have to reboot."""
        return any(step_of(one).reboot is Reboot.YES for one in self.work)


def blockers_of(case: Case) -> tuple[Blocker, ...]:
    """All that is in the way, in the order of the data file. Of a host where nothing differs: nothing."""
    if not case.work:
        return ()
    found = ((key, words) for key in _rows() for words in _OF.get(key, _nothing)(case))
    return tuple(
        blocker(key, {"host": case.name, "stack": case.wanted.stack.name, **words}) for key, words in found
    )


def blocker(key: str, words: Words) -> Blocker:
    """One blocker with its words filled in."""
    row = _rows()[key]
    commands = tuple(command.format_map(words) for command in row["commands"])
    fix = Fix(Action(row["action"]), _(row["summary"]).format_map(words), commands)
    return Blocker(key, _(row["message"]).format_map(words), fix, row.get("answer", ""))


@cache
def _rows() -> dict[str, dict[str, Any]]:
    content = load(Path(__file__).with_suffix(".yaml")).content
    return {row["key"]: row for row in content["blockers"]}


def keys() -> list[str]:
    """Every key that there is."""
    return list(_rows())


def answerable() -> list[str]:
    """The keys that an answer lets pass."""
    return [key for key, row in _rows().items() if "answer" in row]


def consequence(key: str) -> str:
    """What happens where a key is answered."""
    return _(_rows()[key].get("then", ""))


def _nothing(_case: Case) -> Iterator[Words]:
    return iter(())


def _why(fact: Fact[Any]) -> str:
    return fact.content.why if isinstance(fact.content, Unavailable) else ""


def _not_root(case: Case) -> Iterator[Words]:
    if case.ground.root.or_none() is False:
        yield {}


def _no_npu(case: Case) -> Iterator[Words]:
    present = case.ground.present
    if not present.or_none():
        yield {"why": _why(present) or _("PCI, /dev and the driver show none")}


def _wrong_chip(case: Case) -> Iterator[Words]:
    family = case.ground.family.or_none()
    if family and family != case.wanted.stack.chip:
        yield {"chip": case.ground.chip.or_none() or family, "wanted": case.wanted.stack.chip}


def _unsupported_arch(case: Case) -> Iterator[Words]:
    arch, only = case.ground.arch, case.wanted.stack.arch
    wanted = (only,) if only else ARCHES
    if (arch.or_none() or "?") not in wanted:
        yield {"arch": arch.or_none() or _why(arch), "wanted": ", ".join(wanted)}


def _unsupported_os(case: Case) -> Iterator[Words]:
    bad = (Status.FAIL, Status.WARN)
    if any(finding.id == "os.supported" and finding.status in bad for finding in case.findings):
        yield {"os": case.ground.os.or_none() or "?"}


def _vm(case: Case) -> Iterator[Words]:
    if case.ground.in_vm.or_none() and any(case.work_on("firmware")):
        yield {}


def _no_python(case: Case) -> Iterator[Words]:
    pythons = case.ground.installed.pythons
    if pythons.known and not pythons.value:
        yield {"install": _install(case, "python3", "python3")}


def _python_too_old(case: Case) -> Iterator[Words]:
    pythons = case.ground.installed.pythons.or_none() or ()
    if pythons and not case.controller.interpreter(pythons):
        newest = max((version for _path, version in pythons), key=_numbers)
        least, core = case.controller.least, case.controller.core
        yield {"found": newest, "core": core, "least": least, "other": core_for(newest) or "2.17"}


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]


def _cuts_off(case: Case) -> bool:
    """Whether what runs on the NPUs would die, and nobody takes it off before."""
    return not case.drained and (case.boots or any(case.work_on(*_CUTS_OFF)))


def _npu_in_use(case: Case) -> Iterator[Words]:
    users, containers = case.ground.use.users.or_none() or (), case.ground.use.containers.or_none() or ()
    if not _cuts_off(case) or not (users or containers):
        return
    who = [_("process {who}").format(who=one) for one in users]
    who += [_("container {name}").format(name=name) for name in containers]
    yield {"who": ", ".join(who)}


def _use_unknown(case: Case) -> Iterator[Words]:
    users = case.ground.use.users
    fresh = any(one.difference.action == INSTALL for one in case.work_on("driver"))
    if _cuts_off(case) and not users.known and not fresh:
        yield {"why": _why(users)}


def _no_space(case: Case) -> Iterator[Words]:
    for short in shortages(case.ground, case.wanted, case.work):
        yield short.words()


def _kernel_headers(case: Case) -> Iterator[Words]:
    kernels = case.ground.kernels
    headers, running = kernels.headers, kernels.running.or_none()
    if not any(_lays_down(one) for one in case.work_on(*_BUILT)) or not running:
        return
    there = headers.or_none() or ()
    following = kernels.next.or_none()
    if running not in there:
        yield _headers(case, running, _("it runs now"))
    if following and following not in (running, *there):
        yield _headers(case, following, _("the next boot starts it"))


def _headers(case: Case, release: str, which: str) -> Words:
    names = (f"linux-headers-{release}", f"kernel-devel-{release} kernel-headers-{release}")
    return {"release": release, "which": which, "install": _install(case, *names)}


def _lays_down(work: Work) -> bool:
    return work.difference.action != "reboot"


def _install(case: Case, on_debian: str, elsewhere: str) -> str:
    """The command that installs a package of the system."""
    debian = (case.ground.os_id.or_none() or "").lower() in _DEBIAN
    return f"apt-get install -y {on_debian}" if debian else f"dnf install -y {elsewhere}"


def _anti_rollback(case: Case) -> Iterator[Words]:
    if not any(_lays_down(one) for one in case.work_on("driver")):
        return
    family, wanted = case.wanted.stack.chip, case.wanted.version("driver")
    for refusal in refusals(wanted, family, case.ground.flash):
        yield {"wanted": wanted, "why": refusal.why, "least": refusal.least, "chip": family}


def _anti_rollback_unknown(case: Case) -> Iterator[Words]:
    why = unknown_because(case.wanted.stack.chip, case.ground.flash)
    for one in case.work_on("driver"):
        if one.difference.action == DOWNGRADE and why:
            yield {"before": one.difference.before, "wanted": case.wanted.version("driver"), "why": why}


def _flash_damaged(case: Case) -> Iterator[Words]:
    base = case.ground.flash.base.or_none()
    if base and base.damaged and any(case.work_on("driver")):
        yield {}


def _needs_older_driver_first(case: Case) -> Iterator[Words]:
    """910B firmware `X.11.…`: its installer asks for driver 23.0.RC1 first."""
    installed = case.ground.installed
    versions = installed.flash.or_none() or (installed.firmware.or_none() or "",)
    if case.wanted.stack.chip != "910B" or not any(case.work_on(*_CUTS_OFF)):
        return
    for version in versions:
        if version.split(".")[1:2] == ["11"]:
            yield {"before": version}


def _secure_boot(case: Case) -> Iterator[Words]:
    built = any(_lays_down(one) for one in case.work_on(*_BUILT))
    if built and case.ground.kernels.secure_boot.or_none():
        yield {}


def _pending_reboot(case: Case) -> Iterator[Words]:
    """A driver that somebody laid down and did not start, and that is not the wanted one either."""
    installed = case.ground.installed
    disk, running = installed.driver.or_none(), installed.driver_running.or_none()
    changes = any(_lays_down(one) for one in case.work_on("driver"))
    if changes and disk and running and disk != running:
        why = _("driver {disk} is on the disk, {running} runs").format(disk=disk, running=running)
        yield {"why": why}


def _not_settled(case: Case) -> Iterator[Words]:
    state = case.ground.state.or_none()
    if state in _NOT_UP:
        yield {"state": state}


def _package_missing(case: Case) -> Iterator[Words]:
    for one in case.work:
        for package in one.packages:
            if package.condition is Condition.MISSING and not package.optional:
                told = f"; {package.why}" if package.why else ""
                yield {"name": package.name, "component": one.component.name, "instead": told}


def _package_damaged(case: Case) -> Iterator[Words]:
    for one in case.work:
        for package in (*one.packages, *one.previous):
            if package.condition is Condition.DAMAGED:
                yield {"name": package.name, "why": package.why}


def _undo_impossible(case: Case) -> Iterator[Words]:
    for one in case.work:
        if undo_of(one) is Undo.FORWARD and one.difference.before not in ("", "?"):
            missing = [package.name for package in one.previous if package.condition is not Condition.HERE]
            why = _("{names} is not at hand").format(names=", ".join(missing) or _("its package"))
            yield {"component": one.component.name, "before": one.difference.before, "why": why}


def _foreign_lease(case: Case) -> Iterator[Words]:
    """Of a run of this very machine the run itself knows whether it still lives."""
    lease, now = case.ground.ours.lease.or_none(), case.ground.clock.or_none()
    if not lease or lease.get("run") == case.run or lease.get("host") == case.controller.host:
        return
    until = float(lease.get("until", 0))
    if now is None or until > now:
        seconds = "?" if now is None else f"{until - now:.0f}"
        yield {"run": str(lease.get("run", "?")), "owner": str(lease.get("host", "?")), "seconds": seconds}


def _unfinished_run(case: Case) -> Iterator[Words]:
    record = case.ground.ours.record.or_none()
    if record and not record.ended and record.stack != case.wanted.stack.name:
        yield {"run": record.run, "phase": record.phase.value, "towards": record.stack}


def _stuck(case: Case) -> Iterator[Words]:
    record = case.ground.ours.record.or_none()
    if record and record.phase is Phase.STUCK and not case.retry:
        yield {"run": record.run, "reason": record.reason}


def _record_damaged(case: Case) -> Iterator[Words]:
    content = case.ground.ours.record.content
    if isinstance(content, Unavailable) and content.reason == "unreadable":
        yield {"why": content.why}


def _docker_restart(case: Case) -> Iterator[Words]:
    use = case.ground.use
    names = use.running.or_none() or ()
    restarts = any(_lays_down(one) for one in case.work_on("ascend_runtime"))
    if restarts and names and not use.outlive and not case.restart_docker:
        yield {"names": ", ".join(names)}


def _unreadable(case: Case) -> Iterator[Words]:
    for one in case.work:
        if one.difference.unreadable:
            yield {"component": one.component.name, "why": one.difference.unreadable}


_OF: dict[str, Callable[[Case], Iterator[Words]]] = {
    "not-root": _not_root,
    "no-npu": _no_npu,
    "wrong-chip": _wrong_chip,
    "unsupported-arch": _unsupported_arch,
    "unsupported-os": _unsupported_os,
    "vm": _vm,
    "no-python": _no_python,
    "python-too-old": _python_too_old,
    "npu-in-use": _npu_in_use,
    "use-unknown": _use_unknown,
    "no-space": _no_space,
    "kernel-headers": _kernel_headers,
    "anti-rollback": _anti_rollback,
    "anti-rollback-unknown": _anti_rollback_unknown,
    "flash-damaged": _flash_damaged,
    "needs-older-driver-first": _needs_older_driver_first,
    "secure-boot": _secure_boot,
    "pending-reboot": _pending_reboot,
    "not-settled": _not_settled,
    "package-missing": _package_missing,
    "package-damaged": _package_damaged,
    "undo-impossible": _undo_impossible,
    "foreign-lease": _foreign_lease,
    "unfinished-run": _unfinished_run,
    "stuck": _stuck,
    "record-damaged": _record_damaged,
    "docker-restart": _docker_restart,
    "unreadable": _unreadable,
}
