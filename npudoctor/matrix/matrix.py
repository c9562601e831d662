"""The matrix: its rows, and the questions that it answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from npudoctor import data
from npudoctor.matrix.row import Row, Source
from npudoctor.matrix.source import SCHEMA, matrix_data
from npudoctor.matrix.statement import Grade, Statement, Verdict, Weight
from npudoctor.words import _, language

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from npudoctor.matrix.query import Result
    from npudoctor.matrix.stacks import NamedStack

_MOST_ANSWERS = 1000


@dataclass(frozen=True)
class Matrix:
    """The compatibility matrix.

    Attributes:
        content: The file as plain data: sections of rows.
        sha256: Of the file's text.
        wanted: The stack that hosts are to be, where one was asked for.
    """

    content: Mapping[str, Any]
    sha256: str
    wanted: NamedStack | None = None

    @property
    def updated(self) -> str:
        """The day of the last change, `YYYY-MM-DD`."""
        return str(self.content["updated"])

    def query(self, given: Mapping[str, str]) -> Result:
        """Judge every pair of the given components: `{"driver": "25.0.rc1.1", "cann": "9.1.0"}`.

        Raises:
            UsageError: A key or a version that nobody knows.
        """
        asked = (language(), *given.items())
        if asked not in self._answers:
            from npudoctor.matrix.query import query

            if len(self._answers) >= _MOST_ANSWERS:
                self._answers.clear()
            self._answers[asked] = query(self, given)
        return self._answers[asked]

    def section(self, name: str) -> list[dict[str, Any]]:
        """The rows of a section as plain data; none where the file has no such section."""
        rows: list[dict[str, Any]] = self.content.get(name, [])
        return rows

    def row(self, id: str) -> Row | None:
        """The row of that id."""
        section = self._sections.get(id)
        if section is None:
            return None
        return next(self._row(section, row) for row in self.section(section) if row["id"] == id)

    def rows(self) -> Iterator[Row]:
        """All rows in the order of the file."""
        for section, rows in self.content.items():
            if isinstance(rows, list):
                yield from (self._row(section, row) for row in rows)

    def says(
        self,
        row: Mapping[str, Any],
        verdict: Verdict,
        weight: Weight,
        note: str | None = None,
        grade: Grade | None = None,
    ) -> Statement:
        """What the row says of a pair, with the row's own sources, grade and note where none is given."""
        whole = self._row("", row)
        return Statement(
            verdict=verdict,
            grade=grade or whole.grade,
            weight=weight,
            rows=(whole.id,),
            sources=tuple(source.at for source in whole.sources),
            note=_(row.get("note", "") if note is None else note),
        )

    @cached_property
    def _answers(self) -> dict[tuple[object, ...], Result]:
        """What was asked before: the hosts of a fleet have few stacks."""
        return {}

    @cached_property
    def _sections(self) -> dict[str, str]:
        return {
            row["id"]: section
            for section, rows in self.content.items()
            if isinstance(rows, list)
            for row in rows
        }

    def _row(self, section: str, row: Mapping[str, Any]) -> Row:
        return Row(section, row, self._cite(row["sources"]), self._cite(row.get("beside_sources", ())))

    def _cite(self, names: Any) -> tuple[Source, ...]:
        known = self.content["sources"]
        return tuple(Source(**known[name]) for name in names)


def load_matrix(path: Path | None = None, stack: str | None = None) -> Matrix:
    """The shipped matrix, or the one in a file of the user's; with the stack that hosts are to be.

    Raises:
        UsageError: The file cannot be read, or is wrong at file:line:column; or there is no such stack.
    """
    if stack is not None:
        from npudoctor.matrix.stacks import load_stack

        loaded = load_matrix(path)
        return replace(loaded, wanted=load_stack(loaded, stack))
    if path is None:
        shipped = matrix_data()
        return Matrix(shipped.content, shipped.sha256)
    from npudoctor.matrix.validate import validate

    read = data.read(path, SCHEMA)
    validate(path.read_bytes(), str(path))
    return Matrix(read.content, read.sha256)
