"""Shared by all tests: hosts made from raw outputs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from npudoctor.collect.snapshot import snapshot_of
from npudoctor.host import Host

CASES = Path(__file__).parent

# In the background of a script Ctrl-C is ignored, and under nohup a hang-up; so they would be by all that
# tests start and break off. What a handler is set for is not inherited.
signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)


@pytest.fixture(scope="session", autouse=True)
def _own_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What npudoctor keeps between calls (runs, packages seen) is not among what the person here has of it.

    The cache of pip stays where it is: tests that install would fetch all anew.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_CACHE_DIR", os.environ.get("PIP_CACHE_DIR") or str(cache / "pip"))
        for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


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
