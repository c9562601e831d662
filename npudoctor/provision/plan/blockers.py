"""What is in the way on one host: the texts of `blockers.yaml`, with the words that its functions give.

A blocker more is a row there, and a function of the same key in `blocking/`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.finding import Action, Fix
from npudoctor.provision.plan.blocking import docker, driver, earlier, host, packages, serving, use  # noqa: F401 (they register)
from npudoctor.provision.plan.blocking.case import OF, Case, Words
from npudoctor.provision.planned import Blocker
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator


def blockers_of(case: Case) -> tuple[Blocker, ...]:
    """All that is in the way, in the order of the data file; where nothing differs, whether it is stuck."""
    keys = _rows() if case.work else ("stuck",)
    found = ((key, words) for key in keys for words in _words(key, case))
    return tuple(
        blocker(key, {"host": case.name, "stack": case.wanted.stack.name, **words}) for key, words in found
    )


def blocker(key: str, words: Words) -> Blocker:
    """One blocker with its words filled in."""
    row = _rows()[key]
    commands = tuple(command.format_map(words) for command in row["commands"])
    fix = Fix(Action(row["action"]), _(row["summary"]).format_map(words), commands)
    return Blocker(key, _(row["message"]).format_map(words), fix, row.get("answer", ""))


@cache
def _rows() -> dict[str, dict[str, Any]]:
    content = load(Path(__file__).with_suffix(".yaml")).content
    return {row["key"]: row for row in content["blockers"]}


def keys() -> list[str]:
    """Every key that there is."""
    return list(_rows())


def answerable() -> list[str]:
    """The keys that an answer lets pass."""
    return [key for key, row in _rows().items() if "answer" in row]


def consequence(key: str) -> str:
    """What happens where a key is answered."""
    return _(_rows()[key].get("then", ""))


def _words(key: str, case: Case) -> Iterator[Words]:
    """Of keys without a function, which others put there: nothing."""
    return OF[key](case) if key in OF else iter(())
