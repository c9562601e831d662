"""What the user asked of a run: which checks, and which findings make it fail."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import Exit, UsageError
from npudoctor.finding import Status
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from npudoctor.checks.registry import Check
    from npudoctor.report.report import Report

SEVERITIES = (Status.FAIL, Status.UNKNOWN, Status.WARN)
"""What may make a run fail, worst first."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The user's wishes.

    Attributes:
        only: Globs of check ids (or areas); empty for all.
        skip: Globs of check ids (or areas) to leave out.
        fail_on: The statuses that end the run with exit code 1.
        exit_zero: Whether the run only reports: neither findings nor gaps change the exit code.
    """

    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    fail_on: frozenset[Status] = frozenset({Status.FAIL})
    exit_zero: bool = False

    def select(self, checks: Sequence[Check]) -> list[Check]:
        """The checks to run. A glob that matches no check is an error, or a typing slip would hide one."""
        ids = [check.id for check in checks]
        for glob in (*self.only, *self.skip):
            if not any(matches(id, glob) for id in ids):
                raise UsageError(_("no check is called {glob}").format(glob=glob), _suggestion(glob, ids))
        return [check for check in checks if self.wants(check.id)]

    def exit(self, report: Report) -> Exit:
        """The exit code that the report deserves: findings win over gaps."""
        if self.exit_zero:
            return Exit.OK
        counts = report.counts
        if any(counts[status] for status in self.fail_on):
            return Exit.FINDINGS
        return Exit.INCOMPLETE if report.incomplete else Exit.OK

    def wants(self, id: str) -> bool:
        """Whether a check is among the chosen ones."""
        wanted = not self.only or any(matches(id, glob) for glob in self.only)
        return wanted and not any(matches(id, glob) for glob in self.skip)


def matches(id: str, glob: str) -> bool:
    """Whether a check is the one named, of the area named, or matched by the glob."""
    return fnmatchcase(id, glob) or id.partition(".")[0] == glob


def parse_fail_on(text: str) -> frozenset[Status]:
    """`warn` is that status and all above it; of several, `fail,warn`, exactly those count, and `fail`."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    known = [status.value for status in SEVERITIES]
    if not words or not set(words) <= set(known):
        raise UsageError(_("--fail-on {text}: not a status").format(text=text), _("use ") + ", ".join(known))
    if len(words) == 1:
        return frozenset(SEVERITIES[: known.index(words[0]) + 1])
    return frozenset({Status.FAIL, *(Status(word) for word in words)})


def split_globs(texts: Iterable[str]) -> tuple[str, ...]:
    """Globs out of repeated options, each of which may hold several with commas between."""
    return tuple(glob.strip() for text in texts for glob in text.split(",") if glob.strip())


def _suggestion(glob: str, ids: Iterable[str]) -> str:
    from difflib import get_close_matches

    if near := get_close_matches(glob, list(ids), n=1):
        return _("did you mean {name}?").format(name=near[0])
    return _("see npudoctor explain --list")
