"""What came of a run, host by host: one word, why, before and after, and what to type next."""

from __future__ import annotations

from dataclasses import field, fields
from enum import Enum
from typing import TYPE_CHECKING, Any

from npudoctor import __version__
from npudoctor.dataclass import dataclass
from npudoctor.errors import Exit
from npudoctor.provision.planned import Outcome
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from npudoctor.provision.planned import HostPlan

SCHEMA = "npudoctor.provision/1"


class Word(str, Enum):
    """How a host ended. The words are fixed."""

    CONVERGED = "converged"
    DONE = "done"
    BLOCKED = "blocked"
    ROLLED_BACK = "rolled-back"
    STUCK = "stuck"
    LOST = "lost"
    PAUSED = "paused"
    NOT_REACHED = "not-reached"


GOOD = (Word.CONVERGED, Word.DONE)
FINAL = (Word.DONE, Word.ROLLED_BACK, Word.STUCK)
"""Ends that the host's own record tells: a run that is resumed has nothing more to do there."""
UNREACHED = (Word.LOST, Word.NOT_REACHED)
WORST_FIRST = (
    Word.STUCK, Word.LOST, Word.ROLLED_BACK, Word.BLOCKED, Word.PAUSED, Word.NOT_REACHED, Word.DONE,
    Word.CONVERGED,
)  # fmt: skip

_LISTS = ("boots", "steps", "settings", "kept")


@dataclass(frozen=True, slots=True)
class HostResult:
    """One host.

    Attributes:
        key: Stable key of why it did not get where it should; empty where it did.
        message: The same in a sentence.
        before: Version by component, as it was.
        after: As it is; empty where nobody could look.
        boots: The boot ids in which it was seen, in order.
        seconds: How long each phase took.
        steps: Components that were begun, in order.
        settings: Settings that were to be changed, of a host that was: `host_tuning.stack`.
        kept: Components that stay as the stack wants them although the host went back: they had verified.
        log: Path on the host of the log of what failed; empty where there is none.
        bundle: The file that holds what it said of itself before it was undone.
        next: A command to type.
    """

    name: str
    word: Word
    key: str = ""
    message: str = ""
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)
    boots: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    steps: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    log: str = ""
    bundle: str = ""
    next: str = ""


@dataclass(frozen=True, slots=True)
class RunResult:
    """A whole run.

    Attributes:
        brake: Why hosts were left out although nothing is wrong with them; empty where none was.
        seconds: How long it took.
        interrupted: Whether Ctrl-C ended it.
        folder: Its folder.
        staged: Bytes of packages by where they came from: `controller`, `rack` or `mirror`.
        words: What `resume` and `retry` have to be given to find it.
    """

    run: str
    stack: str
    hosts: tuple[HostResult, ...]
    seconds: float
    brake: str = ""
    interrupted: bool = False
    folder: str = ""
    rollback: bool = False
    staged: dict[str, int] = field(default_factory=dict)
    words: str = ""


_FIELDS = frozenset(each.name for each in fields(HostResult))


def result_without(host: HostPlan) -> HostResult:
    """What is told of a host of the plan that this process did not turn to."""
    first = host.blockers[0] if host.blockers else None
    key, message = (first.key, first.message) if first else ("", "")
    if host.outcome is Outcome.CONVERGED:
        return HostResult(host.name, Word.CONVERGED, message=host.why, before=host.before, after=host.before)
    if host.outcome is Outcome.NOT_REACHED:
        return HostResult(host.name, Word.NOT_REACHED, key or "unreachable", host.why or message)
    if host.outcome is Outcome.CHANGE:
        message = _("the inventory does not name it any more: it is wherever the run left it")
        return HostResult(host.name, Word.PAUSED, "not-in-inventory", message, before=host.before)
    return HostResult(host.name, Word.BLOCKED, key, message, before=host.before, after=host.before)


def settings_of(host: HostPlan) -> tuple[str, ...]:
    """What its steps change that is no version."""
    changes = (change.what for step in host.steps for change in step.changes)
    return tuple(what for what in changes if "." in what)


def exit_of(result: RunResult) -> Exit:
    """0 only where every host is as it should be; a failure wins over what could not be reached."""
    if result.interrupted:
        return Exit.INTERRUPTED
    good = (*GOOD, Word.ROLLED_BACK) if result.rollback else GOOD
    words = {host.word for host in result.hosts}
    if any(word not in (*good, *UNREACHED) for word in words) or result.brake:
        return Exit.FINDINGS
    return Exit.INCOMPLETE if words & {*UNREACHED} else Exit.OK


def counts(hosts: Iterable[HostResult]) -> dict[str, int]:
    """How many hosts ended with each word, the worst first; words that no host has are left out."""
    words = [host.word for host in hosts]
    return {word.value: words.count(word) for word in WORST_FIRST if word in words}


def as_json(result: RunResult) -> dict[str, Any]:
    """The report, as `docs/provision.schema.json` has it."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "npudoctor", "version": __version__},
        "run": result.run,
        "folder": result.folder,
        "stack": result.stack,
        "rollback": result.rollback,
        "seconds": round(result.seconds, 1),
        "brake": result.brake or None,
        "interrupted": result.interrupted,
        "staged_bytes": {source: size for source, size in sorted(result.staged.items()) if size},
        "summary": {"hosts": len(result.hosts), **counts(result.hosts)},
        "hosts": [host_as_json(host) for host in result.hosts],
    }


def host_as_json(host: HostResult) -> dict[str, Any]:
    """One host of the report."""
    return {
        "name": host.name,
        "word": host.word.value,
        "key": host.key or None,
        "message": host.message or None,
        "before": host.before,
        "after": host.after,
        "boots": list(host.boots),
        "seconds": {phase: round(seconds, 1) for phase, seconds in host.seconds.items()},
        "steps": list(host.steps),
        "settings": list(host.settings),
        "kept": list(host.kept),
        "log": host.log or None,
        "bundle": host.bundle or None,
        "next": host.next or None,
    }


def host_of_json(plain: Mapping[str, Any]) -> HostResult:
    """One host, out of a report or a journal; what is not in there is left open."""
    given = {name: value for name, value in plain.items() if name in _FIELDS and value is not None}
    lists: dict[str, Any] = {name: tuple(given[name]) for name in _LISTS if name in given}
    return HostResult(**(given | lists | {"word": Word(given["word"])}))
