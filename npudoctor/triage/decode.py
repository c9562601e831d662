"""The error codes in one line of a log, each by the family that its context gives it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.dataclass import dataclass
from npudoctor.regex import regex
from npudoctor.triage.codes import Code, Codes, codes, hexadecimal
from npudoctor.triage.words import prepared
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

FILE = Path(__file__).with_name("forms.yaml")

_EVENT = regex(r"[0-9A-Fa-f]{8}")
_SIGNALS = {"4": "SIGILL", "6": "SIGABRT", "7": "SIGBUS", "8": "SIGFPE", "9": "SIGKILL", "11": "SIGSEGV"}
_SIGNAL_WORDS = {
    "segmentation fault": "SIGSEGV",
    "segfault": "SIGSEGV",
    "bus error": "SIGBUS",
    "illegal instruction": "SIGILL",
    "aborted (core dumped": "SIGABRT",
    "段错误": "SIGSEGV",
    "总线错误": "SIGBUS",
    "非法指令": "SIGILL",
    "已放弃": "SIGABRT",
}


@dataclass(frozen=True, slots=True)
class Form:
    """One way in which codes stand in a line; see `forms.yaml`.

    Attributes:
        family: Whose codes they are; `number` for the three families that share one space of numbers.
        literals: The line must hold one of them, in small letters; empty: it need not.
        seek: What picks its lines out of a large log, in small letters; all of its codes where it is None.
        near: What the line must hold as well, or None.
        as_written: Whether capital letters matter; else the pattern is for the line in small letters.
        pattern: Finds the token.
        tokens: From what the pattern found to the tokens as the tables write them.
        strict: Whether a token that no table has is a code too.
    """

    family: str
    literals: tuple[str, ...]
    seek: tuple[str, ...] | None
    near: re.Pattern[str] | None
    as_written: bool
    pattern: re.Pattern[str]
    tokens: Callable[[re.Match[str]], Iterable[str]]
    strict: bool


def decode(line: str) -> list[Code]:
    """The codes in a line, each once, in the order of the forms; none where no context makes a number one."""
    small = line.lower()
    table, here = codes(), prepared(_literals()).found_in(small)
    found: dict[tuple[str, str], Code] = {}
    for form in forms():
        if form.literals and here.isdisjoint(form.literals):
            continue
        for code in _in(form, line, small, table):
            found.setdefault((code.family, code.code), code)
    return list(found.values())


@cache
def forms() -> Sequence[Form]:
    """The forms that ship with npudoctor."""
    return tuple(_form(row) for row in load(FILE).content["forms"])


@cache
def _literals() -> frozenset[str]:
    return frozenset(literal for form in forms() for literal in form.literals)


def _in(form: Form, line: str, small: str, table: Codes) -> Iterator[Code]:
    if form.near and not form.near.search(line):
        return
    for found in form.pattern.finditer(line if form.as_written else small):
        for token in form.tokens(found):
            yield from _known(form, token, table)


def _known(form: Form, token: str, table: Codes) -> Iterator[Code]:
    if form.family == "name":
        yield from _named(token, table)
        return
    code = table.number(token) if form.family == "number" else table.get(form.family, token)
    if code is None and form.family == "aicore":
        code = _bits(token, table)
    if code:
        yield code
    elif form.strict:
        yield Code(form.family, token, "", "no table that npudoctor has knows this code")


def _named(symbol: str, table: Codes) -> Iterator[Code]:
    """A symbol, and what it is called by number."""
    known = table.named(symbol) or [code for code in [table.get("name", symbol)] if code]
    for code in known:
        yield code
        if code.family == "name":
            yield from (other for pair in code.others if (other := table.get(*pair)))
    if not known:
        yield Code("name", symbol, symbol, N_("no table that npudoctor has knows this symbol"))


def _bits(token: str, table: Codes) -> Code | None:
    """An AI Core error word with several bits: what each of them says."""
    meanings: list[str] = []
    for place, word in enumerate(int(text, 16) for text in token.split(",")):
        for bit in (1 << number for number in range(64) if word >> number & 1):
            single = ",".join(hexadecimal(bit) if at == place else "0" for at in range(3))
            known = table.get("aicore", single)
            meanings += [_(known.meaning)] if known else []
    return Code("aicore", token, "", "; ".join(meanings)) if meanings else None


def _form(row: dict[str, Any]) -> Form:
    near, literals = row.get("near"), tuple(row.get("literals", ()))
    seek = row.get("seek", literals)
    as_written = row["family"] in _AS_WRITTEN
    return Form(
        row["family"],
        literals,
        None if seek == "codes" else tuple(seek),
        regex(near) if near else None,
        as_written,
        regex(row["pattern"] if as_written else _small(row["pattern"])),
        _error_words if row["family"] == "aicore" else _TOKENS[row.get("base")],
        row.get("strict", False),
    )


def _small(pattern: str) -> str:
    """The same for text in small letters: five times as fast as to look for both. `\\S` and its like stay."""
    return re.sub(r"\\.|[A-Z]", lambda found: found[0] if found[0][0] == "\\" else found[0].lower(), pattern)


_AS_WRITTEN = ("cann", "torch_npu", "mindie", "name", "hccl", "drv")
"""Families whose forms hold only in the letters that they are written in."""


def _as_it_stands(found: re.Match[str]) -> list[str]:
    return [next(group for group in found.groups() if group)]


def _of_base(base: int) -> Callable[[re.Match[str]], list[str]]:
    return lambda found: [hexadecimal(int(found[1], base))]


def _in_decimal(found: re.Match[str]) -> list[str]:
    return [str(int(found[1], 16))]


def _of_hccl(found: re.Match[str]) -> list[str]:
    return [str(int(found[1][-2:], 16))]


def _of_hccl_in_decimal(found: re.Match[str]) -> list[str]:
    return [str(int(found[1]) & 0xFF)]


def _events(found: re.Match[str]) -> list[str]:
    return ["0x" + word.upper() for word in _EVENT.findall(found[1])]


def _signal(found: re.Match[str]) -> list[str]:
    word = (found[1] or "").lower()
    if not word:
        return []
    told = next((name for start, name in _SIGNAL_WORDS.items() if word.startswith(start)), None)
    return [told or _SIGNALS.get(word.split()[-1], word.upper())]


def _exit(found: re.Match[str]) -> list[str]:
    """A negative number is a signal, as Python tells it; a shell adds 128."""
    number = int(found[1])
    return [str(128 - number if number < 0 else number)]


def _error_words(found: re.Match[str]) -> list[str]:
    words = [hexadecimal(int(text, 16)) if int(text, 16) else "0" for text in found.groups()]
    return [",".join([*words, "0", "0"][:3])]


_TOKENS: dict[Any, Callable[[re.Match[str]], Iterable[str]]] = {
    None: _as_it_stands,
    10: _of_base(10),
    16: _of_base(16),
    "decimal": _in_decimal,
    "hccl": _of_hccl,
    "hccl10": _of_hccl_in_decimal,
    "event": _events,
    "signal": _signal,
    "exit": _exit,
}
