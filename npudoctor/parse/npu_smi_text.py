"""Lines, cells and numbers as npu-smi prints them, in text that was pasted, edited or cut off."""

from __future__ import annotations

from npudoctor.regex import regex

_FULLWIDTH = str.maketrans("：｜／（）％＋＝－│┃\u00a0\u3000", ":|/()%+=-||  ")
_NOTHING = {"", "na", "-", "--"}
_INTEGER = regex(r"-?[0-9]{1,18}")
_DECIMAL = regex(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?")


class Malformed(ValueError):
    """A cell that is neither a number nor one of the words for "none"."""


def plain_lines(text: str) -> list[str]:
    """The lines, with the fullwidth and box-drawing signs of chat programs made plain."""
    return text.translate(_FULLWIDTH).split("\n")


def is_nothing(cell: str) -> bool:
    """Whether the tool printed that there is no value: blank, `NA`, `N/A` or `-`."""
    return cell.strip().replace("/", "").lower() in _NOTHING


def is_number(word: str) -> bool:
    """Whether it is a whole number of a plausible length, in ASCII digits."""
    return word.isascii() and word.isdecimal() and len(word) < 19


def word(cell: str) -> str | None:
    """The cell as printed; None where the tool has no value."""
    return None if is_nothing(cell) else cell.strip()


def integer(cell: str) -> int | None:
    """A whole number; None where the tool has no value; raises `Malformed` for anything else."""
    if is_nothing(cell):
        return None
    if not _INTEGER.fullmatch(cell.strip()):
        raise Malformed(cell.strip())
    return int(cell)


def decimal(cell: str) -> float | None:
    """A decimal number; None where the tool has no value; raises `Malformed` for anything else."""
    if is_nothing(cell):
        return None
    if not _DECIMAL.fullmatch(cell.strip()):
        raise Malformed(cell.strip())
    return float(cell)
