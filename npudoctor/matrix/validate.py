"""What the schema cannot say: ids are unique, sources are named, stacks go together.

Errors come with file, line and column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor import data
from npudoctor.errors import UsageError
from npudoctor.matrix.pattern import versions_of
from npudoctor.matrix.source import SCHEMA
from npudoctor.matrix.stack import SERIES
from npudoctor.matrix.statement import Verdict
from npudoctor.versions import VersionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_NO_VERSIONS = ("declared", "chips")
"""Sections where a component's key holds something else: inner baselines, names."""


def validate(text: bytes, name: str) -> int:
    """Check the text of a matrix file. Returns how many rows it has.

    Raises:
        UsageError: `name:line:column: what is wrong`, for the first thing that is wrong.
    """
    import yaml

    content = data.parse(text, name, SCHEMA)
    root = yaml.compose(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    seen: dict[str, str] = {}
    rows = 0
    for section, number, row in _rows(content):
        rows += 1
        _unique(seen, row["id"], f"{name}:{data.place(root, [section, number, 'id'])}")
        if section not in _NO_VERSIONS:
            _versions(row, lambda *steps, at=(section, number): f"{name}:{data.place(root, [*at, *steps])}")
        for key in ("sources", "beside_sources"):
            for at, source in enumerate(row.get(key, ())):
                if source not in content["sources"]:
                    where = f"{name}:{data.place(root, [section, number, key, at])}"
                    raise UsageError(f"{where}: no source is named {source}", "add it to the list `sources`")
    _stacks_hold(content, lambda number: f"{name}:{data.place(root, ['stacks', number, 'id'])}")
    return rows


def validate_file(path: Path) -> int:
    """Check a matrix file. Returns how many rows it has.

    Raises:
        UsageError: As `validate`, or the file cannot be read.
    """
    data.read(path, SCHEMA)
    return validate(path.read_bytes(), str(path))


def _unique(seen: dict[str, str], id: str, where: str) -> None:
    if id in seen:
        raise UsageError(f"{where}: the id {id} is there twice, first at {seen[id]}", "give it another id")
    seen[id] = where


def _versions(row: dict[str, Any], where: Callable[..., str]) -> None:
    """Every version in the row can be read."""
    for key, series in SERIES.items():
        for at, text in enumerate(_listed(row.get(key))):
            steps = (key, at) if isinstance(row[key], list) else (key,)
            try:
                versions_of(text, series)
            except VersionError as error:
                raise UsageError(f"{where(*steps)}: {error}", "8.5.0, 25.5.X or >=24.1.RC1") from None


def _stacks_hold(content: dict[str, Any], where: Callable[[int], str]) -> None:
    """Every pair of a stack is supported by the rows of this same file, or taken with caution and a note."""
    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.query import query
    from npudoctor.matrix.stacks import stacks

    matrix = Matrix(content, "")
    for number, stack in enumerate(stacks(matrix)):
        allowed = (Verdict.SUPPORTED, Verdict.CAUTION) if stack.note else (Verdict.SUPPORTED,)
        for pair in query(matrix, stack.asked).pairs:
            if pair.verdict not in allowed:
                sides = " and ".join(f"{one.component} {one.version}" for one in (pair.left, pair.right))
                what = f"{where(number)}: {stack.name}: {sides}: {pair.verdict.value}"
                raise UsageError(what, f"{pair.note or 'change one of them'} (caution needs a note)")


def _listed(value: Any) -> list[str]:
    texts = value if isinstance(value, list) else [value]
    return [text for text in texts if isinstance(text, str)]


def _rows(content: dict[str, Any]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for section, rows in content.items():
        if isinstance(rows, list):
            yield from ((section, number, row) for number, row in enumerate(rows))
