"""Variables that are wrong together, as far as a row of `combinations.yaml` can say it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.envvars.judgement import Judgement, Kind, Variables, Versions, evidence_of, hidden, value_of
from npudoctor.envvars.reading import at_least, table_chip
from npudoctor.envvars.table import Row, combinations
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator


def judge_together(variables: Variables, versions: Versions, arguments: str) -> Iterator[Judgement]:
    """Judge by the rows; `arguments` is the command line of the service, empty where it is not known."""
    for row in combinations():
        if (
            _variables_match(row, variables)
            and _stack_matches(row, versions)
            and _line_matches(row, arguments)
        ):
            yield _judgement(row, variables)


def _variables_match(row: Row, variables: Variables) -> bool:
    """Whether every pattern matches; a row with no variable set at all says nothing but for its arguments."""
    if "arguments" not in row and not any(value_of(variables, name) for name in row["when"]):
        return False
    for name, pattern in row["when"].items():
        value = value_of(variables, name)
        if hidden(value) or not re.fullmatch(pattern, value, re.DOTALL):
            return False
    return True


def _stack_matches(row: Row, versions: Versions) -> bool:
    chips = row.get("chips")
    if chips and table_chip(versions) not in chips:
        return False
    return all(_has(component, floor, versions) for component, floor in row.get("needs", {}).items())


def _has(component: str, floor: str, versions: Versions) -> bool:
    if not floor:
        return getattr(versions, component) is not None
    return at_least(component, floor, versions) is True


def _line_matches(row: Row, arguments: str) -> bool:
    if "arguments" in row and not re.search(row["arguments"], arguments):
        return False
    if "arguments_not" in row:
        return bool(arguments) and not re.search(row["arguments_not"], arguments)
    return True


def _judgement(row: Row, variables: Variables) -> Judgement:
    names = [name for name in row["when"] if name in variables]
    name = names[0] if names else next(iter(row["when"]))
    return Judgement(
        Kind.COMBINATION,
        name,
        value_of(variables, name),
        row["severity"],
        _(row["message"]),
        evidence_of(variables, *names),
        tuple(row.get("fix", ())),
        tuple(row["source"]),
        row["id"],
    )
