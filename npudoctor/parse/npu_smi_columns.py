"""Which value of a row belongs to which column of `npu-smi info`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_VALUE = regex(r"[^\s/]+\s*/\s*[^\s/]*|[^\s/]+")
_NEAR = 1
"""A value starts under the first letter of its label, or one place beside it."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a cell that holds several.

    Attributes:
        name: Of the field, `hbm`.
        label: As the header prints it.
        pair: Whether its values are `used / total`.
        start: Where the label starts in the header row; -1 where the header is missing.
    """

    name: str
    label: str
    pair: bool
    start: int = -1


@dataclass(frozen=True, slots=True)
class Value:
    """One number, or one pair of numbers, and where it starts in its row."""

    text: str
    start: int

    @property
    def pair(self) -> bool:
        """Whether it is `used / total`."""
        return "/" in self.text


UPPER = (
    Column("power", "Power(W)", False),
    Column("temperature", "Temp(C)", False),
    Column("hugepages", "Hugepages-Usage(page)", True),
)
LOWER = (
    Column("aicore", "AICore(%)", False),
    Column("aicore", "NPU Util(%)", False),
    Column("memory", "Memory-Usage(MB)", True),
    Column("hbm", "HBM-Usage(MB)", True),
)
LOWER_WITHOUT_HEADER = tuple(column for column in LOWER if column.label != "NPU Util(%)")
HEAD = (Column("chip", "Chip", False), Column("device", "Device", False), Column("phy", "Phy-ID", False))


def columns_of(header: str, known: Iterable[Column]) -> tuple[Column, ...]:
    """The known columns that a header row names, with their places."""
    found = [(header.find(column.label), column) for column in known]
    return tuple(Column(c.name, c.label, c.pair, start) for start, c in found if start >= 0)


def split_values(cell: str, start: int, cut: bool) -> list[Value]:
    """The values of one cell that begins at `start` of its row; without the last one of a cut cell."""
    cell = re.sub(r"N/A", "NA ", cell)
    found = [Value(match.group(), start + match.start()) for match in _VALUE.finditer(cell)]
    return found[:-1] if cut else found


def assign(values: list[Value], columns: tuple[Column, ...]) -> dict[str, str]:
    """The text of each value by the name of its column.

    As many numbers (and as many pairs) as columns for them: by their order. Else only a value that
    starts under its label is assigned: a guess would be an invention.
    """
    return dict((*_assign(values, columns, pair=False), *_assign(values, columns, pair=True)))


def _assign(values: list[Value], columns: tuple[Column, ...], *, pair: bool) -> Iterator[tuple[str, str]]:
    values = [value for value in values if value.pair is pair]
    columns = tuple(column for column in columns if column.pair is pair)
    if len(values) == len(columns):
        yield from ((column.name, value.text) for column, value in zip(columns, values, strict=True))
        return
    for column in columns:
        under = [v.text for v in values if column.start >= 0 and abs(v.start - column.start) <= _NEAR]
        if len(under) == 1:
            yield column.name, under[0]
