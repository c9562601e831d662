"""Compare the facts of two hosts: every fact a name and a text."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.host import AREAS
from npudoctor.report.diff.difference import FactChange
from npudoctor.report.facts import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.host import Host

_NAMES = ("path", "root", "name", "address", "mount", "point", "unit", "npu", "device")
"""What names a member of a list, first found first; the ids of a chip go before."""


@lru_cache(maxsize=1)
def table() -> dict[str, list[str]]:
    """`facts.yaml`; read once a run."""
    content: dict[str, list[str]] = load(Path(__file__).with_name("facts.yaml")).content
    return content


def compare_facts(before: Host, after: Host, *, verbose: bool = False) -> tuple[FactChange, ...]:
    """The facts that differ, the most important first; `verbose`: also what changes by itself."""
    left, right = _facts(before), _facts(after)
    changed = [name for name in dict.fromkeys([*left, *right]) if left.get(name) != right.get(name)]
    ranks = {name: _rank(name) for name in changed}
    told = [name for name in changed if ranks[name] < (_LAST if not verbose else _NEVER)]
    return tuple(
        FactChange(name, left.get(name), right.get(name)) for name in sorted(told, key=ranks.__getitem__)
    )


_LAST, _NEVER = 10_000, 20_000


def _rank(name: str) -> int:
    """The place in the table; `_LAST` for what is told with -v only, `_NEVER` for what never is."""
    if any(fnmatchcase(name, pattern) for pattern in table()["never"]):
        return _NEVER
    for place, pattern in enumerate(table()["shown"]):
        if fnmatchcase(name, pattern):
            return place
    return _LAST


def _facts(host: Host) -> dict[str, str]:
    return dict(pair for area in AREAS for pair in _flat(plain(getattr(host, area)), area))


def _flat(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if value.keys() == {"value", "source"}:
            yield from _flat(value["value"], name)
        elif value.keys() != {"unavailable"}:  # what could not be read is told by the findings
            for key, item in value.items():
                yield from _flat(item, f"{name}.{key}")
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _flat(item, f"{name}[{_named(item, place)}]")
    elif value is not None:
        yield name, str(value)


def _named(item: Any, place: int) -> str:
    """What tells a member of a list from the others, so that one more does not shift all that follow."""
    if isinstance(item, dict):
        if "npu_id" in item:
            return f"{item['npu_id']}/{item.get('chip_id') or 0}"
        for key in _NAMES:
            if isinstance(item.get(key), str | int):
                return str(item[key])
    return str(place) if isinstance(item, dict | list) else str(item)
