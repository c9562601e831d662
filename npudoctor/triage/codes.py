"""The error codes of every layer: what each means, from which source, and what other layers call it."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = Path(__file__).with_name("codes.yaml")

_EVENT = len("0x80E01809")
_LONG = len("117571606")
IN_NUMBERS_OF_ACL = ("acl", "aclnn", "ge")
"""Families that share one space of six-digit numbers."""


@dataclass(frozen=True, slots=True)
class Code:
    """One code of one family.

    Attributes:
        family: As in the report: `acl`, `rt`, `cann`…
        code: The token as the tables write it: `507018`, `0x7020010`, `-8005`, `EI0006`.
        name: The symbol; empty where there is none.
        meaning: One sentence.
        cause: What is usually behind it; may be empty, and so may `fix`.
        fix: What usually helps.
        others: The same event as other layers number it, as (family, code).
        catch_all: Whether the code names no cause.
        kind: Of an error word of the AI Core: `hardware`, `address`, `software`, or a mix of them.
        handling: Of a health event: the word of the device plugin for what it does about it.
        source: Where this is known from.
    """

    family: str
    code: str
    name: str
    meaning: str
    cause: str = ""
    fix: str = ""
    others: tuple[tuple[str, str], ...] = ()
    catch_all: bool = False
    kind: str = ""
    handling: str = ""
    source: str = ""


class Codes:
    """All codes, by family and token, and by symbol.

    Attributes:
        dated: When the sources were read, `YYYY-MM`.
        levels: What the device plugin does, by its word for it.
    """

    def __init__(self, content: dict[str, Any]) -> None:
        self.dated: str = content["dated"]
        self.levels: dict[str, str] = content["levels"]
        self._codes = {(code.family, code.code): code for code in _codes(content)}
        self._named: dict[str, list[Code]] = defaultdict(list)
        for code in self._codes.values():
            self._named[code.name].append(code)

    def __iter__(self) -> Iterator[Code]:
        return iter(self._codes.values())

    def get(self, family: str, code: str) -> Code | None:
        """The code of a family, its token written as the tables write it."""
        return self._codes.get((family, code))

    def number(self, code: str) -> Code | None:
        """A six-digit number of ACL, aclnn or the graph engine."""
        return next((found for name in IN_NUMBERS_OF_ACL if (found := self.get(name, code))), None)

    def named(self, name: str) -> list[Code]:
        """The codes with this symbol, in the order of the table."""
        return self._named.get(name, [])

    def anywhere(self, word: str) -> list[Code]:
        """What a person may mean by a word: a token in any spelling, or a symbol."""
        event = f"0x{word.upper().removeprefix('0X')}"
        spelt = {word, word.upper(), word.lower(), _hexadecimal(word), event if len(event) == _EVENT else ""}
        return [code for code in self if code.code in spelt or (code.name and code.name == word.upper())]


def hexadecimal(number: int) -> str:
    """As the tables write the codes of the runtime: `0x7020010`."""
    return f"0x{number:x}"


@cache
def codes() -> Codes:
    """The codes that ship with npudoctor."""
    return Codes(load(FILE).content)


def _hexadecimal(word: str) -> str:
    """A number as the tables write hexadecimal ones; long decimal ones are inner codes of the runtime."""
    try:
        is_hexadecimal = word.lower().startswith("0x") or len(word) >= _LONG
        return hexadecimal(int(word, 0)) if is_hexadecimal else ""
    except ValueError:
        return ""


def _codes(content: dict[str, Any]) -> Iterator[Code]:
    for group in content["groups"]:
        for row in group["codes"]:
            yield _code(group["family"], group["source"], row)


def _code(family: str, source: str, row: dict[str, Any]) -> Code:
    others = tuple((kind, code) for kind, code in (text.split(" ", 1) for text in row.get("is", ())))
    return Code(
        family,
        row["code"],
        row.get("name", ""),
        row["meaning"],
        row.get("cause", ""),
        row.get("fix", ""),
        others,
        "catch_all" in row,
        row.get("kind", ""),
        row.get("handling", ""),
        source,
    )
