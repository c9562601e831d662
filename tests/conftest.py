"""Shared by all tests: hosts made from raw outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from npudoctor.collect.snapshot import snapshot_of
from npudoctor.host import Host

CASES = Path(__file__).parent


def host_of(
    files: Mapping[str, str | bytes] = {},
    commands: Mapping[str, str | bytes] = {},
    *,
    environment: str | None = None,
    packages: str | None = None,
    absent: Iterable[str] = (),
) -> Host:
    """A host from the texts of its files and commands, as a bundle made by hand would give it."""
    return Host(snapshot_of(files, commands, environment=environment, packages=packages, absent=absent))


@pytest.fixture
def host():
    """The maker of hosts, as a fixture: `host(files={...}, commands={...})`."""
    return host_of
