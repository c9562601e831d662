"""Switches for finding faults that were left on: dumps, verbose logs, profilers, synchronous launches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.envvars.judgement import Judgement, Kind, Severity, Variables, Versions, readable
from npudoctor.envvars.reading import is_read
from npudoctor.envvars.rules import switched_on
from npudoctor.envvars.table import Row, table
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator


def judge_switches(variables: Variables, versions: Versions) -> Iterator[Judgement]:
    """Judge the switches that are on and that this stack reads."""
    for name, value, evidence in readable(variables):
        row = table().rows.get(name)
        if row is None or "debug" not in row or not is_on(row, value) or not is_read(row, versions):
            continue
        debug = row["debug"]
        yield Judgement(
            Kind.DEBUG,
            name,
            value,
            _severity(debug),
            _message(row),
            (evidence,),
            (f"unset {name}",),
            tuple(row["source"]),
            debug["topic"],
        )


def is_on(row: Row, value: str) -> bool:
    """Whether a switch is on, as its reader sees the value."""
    patterns = row["debug"].get("when")
    if patterns:
        return any(re.fullmatch(pattern, value, re.DOTALL) for pattern in patterns)
    return bool(value) and value != row.get("default") and switched_on(row.get("rule", {}), value)


def _severity(debug: Row) -> Severity:
    if debug.get("soft"):
        return "info"
    return "fail" if debug.get("breaks") else "warn"


def _message(row: Row) -> str:
    topics = {
        "debug": _("{name} is a switch for debugging"),
        "dump": _("{name} writes dumps"),
        "log": _("{name} makes logs verbose"),
        "profiling": _("{name} is a switch of a profiler"),
        "sync": _("{name} makes launches synchronous"),
    }
    debug = row["debug"]
    text = topics[debug["topic"]].format(name=row["name"])
    return _("{what}: {why}").format(what=text, why=_(debug["why"])) if "why" in debug else text
