"""The environment variables of the examined shell or process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from npudoctor.collect.snapshot import Snapshot
from npudoctor.fact import Fact, unavailable


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment variables of the examined shell or process."""

    variables: Fact[Mapping[str, str]]
    """By name."""


def read_environment(snapshot: Snapshot) -> Environment:
    """Read it out of a snapshot."""
    return Environment(
        variables=unavailable("not read yet"),
    )
