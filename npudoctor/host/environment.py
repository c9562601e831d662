"""The environment variables of the examined shell or process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.envvars.judgement import hidden
from npudoctor.fact import Evidence, Fact, ParseError, Unavailable, known, unavailable
from npudoctor.parse.environ import parse_environ_bytes
from npudoctor.text import NO_TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.collect.snapshot import Entry, Snapshot

SOURCE = "environment"


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment variables of the examined shell or process."""

    variables: Fact[Mapping[str, str]]
    """By name, redacted values as they stand in the bundle."""

    def of(self, name: str) -> Fact[str]:
        """One variable: absent where it is not set, unreadable where its value was redacted."""
        if not self.variables.known:
            return self.variables.map(lambda _values: "")
        value = self.variables.value.get(name)
        if value is None:
            return unavailable(f"{name} is not set", SOURCE, "absent")
        if hidden(value):
            return unavailable(f"{name} is set, its value was redacted", SOURCE, "unreadable")
        return known(value, SOURCE, line_of(name, value))

    def judged(self) -> dict[str, tuple[str, Evidence]]:
        """All variables with their lines, as the engine of `npudoctor.envvars` takes them.

        Raises:
            Unavailable: No environment was collected.
        """
        values = self.variables.value
        return {name: (value, Evidence(SOURCE, line_of(name, value))) for name, value in values.items()}


def line_of(name: str, value: str) -> str:
    """The line that sets a variable."""
    return f"{name}={value}"


def read_environment(snapshot: Snapshot) -> Environment:
    """Read it out of a snapshot."""
    entry = snapshot.entry(SOURCE)
    if entry is None:
        return Environment(unavailable("environment: not collected", SOURCE))
    if entry.state != "complete":
        return Environment(unavailable(f"environment: {entry.state}", SOURCE, "cut-off"))
    return Environment(_parsed(entry))


def _parsed(entry: Entry) -> Fact[Mapping[str, str]]:
    try:
        values = parse_environ_bytes(entry.stdout)
    except ParseError as error:
        return Fact(Unavailable(f"environment: {error}", SOURCE, "unreadable"))
    if not values:  # no shell and no process is without any
        return Fact(Unavailable("environment: no variable at all", SOURCE, "unreadable"))
    if NO_TEXT in entry.text:  # one such byte can hide the line end before a variable
        return Fact(Unavailable("environment: bytes that are no text", SOURCE, "unreadable"))
    return known(values, SOURCE, f"{len(values)} variables")
