"""`atc` command lines: the options of one, and what the tables say of their values."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from npudoctor.data import load
from npudoctor.dataclass import dataclass
from npudoctor.matrix.chips import chips
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from npudoctor.gate.unit import Command, Where

FILE = Path(__file__).parent / "atc.yaml"
_OPEN = regex(r"\$[({]|\$\w|^\{\{|<\w")
_WRAPPERS = ("sudo", "nohup", "time", "exec", "env")
_CHIP = regex(r"(?i)(?:Ascend)?(310|910)")


@dataclass(frozen=True, slots=True)
class Option:
    """The value of an option; `known` is false while a variable in it is open."""

    text: str
    where: Where
    known: bool


@dataclass(frozen=True, slots=True)
class AtcLine:
    """A call of `atc`.

    Attributes:
        options: By name, without dashes.
        whole: Whether no word of the line is open that may hold further options.
        where: Its line.
    """

    options: Mapping[str, Option]
    whole: bool
    where: Where

    def known(self, name: str) -> Option | None:
        """An option whose value is known."""
        found = self.options.get(name)
        return found if found and found.known else None


def atc_line(command: Command) -> AtcLine | None:
    """The options of a command; None where it is no `atc` that converts a model."""
    words = command.words
    start = _start(words)
    if start is None:
        return None
    options: dict[str, Option] = {}
    whole, index = True, start + 1
    while index < len(words):
        word = words[index]
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-"):
            at = index if equals else index + 1
            text = value if equals else (words[at] if at < len(words) else "")
            options[name] = Option(text, command.place(min(at, len(words) - 1)), not _OPEN.search(text))
            index = at + 1
        else:
            whole = whole and not _OPEN.search(word)
            index += 1
    return AtcLine(options, whole, command.place(start))


def _start(words: Sequence[str]) -> int | None:
    """Where `atc` stands, alone or behind `sudo` and the like."""
    for index, word in enumerate(words[:6]):
        if word.rpartition("/")[2] == "atc":
            return index
        if word.rpartition("/")[2] not in _WRAPPERS and "=" not in word:
            return None
    return None


Soc = Literal["known", "spelling", "unknown", "open"]


def soc_version(name: str) -> tuple[Soc, list[str]]:
    """Whether `atc` knows a `--soc_version`, and the names that may be meant.

    `spelling`: only the case differs, and the name is compared with its case. `open`: of a chip that is newer
    than the tables.
    """
    known = _names()
    if name in known or _begins(name, "soc_versions"):
        return "known", []
    same = [one for one in known if one.lower() == name.lower()]
    if same:
        return "spelling", same
    if _begins(name, "open") or not _is_listed_family(name):
        return "open", []
    near = [one for one in known if one.lower().startswith(name.lower())] if len(name) > len("Ascend") else []
    return "unknown", near or get_close_matches(name, known, n=3, cutoff=0.8)


def _is_listed_family(name: str) -> bool:
    """Whether a name is of chips whose names are all listed, or of no chip at all."""
    return _CHIP.match(name) is not None or name.lower() in ("ascend", "npu", "910b", "310p", "a2", "a3")


def values_of(option: str) -> tuple[str, ...]:
    """The values that an option takes; empty for one that is not judged."""
    return next((tuple(row["values"]) for row in table()["options"] if row["name"] == option), ())


def judged_options() -> tuple[str, ...]:
    """Options whose values are listed."""
    return tuple(row["name"] for row in table()["options"])


def framework_of(model: str) -> tuple[str, str] | None:
    """The number and name of the framework that a model's file is of."""
    for row in table()["frameworks"]:
        if model.endswith(tuple(row["endings"])):
            return row["number"], row["name"]
    return None


def frameworks() -> dict[str, str]:
    """Names of frameworks by number."""
    return {row["number"]: row["name"] for row in table()["frameworks"]}


def shapes(text: str) -> dict[str, list[str]] | None:
    """`data:1,3,-1,-1;mask:1,-1` as dimensions by input; None for another form."""
    found = {}
    for part in text.strip("\"' ").rstrip(";").split(";"):
        name, colon, dims = part.rpartition(":")
        if not colon or not re.fullmatch(r"[-\d,~ ]*", dims):
            return None
        found[name.strip()] = [dim.strip() for dim in dims.split(",")] if dims.strip() else []
    return found


@lru_cache(maxsize=1)
def table() -> Any:
    """The content of `atc.yaml`."""
    return load(FILE).content


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    rows = [chip.soc_version for chip in chips() if "*" not in chip.soc_version]
    return tuple(dict.fromkeys([*rows, *table()["soc_versions"]["names"]]))


def _begins(name: str, key: str) -> bool:
    return any(name.lower().startswith(one.lower()) for one in table()[key]["beginnings"])
