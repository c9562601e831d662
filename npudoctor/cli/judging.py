"""Judge one host: from its snapshot to its report, and to what the checks of the fleet keep of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from npudoctor.checks.fleet_member import Member
from npudoctor.checks.registry import Check
from npudoctor.checks.runner import members_of, run_checks
from npudoctor.collect.snapshot import Snapshot
from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError
from npudoctor.host import Host, load_areas
from npudoctor.matrix import Matrix
from npudoctor.report.about import about
from npudoctor.report.report import HostReport


@dataclass(frozen=True, slots=True)
class Task:
    """One host to judge.

    Attributes:
        name: As in `Source`; so too the kind.
        read: Gives the snapshot, or raises `IncompleteError` where there is none.
    """

    name: str
    kind: str
    read: Callable[[], Snapshot]


@dataclass(frozen=True, slots=True)
class Judged:
    """One host's report, and what the checks of the fleet keep of it by their ids."""

    report: HostReport
    members: Mapping[str, Member]


def judge_host(task: Task, checks: Sequence[Check], matrix: Matrix) -> Judged:
    """Read and judge it; nothing of the host itself is kept."""
    try:
        host = Host(task.read())
    except IncompleteError as error:
        return unread(task, str(error))
    report = HostReport(
        name=host.name,
        source=host.snapshot.source,
        path=task.name if task.kind == "bundle" else "",
        findings=tuple(run_checks(checks, host, matrix)),
        error="; ".join(host.snapshot.problems) or None,
        about=about(host),
    )
    return Judged(report, members_of(checks, host))


def judge_of(ids: frozenset[str], file: Path | None, stack: str | None) -> Callable[[Task], Judged]:
    """What judges one host after another, in a process of its own.

    Args:
        ids: Of the checks.
        file: Of the matrix; None for our own.
        stack: What hosts are to be; None where nothing was asked for.
    """
    from npudoctor.checks.registry import all_checks
    from npudoctor.matrix import load_matrix

    load_areas()
    checks = [check for check in all_checks() if check.id in ids]
    return partial(judge_host, checks=checks, matrix=load_matrix(file, stack))


def unread(task: Task, why: str) -> Judged:
    """What there is to say of a host that could not be read."""
    return Judged(HostReport(task.name, task.kind, error=why), {})
