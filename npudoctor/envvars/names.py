"""Names that nobody reads: seen misspellings, slips of one or two letters, unknown ones."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from npudoctor.envvars.judgement import Judgement, Kind, Variables, readable
from npudoctor.envvars.table import misspellings, table
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.fact import Evidence

_SHORT = 8
"""Shorter names are near too many others."""
_LONG = 14
"""From here on two wrong letters still leave no doubt."""


def judge_names(variables: Variables) -> Iterator[Judgement]:
    """Judge the names, whatever their values."""
    known = table().rows
    for name, value, evidence in readable(variables):
        if name in _seen():
            yield _misspelt(name, value, evidence, *_seen()[name])
        elif name not in known and name not in _real():
            yield from _unknown(name, value, evidence)


def nearest(name: str) -> str | None:
    """The one known name that `name` is very probably meant for; None where there is none, or more than one.

    Two wrong letters at most, one in a short name; names that differ in digits only are not the same.
    """
    if len(name) < _SHORT or not _is_ours(name):
        return None
    limit = 2 if len(name) >= _LONG else 1
    parts = _thirds(name)
    near = [other for other in table().rows if _comparable(name, other) and any(p in other for p in parts)]
    candidates = [(distance(name, other, limit), other) for other in near]
    close = sorted(pair for pair in candidates if pair[0] <= limit)
    if not close or (len(close) > 1 and close[0][0] == close[1][0]):
        return None
    return close[0][1]


def distance(one: str, two: str, limit: int) -> int:
    """Letters to change, add, drop or swap to make `one` out of `two`; `limit` + 1 where it is more."""
    if abs(len(one) - len(two)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(two) + 1))
    for at, letter in enumerate(one):
        older, before, row = before, row, [at + 1]
        for other in range(len(two)):
            cost = min(before[other] + (letter != two[other]), before[other + 1] + 1, row[other] + 1)
            if at and other and letter == two[other - 1] and one[at - 1] == two[other]:
                cost = min(cost, older[other - 1] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)


def _unknown(name: str, value: str, evidence: Evidence) -> Iterator[Judgement]:
    right = nearest(name)
    if right:
        yield _misspelt(name, value, evidence, right, "")
    elif _starts_with(name, misspellings()["closed"]):
        message = _("no public source knows {name}").format(name=name)
        yield Judgement(Kind.UNKNOWN, name, value, "info", message, (evidence,), (f"unset {name}",))


def _misspelt(name: str, value: str, evidence: Evidence, right: str, where: str) -> Judgement:
    source = (where,) if where else tuple(table().rows[right]["source"])
    if right:
        message = _("nothing reads {name}; {right} is meant").format(name=name, right=right)
        fix: tuple[str, ...] = (f"unset {name}", f"export {right}={quoted(value)}")
    else:
        message = _("nothing reads {name}").format(name=name)
        fix = (f"unset {name}",)
    return Judgement(Kind.MISSPELT, name, value, "warn", message, (evidence,), fix, source)


def quoted(value: str) -> str:
    """A value as a shell line takes it."""
    import shlex

    return shlex.quote(value)


def _is_ours(name: str) -> bool:
    """Whether a name starts like ours, give or take one letter of its first word."""
    if _starts_with(name, misspellings()["namespaces"]):
        return True
    first = name.partition("_")[0]
    if len(first) < 3 or first in misspellings()["foreign"] or first in _first_words():
        return False
    return any(distance(first, space, 1) <= 1 for space in misspellings()["namespaces"] if "_" not in space)


def _starts_with(name: str, spaces: Iterable[str]) -> bool:
    return name.startswith(tuple(space + "_" for space in spaces))


def _comparable(name: str, other: str) -> bool:
    return abs(len(name) - len(other)) <= 2 and _letters(name) != _letters(other)


def _thirds(name: str) -> tuple[str, str, str]:
    """Two wrong letters leave one of three parts whole: a cheap look before letters are counted."""
    one, two = len(name) // 3, 2 * len(name) // 3
    return name[:one], name[one:two], name[two:]


def _letters(name: str) -> str:
    return name.rstrip("0123456789")


@lru_cache(maxsize=1)
def _first_words() -> frozenset[str]:
    """First words of real names: `NCCL_…` or `TORCH_…` is nobody's slip."""
    return frozenset(name.partition("_")[0] for name in table().rows)


@lru_cache(maxsize=1)
def _seen() -> dict[str, tuple[str, str]]:
    return {row["wrong"]: (row.get("right", ""), row["where"]) for row in misspellings()["seen"]}


@lru_cache(maxsize=1)
def _real() -> frozenset[str]:
    rows = misspellings()
    return frozenset(rows["real"]) | {name for pair in rows["near_pairs"] for name in pair}
