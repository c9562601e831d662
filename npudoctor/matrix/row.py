"""One row of the matrix, as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from npudoctor.dataclass import dataclass
from npudoctor.matrix.statement import Grade
from npudoctor.words import _

_SHOWN_APART = ("id", "sources", "note", "beside", "beside_sources", "grade")


@dataclass(frozen=True, slots=True)
class Source:
    """Who says something, where, and when it was read (`YYYY-MM`).

    Attributes:
        by: `vendor`, `project`, `third-party` or `field`.
        at: URL, or REPOSITORY:PATH@COMMIT on GitHub.
    """

    by: str
    read: str
    at: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its section, its content, its sources."""

    section: str
    content: Mapping[str, Any]
    sources: tuple[Source, ...]
    beside: tuple[Source, ...] = ()

    @property
    def id(self) -> str:
        """The row's name in `explain` and in reports."""
        return str(self.content["id"])

    @property
    def grade(self) -> Grade:
        """As the row states it, else the best of its sources."""
        if "grade" in self.content:
            return Grade(self.content["grade"])
        spoken = any(source.by in ("vendor", "project") for source in self.sources)
        return Grade.VENDOR if spoken else Grade.FIELD

    @property
    def summary(self) -> str:
        """The row's own fields on one line: `cann 8.5.0, driver 25.0.X 25.2.X`."""
        fields = (f"{key} {shown(value)}" for key, value in self.content.items() if key not in _SHOWN_APART)
        return ", ".join(fields)

    def explain(self) -> str:
        """What the row says, from whom, when it was read, and what others say beside it."""
        lines = [f"{self.id} ({self.section}, {self.grade.value})", f"  {self.summary}"]
        if note := self.content.get("note"):
            lines.append(f"  {_(note)}")
        lines += [_("Sources:"), *(_cited(source) for source in self.sources)]
        if beside := self.content.get("beside"):
            lines += [_("What public sources say beside it:"), *(f"  {line}" for line in beside)]
            lines += [_cited(source) for source in self.beside]
        return "\n".join(lines)


def shown(value: Any) -> str:
    """A field's value as a person would write it."""
    if isinstance(value, Mapping):
        return " ".join(f"{key} {shown(part)}" for key, part in value.items())
    if isinstance(value, list):
        return " | ".join(shown(part) for part in value)
    return str(value)


def _cited(source: Source) -> str:
    return "  " + _("{at} ({by}, read {read})").format(at=source.at, by=source.by, read=source.read)
