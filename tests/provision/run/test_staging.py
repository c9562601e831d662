"""Hosts fetch from a mirror themselves; what they do not get is sent from here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from npudoctor.collect.inventory import Target
from npudoctor.collect.jumps import Jumps
from npudoctor.collect.ssh_config import SshConfig
from npudoctor.provision.call import Call
from npudoctor.provision.run import staging as module
from npudoctor.provision.run.stage import File
from npudoctor.provision.run.staging import Staging
from tests.provision.world import plan

MIRROR = "http://mirror/store/"
D1, D2 = "a" * 64, "b" * 64
FETCHED = [{"name": "driver.run", "source": MIRROR, "bytes": 7}]


class Ansible:
    """Answers for the host that fetches."""

    def __init__(self, key: str = "") -> None:
        self.key, self.given = key, {}

    def run(self, _playbook: str, _target: Target, given: dict[str, Any], _seconds: float) -> list[Any]:
        self.given = given
        result: dict[str, Any] = {"fetched": FETCHED, "blockers": []}
        if self.key:
            result["blockers"] = [{"key": self.key, "message": "ops.run could not be fetched: refused"}]
        event = "failed" if self.key else "ok"
        return [{"event": event, "action": "npudoctor.ascend.fetch", "result": result}]


@pytest.fixture
def staged(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`staged(ansible, path)`: how a host is staged that lacks two files, which lie at `path` here."""

    def one(ansible: Ansible, path: Path | None) -> Any:
        def fetch_all(_way, digests, _files, fetch, *_more):  # type: ignore[no-untyped-def]
            fetch(digests)
            return 0

        monkeypatch.setattr(module, "stage", fetch_all)
        stopped: list[tuple[Any, ...]] = []
        host = SimpleNamespace(plan=plan("driver", "firmware"), stop=lambda *why: stopped.append(why))
        name, told = host.plan.name, []
        files = {D1: File("driver.run", 7, path, mirrored=True), D2: File("ops.run", 9, path, mirrored=True)}
        call = Call("hosts.yml", "stack", packages=MIRROR)
        staging = Staging(
            [host], {name: Target(name, name)}, files, call, (ansible, SshConfig(), Jumps()),
            lambda _host, event, _what: told.append(event), lambda: False,
        )  # fmt: skip
        staging.go()
        return SimpleNamespace(bytes=staging.bytes, told=told, stopped=[why[1] for why in stopped])

    return one


def test_a_host_is_told_where_its_packages_are_and_what_came_is_counted(staged):
    ansible = Ansible()
    done = staged(ansible, Path("/store/a"))
    assert ansible.given["npudoctor_sources"] == [MIRROR]
    assert [one["sha256"] for one in ansible.given["npudoctor_packages"]["staged"]] == [D1, D2]
    assert (done.bytes["mirror"], done.told, done.stopped) == (7, [], [])


def test_where_the_host_cannot_reach_the_mirror_and_we_could_it_is_sent_from_here(staged):
    done = staged(Ansible("package-missing"), Path("/store/a"))
    assert (done.told, done.stopped) == (["no-mirror"], [])


@pytest.mark.parametrize(("key", "path"), [("package-missing", None), ("no-space", Path("/store/a"))])
def test_what_is_not_here_either_or_would_not_go_there_in_any_way_stops_the_host(staged, key, path):
    done = staged(Ansible(key), path)
    assert (done.told, done.stopped) == ([], [key])
