"""Tests of the engine over environment variables."""

from __future__ import annotations

from npudoctor.envvars import Judgement, Kind, Versions, judge
from npudoctor.fact import Evidence


def variables(text: str) -> dict[str, tuple[str, Evidence]]:
    """NAME=value lines as the engine takes them."""
    pairs = [line.split("=", 1) for line in text.strip().splitlines() if line and not line.startswith("#")]
    return {name.strip(): (value, Evidence("environment", f"{name}={value}")) for name, value in pairs}


def judged(text: str, kind: Kind | None = None, *, arguments: str = "", **versions: str) -> list[Judgement]:
    """What the engine says of NAME=value lines, of one kind where it is given."""
    found = judge(variables(text), Versions(**versions), arguments)
    return [one for one in found if kind is None or one.kind is kind]


def worst(text: str, kind: Kind | None = None, *, arguments: str = "", **versions: str) -> str:
    """The worst severity that the engine finds; `none` where it finds nothing or only mentions something."""
    found = [one.severity for one in judged(text, kind, arguments=arguments, **versions)]
    return next((word for word in ("fail", "warn") if word in found), "none")
