"""A repository's deployment files to findings, file by file."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from npudoctor.checks.registry import Check, all_checks
from npudoctor.checks.safe import safe
from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence
from npudoctor.finding import WORST_FIRST, Action, Finding, Fix, Status, Verdict
from npudoctor.gate.facts import Stack, Value, stack_of
from npudoctor.gate.link import linked
from npudoctor.gate.reader import all_readers
from npudoctor.gate.rules import all_rules, own_checks
from npudoctor.gate.rules.registry import Subject, Trouble
from npudoctor.gate.scope import concerns
from npudoctor.gate.target import Target, read_target
from npudoctor.gate.unit import Slip, Unreadable, Where
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.unit import Unit
    from npudoctor.matrix import Matrix

READABLE = "gate.readable"


@dataclass(frozen=True, slots=True)
class FileFindings:
    """What was found in one file that has to do with Ascend."""

    path: str
    findings: tuple[Finding, ...]


def gate_checks() -> list[Check]:
    """Every check that the gate can give a finding of, by id: those of hosts that it shares, and its own."""
    rules = all_rules()
    shared = {id for rule in rules for id in rule.ids}
    hosts = [check for check in all_checks() if check.id in shared]
    return sorted([*hosts, *own_checks()], key=lambda check: check.id)


def judge(repository: Repository, matrix: Matrix, wanted: Collection[str]) -> list[FileFindings]:
    """Judge every deployment file of a repository; files that have nothing to do with Ascend are left out.

    Args:
        repository: The folder or file.
        matrix: The compatibility matrix.
        wanted: The ids of the checks whose findings are wanted.

    Raises:
        UsageError: `npudoctor.yaml` is wrong, or a package of the extra `gate` is missing.
    """
    target = read_target(repository)
    units, troubles = _read(repository, target)
    pairs = [(unit, stack_of(unit, matrix)) for unit in linked(units, repository)]
    ours = [(unit, stack) for unit, stack in pairs if concerns(unit, stack)]
    driver = _driver([stack for _unit, stack in ours], target)
    for unit, stack in ours:
        troubles += judge_unit(
            Subject(unit, stack, matrix, target, repository.inner(unit.where.path), driver)
        )
    troubles = [one for one in troubles if one.id in wanted]
    read = [unit.where for unit, _stack in ours] if READABLE in wanted else []
    return _by_file(_unique(troubles), read)


def judge_unit(subject: Subject) -> list[Trouble]:
    """What all rules find wrong with a unit, and what its reader saw."""
    found = [trouble for rule in all_rules() for trouble in rule.function(subject)]
    return [*found, *map(_of_slip, subject.unit.slips)]


def _read(repository: Repository, target: Target) -> tuple[list[Unit], list[Trouble]]:
    """The units of all files, and what is to be said of files that cannot be read."""
    units: list[Unit] = []
    troubles: list[Trouble] = []
    readers = all_readers()
    for file in repository.files:
        if _ignored(file, repository, target):
            continue
        for reader in (one for one in readers if one.matches(file)):
            try:
                units += reader.read(file, repository)
            except Unreadable as error:
                troubles.append(_unreadable(file, reader.name, error))
    return units, troubles


def _ignored(file: File, repository: Repository, target: Target) -> bool:
    return any(fnmatchcase(repository.inner(file.path), glob) for glob in target.ignored)


def _unreadable(file: File, kind: str, error: Unreadable) -> Trouble:
    line = error.line or 1
    where = Where(file.path, line, file.line(line))
    actual = _("{kind}: {why}").format(kind=kind, why=error.why)
    return Trouble(READABLE, where, Verdict(Status.UNKNOWN, actual, evidence=(where.evidence,)))


def _driver(stacks: Iterable[Stack], target: Target) -> Value | None:
    """The driver that the hosts have: as `npudoctor.yaml` says, or the only one that files here install."""
    if "driver" in target.values:
        return target.values["driver"]
    named = {
        stack.values["driver"].text: stack.values["driver"] for stack in stacks if "driver" in stack.values
    }
    return next(iter(named.values())) if len(named) == 1 else None


def _of_slip(slip: Slip) -> Trouble:
    fix = Fix(Action.CONFIGURE, slip.summary, edits=slip.edits) if slip.summary else None
    verdict = Verdict(slip.status, slip.actual, slip.expected, (slip.where.evidence,), fix)
    return Trouble(slip.id, slip.where, verdict)


def _unique(troubles: Iterable[Trouble]) -> list[Trouble]:
    """Each trouble once: a list of packages is judged by itself and in each image that installs it."""
    found: dict[tuple[str, str, int], Trouble] = {}
    for one in troubles:
        key = (one.id, one.where.path, one.where.line)
        if key not in found or _rank(one) < _rank(found[key]):
            found[key] = one
    return list(found.values())


def _rank(trouble: Trouble) -> int:
    return WORST_FIRST.index(trouble.verdict.status)


def _by_file(troubles: Sequence[Trouble], read: Iterable[Where]) -> list[FileFindings]:
    titles = {check.id: check for check in gate_checks()}
    files: dict[str, list[Finding]] = defaultdict(list)
    for trouble in sorted(troubles, key=lambda one: (_rank(one), one.where.line)):
        files[trouble.where.path].append(_finding(trouble, titles[trouble.id]))
    for where in read:
        if not any(finding.id == READABLE for finding in files[where.path]):
            files[where.path].append(_finding(_passed(where), titles[READABLE]))
    return [FileFindings(path, tuple(files[path])) for path in sorted(files, key=_worst_first(files))]


def _worst_first(files: dict[str, list[Finding]]) -> Callable[[str], tuple[int, str]]:
    return lambda path: (min(WORST_FIRST.index(finding.status) for finding in files[path]), path)


def _passed(where: Where) -> Trouble:
    return Trouble(
        READABLE, where, Verdict(Status.PASS, _("read and judged"), evidence=(Evidence(where.path, ""),))
    )


def _finding(trouble: Trouble, check: Check) -> Finding:
    verdict = trouble.verdict
    found = Finding(
        id=trouble.id,
        status=verdict.status,
        title=_(check.title),
        actual=verdict.actual,
        expected=verdict.expected,
        action=verdict.fix.action if verdict.fix else Action.NONE,
        seconds=0.0,
        evidence=_named_first(trouble),
        fix=verdict.fix,
        references=verdict.references or check.sources,
    )
    return safe(found)


def _named_first(trouble: Trouble) -> tuple[Evidence, ...]:
    """The line that the finding is about comes first: reports point there."""
    first = trouble.where.evidence
    rest = [line for line in trouble.verdict.evidence if line != first]
    return (replace(first), *rest) if trouble.verdict.status is not Status.PASS else trouble.verdict.evidence
