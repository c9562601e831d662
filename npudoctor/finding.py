"""The one type that every judge ends in and every report starts from."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact

if TYPE_CHECKING:
    from collections.abc import Iterable


class Status(str, Enum):
    """How a check ended. The words are fixed; `unknown` is never a pass."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"
    SKIP = "skip"
    WAIVED = "waived"


WORST_FIRST = (Status.FAIL, Status.UNKNOWN, Status.WARN, Status.WAIVED, Status.PASS, Status.SKIP)


class Action(str, Enum):
    """The next step of the person, in one word."""

    REBOOT = "reboot"
    REINSTALL = "reinstall"
    UPGRADE = "upgrade"
    CONFIGURE = "configure"
    FREE = "free"
    RESEAT = "reseat"
    VENDOR = "vendor"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a file that mends it.

    Attributes:
        path: The file, as the user would type it.
        line: The first line that changes, from 1.
        before: The line (or the lines) as they stand, without the last line end.
        after: What stands there then; empty where they go.
    """

    path: str
    line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Fix:
    """How to mend it.

    Attributes:
        action: The next step in one word.
        summary: One sentence.
        commands: Lines that a person can paste, in order.
        role: The Ansible role that does the same on many hosts, where there is one.
        edits: The same as changes of the judged files.
    """

    action: Action
    summary: str
    commands: tuple[str, ...] = ()
    role: str | None = None
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check function says: the finding without the check's own name and title."""

    status: Status
    actual: str
    expected: str = ""
    evidence: tuple[Evidence, ...] = ()
    fix: Fix | None = None
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's verdict on one host (or on the fleet), as every report reads it."""

    id: str
    status: Status
    title: str
    actual: str
    expected: str
    action: Action
    seconds: float
    evidence: tuple[Evidence, ...]
    fix: Fix | None
    references: tuple[str, ...]
    waiver: str | None = None


Proof = Fact[Any] | Evidence


def ok(*proofs: Proof, actual: str = "", expected: str = "") -> Verdict:
    """It was looked at and is right."""
    return _verdict(Status.PASS, proofs, actual, expected, None, ())


def warn(
    *proofs: Proof,
    actual: str = "",
    expected: str = "",
    fix: Fix | None = None,
    references: Iterable[str] = (),
) -> Verdict:
    """It may hurt."""
    return _verdict(Status.WARN, proofs, actual, expected, fix, references)


def fail(
    *proofs: Proof,
    actual: str = "",
    expected: str = "",
    fix: Fix | None = None,
    references: Iterable[str] = (),
) -> Verdict:
    """It will break, or is breaking."""
    return _verdict(Status.FAIL, proofs, actual, expected, fix, references)


def unknown(
    *proofs: Proof,
    actual: str,
    expected: str = "",
    fix: Fix | None = None,
    references: Iterable[str] = (),
) -> Verdict:
    """It could not be known; `actual` says why."""
    return _verdict(Status.UNKNOWN, proofs, actual, expected, fix, references)


def skip(why: str) -> Verdict:
    """The check does not apply to this host; `why` says so in a few words."""
    return Verdict(Status.SKIP, actual=why)


def _verdict(
    status: Status,
    proofs: tuple[Proof, ...],
    actual: str,
    expected: str,
    fix: Fix | None,
    references: Iterable[str],
) -> Verdict:
    return Verdict(status, actual or _actual(proofs), expected, _evidence(proofs), fix, tuple(references))


def _actual(proofs: tuple[Proof, ...]) -> str:
    values = [str(proof.value) for proof in proofs if isinstance(proof, Fact) and proof.known]
    return ", ".join(values)


def _evidence(proofs: tuple[Proof, ...]) -> tuple[Evidence, ...]:
    lines: list[Evidence] = []
    for proof in proofs:
        lines.extend(proof.evidence if isinstance(proof, Fact) else (proof,))
    return tuple(dict.fromkeys(lines))
