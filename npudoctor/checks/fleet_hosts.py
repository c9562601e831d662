"""What makes the hosts of a fleet one system: users, names, machines, clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.fleet_scope import (
    gaps,
    in_container,
    not_read,
    of_host,
    same,
    some,
    twice,
    without_npu_or_machine,
)
from npudoctor.checks.npu_scope import joined
from npudoctor.checks.os_services import MINDCLUSTER_INSTALL
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Verdict, ok, skip, unknown, warn
from npudoctor.host.machine import read_clock, read_serials
from npudoctor.host.users import RUN_USER
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from npudoctor.checks.fleet_member import Member
    from npudoctor.fact import Evidence, Fact
    from npudoctor.host import Host
    from npudoctor.host.machine import Clock
    from npudoctor.parse.passwd import User

APART = 5.0
"""Seconds between two clocks from which on lines of logs come in the wrong order."""
_MOST_TOLD = 8


def _user_ids(host: Host) -> Mapping[str, Fact[str]] | str:
    if reason := without_npu_or_machine(host):
        return reason
    install = host.driver.install.or_none()
    name = (install.user if install else None) or RUN_USER
    return {name: host.users.user(name).map(_ids)}


def _ids(user: User | None) -> str:
    return f"{user.uid}:{user.gid}" if user else ""


@check(
    "fleet.user_ids",
    title=N_("The driver's user has the same numbers on all hosts"),
    sources=(MINDCLUSTER_INSTALL,),
    dated="2026-08",
    role="users",
    reads=_user_ids,
)
def user_ids(hosts: Collection[Member]) -> Verdict:
    """Shared disks and images know a user by number: one that differs may not read its own files.

    MindCluster asks for HwHiAiUser with 1000:1000 on every host and in every container; whichever numbers it
    has, they have to be the same everywhere. Hosts without the user are judged by `users.run_user`.
    (MindCluster installation guide, 2026-08.)
    """
    names = sorted({name for member in hosts for name in member.facts}) or [RUN_USER]
    summary = _("Give the user the same uid and gid on all hosts, and its files to the new numbers.")
    commands = tuple(f"usermod -u UID {name} && groupmod -g GID {name}" for name in names)
    fix = Fix(Action.CONFIGURE, summary, commands, "users")
    return same(hosts, names, expected=_("one uid:gid"), fix=fix, words=lambda ids: ids or _("no such user"))


def _host_name(host: Host) -> Mapping[str, Fact[str]] | str:
    if reason := in_container(host):
        return reason
    return {"": host.snapshot.file("/proc/sys/kernel/hostname").map(str.strip)}


def _named(member: Member) -> Iterator[tuple[str, Evidence]]:
    fact = member.fact("")
    if fact.known and fact.value:
        yield fact.value, of_host(member.name, fact)[0]


@check(
    "fleet.unique_names",
    title=N_("No two hosts have the same host name"),
    sources=("kubernetes.io/docs concepts/architecture/nodes (two nodes cannot have one name)",),
    dated="2026-08",
    reads=_host_name,
)
def unique_names(hosts: Collection[Member]) -> Verdict:
    """Kubernetes, Slurm and logs tell hosts apart by their names: of two with one name one is lost.

    It happens to servers that were made from one image. Right: every host name once; `localhost` is no
    name. Two entries of an inventory that lead to one machine show here too: see `fleet.unique_machines`.
    """
    expected = _("every host name once")
    if found := twice(hosts, _named):
        told = [f"{joined(shared.values)}: {shared.hosts}" for shared in found]
        proofs = [proof for shared in found for proof in shared.proofs][:_MOST_TOLD]
        fix = Fix(
            Action.CONFIGURE, _("Give each host a name of its own."), ("hostnamectl set-hostname NAME",)
        )
        return warn(*proofs, actual=some(told), expected=expected, fix=fix)
    if missing := gaps(hosts, ("",)):
        return not_read(missing, expected)
    return ok(actual=_("{n} names").format(n=len(hosts)))


def _serials(host: Host) -> Mapping[str, Fact[tuple[str, ...]]] | str:
    """Of the server where it may be read (by root), and of its NPUs; nothing where neither was asked."""
    if reason := in_container(host):
        return reason
    found = read_serials(host.snapshot)
    return {} if found.absent else {"": found}


def _each_serial(member: Member) -> Iterator[tuple[str, Evidence]]:
    fact = member.fact("")
    yield from zip(fact.or_none() or (), of_host(member.name, fact), strict=False)


@check(
    "fleet.unique_machines",
    title=N_("No machine is in the fleet twice"),
    sources=("npu-smi info -t board (Serial Number)", "Linux drivers/firmware/dmi-id.c (product_serial)"),
    dated="2026-08",
    reads=_serials,
)
def unique_machines(hosts: Collection[Member]) -> Verdict:
    """Serial numbers of servers and of NPUs are given once: two hosts that share one are one machine.

    An inventory with two names for it, or a name that leads to the wrong address, leaves another machine
    unexamined. Read are the server's own serial number, which only root may, and those of its NPUs.
    Numbers that makers leave as they are (`To be filled by O.E.M.`) count as none.
    """
    expected = _("every serial number once")
    if found := twice(hosts, _each_serial):
        told = [_("one machine: {hosts}").format(hosts=shared.hosts) for shared in found]
        proofs = [proof for shared in found for proof in shared.proofs][:_MOST_TOLD]
        fix = Fix(Action.CONFIGURE, _("Correct the inventory, or the addresses of the names in it."))
        return warn(*proofs, actual=some(told), expected=expected, fix=fix)
    if missing := gaps(hosts, ("",)):
        return not_read(missing, expected)
    return ok(actual=_("{n} machines").format(n=len(hosts)))


def _clock(host: Host) -> Mapping[str, Fact[Clock]]:
    """Of what was read by this machine or collected from here; a clock that nobody compared says nothing."""
    found = read_clock(host.snapshot)
    return {} if found.absent else {"": found}


@check(
    "fleet.clocks",
    title=N_("The clocks of all hosts are together"),
    sources=(MINDCLUSTER_INSTALL,),
    dated="2026-08",
    role="prerequisites",
    reads=_clock,
)
def clocks(hosts: Collection[Member]) -> Verdict:
    """Which rank failed first is told from the times in the logs; certificates and tickets have times too.

    While a host was read, the clock of the machine that read it was noted before and after: the host's own
    time has to lie between. Where two hosts are certainly more than 5 seconds apart they are told; what
    lies within the time that reading took cannot be seen. Bundles that different machines collected are
    not compared. (MindCluster asks for the same time on all servers; 2026-08.)
    """
    expected = _("no more than {n} seconds apart").format(n=f"{APART:.0f}")
    spans = [(member.name, fact) for member in hosts if (fact := member.fact("")).known]
    if len({fact.value.reader for _name, fact in spans}) > 1:
        return unknown(actual=_("different machines read the hosts"), expected=expected)
    wrong = _apart(spans)
    if wrong:
        told = [
            _("{host} by {seconds} s").format(host=name, seconds=f"{off:+.0f}") for name, off, _p in wrong
        ]
        proofs = [proof for _name, _off, lines in wrong[:_MOST_TOLD] for proof in lines]
        summary = _("Let all hosts follow the same time server.")
        fix = Fix(
            Action.CONFIGURE, summary, ("timedatectl set-ntp true", "chronyc makestep"), "prerequisites"
        )
        return warn(*proofs, actual=some(told), expected=expected, fix=fix)
    if missing := gaps(hosts, ("",)):
        return not_read(missing, expected)
    return ok(actual=expected) if len(spans) > 1 else skip(_("fewer than two hosts to compare"))


def _apart(spans: list[tuple[str, Fact[Clock]]]) -> list[tuple[str, float, tuple[Evidence, ...]]]:
    """Hosts whose clock is off the middle one of all, by how many seconds at least, with the proof."""
    if not spans:
        return []
    middles = sorted((fact.value.least + fact.value.most) / 2 for _name, fact in spans)
    middle = middles[len(middles) // 2]
    found = []
    for name, fact in spans:
        ahead, behind = fact.value.least - middle, fact.value.most - middle
        off = ahead if ahead > APART else behind if behind < -APART else 0.0
        if off:
            found.append((name, off, of_host(name, fact)))
    return sorted(found, key=lambda one: -abs(one[1]))
