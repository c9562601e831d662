"""One host with all that decides what is in the way, and the list of functions that look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, Unavailable
from npudoctor.finding import Finding  # noqa: TC001 (dataclasses read it)
from npudoctor.provision.plan.controller import Controller  # noqa: TC001
from npudoctor.provision.plan.ground import Ground  # noqa: TC001
from npudoctor.provision.plan.steps import Work, step_of
from npudoctor.provision.planned import Reboot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from npudoctor.provision.plan.wanted import Wanted

Words = dict[str, str]
"""What is filled into the texts of a blocker."""
_DEBIAN = ("debian", "ubuntu", "velinux", "uos", "kylin-desktop")


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
        wheels: Where the host itself takes wheels from; empty for nowhere.
        docker: Packages or names of Docker that the inventory gives; empty where it gives none.
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
    wheels: str = ""
    docker: str = ""

    def work_on(self, *components: str) -> Iterator[Work]:
        """What is to be done on these."""
        return (one for one in self.work if one.component.name in components)

    @property
    def boots(self) -> bool:
        """Whether the host may have to reboot."""
        return any(step_of(one).reboot is Reboot.YES for one in self.work)


OF: dict[str, Callable[[Case], Iterator[Words]]] = {}
"""By key of `blockers.yaml`: gives the words of each blocker that a host has."""


def blocks(key: str) -> Callable[[Callable[[Case], Iterator[Words]]], Callable[[Case], Iterator[Words]]]:
    """Register the function of a key."""

    def register(function: Callable[[Case], Iterator[Words]]) -> Callable[[Case], Iterator[Words]]:
        OF[key] = function
        return function

    return register


def why_not(fact: Fact[Any]) -> str:
    """Why a fact is not known; empty where it is."""
    return fact.content.why if isinstance(fact.content, Unavailable) else ""


def lays_down(work: Work) -> bool:
    """Whether something is put on the disk, and not only started."""
    return work.difference.action != "reboot"


def install_command(case: Case, on_debian: str, elsewhere: str) -> str:
    """The command that installs a package of the system."""
    debian = (case.ground.os_id.or_none() or "").lower() in _DEBIAN
    return f"apt-get install -y {on_debian}" if debian else f"dnf install -y {elsewhere}"
