"""The rows of a pasted `npu-smi info` table, each with its kind."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.parse.npu_smi_text import is_nothing, is_number, plain_lines
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator


class Kind(Enum):
    """What a row is, by what stands in it."""

    BORDER = auto()
    ELLIPSIS = auto()
    TITLE = auto()
    UPPER_HEADER = auto()
    LOWER_HEADER = auto()
    UPPER = auto()
    LOWER = auto()
    PROCESS_HEADER = auto()
    PROCESS = auto()
    IDLE = auto()
    STRANGE = auto()


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        text: From the left bar to the right one.
        cells: Between the bars. Of a cut row, the last cell is what was left of it.
        cut: The closing bar is missing: the last word may be half a word.
    """

    kind: Kind
    text: str
    cells: tuple[str, ...] = ()
    cut: bool = False

    @property
    def head(self) -> str:
        """The cells before the last two, as one: 950 has the id and the name in cells of their own."""
        return " ".join(self.cells[:-2])

    @property
    def middle(self) -> str:
        """Health in the upper row of a chip, bus id in the lower one."""
        return self.cells[-2].strip()


BUS_ID = regex(r"(?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]")
_TIME_OR_QUOTE = regex(r"^(?:\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,]*\S*|>))+\s*")
_REMARK = regex(r"\|\s*(?:<-|#|//|←).*$")
_BORDER = regex(r"[+|][-=+|]{4,}|\+[-=]*")
_ELLIPSIS = regex(r"[|\s]*(?:\.{3,}|…+|\[\.{3}\]|<snip>)[|\s.…]*")
_ID_AND_NAME = regex(r"\d+(?:\s+[\w.-]+)?")
_HEALTH = regex(r"(?=\w*[A-Za-z])\w{1,20}")
_NUMERIC_NAMES = ("310", "910")


def table_rows(text: str) -> Iterator[Row]:
    """The lines that are part of a table, whatever stands around them."""
    for printed in plain_lines(text):
        line = _REMARK.sub("|", _TIME_OR_QUOTE.sub("", printed)).strip()
        if _BORDER.fullmatch(line.replace(" ", "")):
            yield Row(Kind.BORDER, line)
        elif _ELLIPSIS.fullmatch(line):
            yield Row(Kind.ELLIPSIS, line)
        elif (cells := _cells(line)) and "".join(cells).strip():
            yield Row(_kind(line, cells), line, cells, not line.endswith("|"))


def _cells(line: str) -> tuple[str, ...]:
    first, *others = line.split("|")
    if first and not (len(others) > 1 and _ID_AND_NAME.fullmatch(first.strip())):
        return ()
    cells = ([first] if first else []) + others
    return tuple(cells[:-1] if line.endswith("|") else cells)


def _kind(line: str, cells: tuple[str, ...]) -> Kind:
    lower = line.lower()
    if re.match(r"\|\s*npu-smi\s", lower):
        return Kind.TITLE
    if "no running process" in lower:
        return Kind.IDLE
    if "process id" in lower:
        return Kind.PROCESS_HEADER
    if "bus-id" in lower:
        return Kind.LOWER_HEADER
    if any(cell.strip().lower() == "health" for cell in cells):
        return Kind.UPPER_HEADER
    return _data_kind(cells)


def _data_kind(cells: tuple[str, ...]) -> Kind:
    if len(cells) in (4, 5) and is_number(cells[1].strip()) and _process_place(cells[0].split()):
        return Kind.PROCESS
    if len(cells) not in (3, 4):
        return Kind.STRANGE
    words, middle = " ".join(cells[:-2]).split(), cells[-2].strip()
    if BUS_ID.fullmatch(middle):
        return Kind.LOWER
    named = len(words) > 1 and (words[1] in _NUMERIC_NAMES or not _numbers(words[1:]))
    healthy = bool(_HEALTH.fullmatch(middle)) and not is_nothing(middle)
    if named and is_number(words[0]) and (healthy or is_nothing(middle)):
        return Kind.UPPER
    return Kind.LOWER if len(words) < 3 and _numbers(words) and not healthy else Kind.STRANGE


def _process_place(words: list[str]) -> bool:
    return bool(words) and is_number(words[0]) and _numbers(words)


def _numbers(words: list[str]) -> bool:
    return all(is_number(word) or is_nothing(word) for word in words)
