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


def container_of(
    name: str = "serve",
    devices: Iterable[str] = (),
    *,
    host: Mapping[str, object] = {},
    config: Mapping[str, object] = {},
    env: Iterable[str] = (),
    image: str = "app:1",
    mounts: Iterable[tuple[str, str]] = (),
    running: bool = True,
) -> dict[str, object]:
    """One container as `docker inspect` describes it; `host` and `config` add to its two halves."""
    nodes = [{"PathOnHost": path, "PathInContainer": path, "CgroupPermissions": "rwm"} for path in devices]
    return {
        "Name": f"/{name}",
        "State": {"Running": running},
        "HostConfig": {"Devices": nodes, **host},
        "Config": {"Image": image, "Env": list(env), **config},
        "Mounts": [{"Source": source, "Destination": destination} for source, destination in mounts],
    }


@pytest.fixture
def described():
    """The maker of container descriptions: `described("serve", ["/dev/davinci0"], env=["A=1"])`."""
    return container_of
