"""The module `docker`: which engine it installs, what it does to daemon.json, and when it restarts Docker."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.provision.collection.calling import call, lay, picture
from tests.provision.collection.docker_hosts import BOOTED, bare, calls, daemon, running, stored

OTHERS = {"data-root": "/data", "runtimes": {"kata": {"path": "/opt/kata"}}}
STACK = {"stack": {"Name": "stack", "Soft": 16777216, "Hard": -1}}


def test_the_newest_engine_that_the_ascend_tools_name_is_installed_and_started(tmp_path: Path) -> None:
    root = bare(tmp_path, "29.1.0-1", "28.5.1-0ubuntu1", "24.0.7-0ubuntu2")
    answer = call("docker", root)
    assert (answer["before"]["version"], answer["after"]["version"]) == ("absent", "28.5.1")
    assert "docker.io=28.5.1-0ubuntu1" in calls(root)[1]
    assert calls(root)[-1] == "systemctl enable --now docker"
    assert daemon(root) == {"default-ulimits": STACK}
    assert not call("docker", root)["changed"]


@pytest.mark.parametrize(("offers", "key"), [((), "no-docker-package"), (("29.1.0-1",), "docker-version")])
def test_where_there_is_no_such_engine_it_is_blocked(
    offers: tuple[str, ...], key: str, tmp_path: Path
) -> None:
    root = bare(tmp_path, *offers)
    before = picture(root)
    assert call("docker", root)["blockers"][0]["key"] == key
    assert picture(root) == before


def test_given_packages_are_verified_and_taken_rather_than_those_of_the_system(tmp_path: Path) -> None:
    root = bare(tmp_path, "28.5.1-0")
    packages = [
        stored(root, "containerd.io_1.7.27-1.deb", b"c"),
        stored(root, "docker-ce_26.1.4-1.deb", b"d"),
    ]
    assert call("docker", root, packages=packages)["after"]["version"] == "26.1.4"
    assert not any("update" in line or "docker.io" in line for line in calls(root))


def test_a_damaged_package_is_not_installed(tmp_path: Path) -> None:
    root = bare(tmp_path)
    package = stored(root, "docker-ce_26.1.4-1.deb", b"d")
    answer = call("docker", root, packages=[{**package, "size": 2}])
    assert answer["blockers"][0]["key"] == "package-damaged"
    assert calls(root) == []


@pytest.mark.parametrize(
    ("version", "right"), [("18.09.9", True), ("28.5.1", True), ("17.12.1", False), ("29.0.0", False)]
)
def test_an_engine_that_is_there_is_not_replaced_but_judged(
    version: str, right: bool, tmp_path: Path
) -> None:
    root = running(tmp_path, version)
    answer = call("docker", root)
    assert (not answer["failed"]) is right
    assert "apt-get" not in " ".join(calls(root))
    assert call("docker", root, any_version=True)["failed"] is False


def test_entries_are_merged_and_all_others_stay(tmp_path: Path) -> None:
    root = running(tmp_path, config=OTHERS)
    call("docker", root, config={"live-restore": True})
    assert daemon(root) == {**OTHERS, "live-restore": True, "default-ulimits": STACK}
    call("docker", root, verb="undo")
    assert (root / "etc/docker/daemon.json").read_text() == json.dumps(OTHERS)


def test_check_mode_predicts_and_leaves_every_file(tmp_path: Path) -> None:
    root = running(tmp_path, config={"data-root": "/data"})
    before = picture(root)
    assert call("docker", root, check=True)["changed"]
    assert picture(root) == before
    assert calls(root) == []


def test_without_containers_it_restarts_so_that_all_entries_count(tmp_path: Path) -> None:
    root = running(tmp_path)
    call("docker", root)
    assert calls(root) == ["systemctl restart docker"]


def test_with_containers_it_only_reloads_and_says_why(tmp_path: Path) -> None:
    root = running(tmp_path, containers=3)
    answer = call("docker", root)
    assert calls(root) == ["systemctl reload docker"]
    assert "3 containers run without live-restore" in json.dumps(answer["warnings"])


@pytest.mark.parametrize("leave", [{"docker_restart": True}, {}])
def test_with_leave_or_live_restore_it_restarts_although_containers_run(
    leave: dict[str, bool], tmp_path: Path
) -> None:
    root = running(tmp_path, containers=3, config={} if leave else {"live-restore": True})
    call("docker", root, check=False, **leave)
    assert calls(root) == ["systemctl restart docker"]


def test_a_file_that_was_changed_after_the_start_is_loaded_once_that_may_be(tmp_path: Path) -> None:
    root = running(tmp_path, containers=1, config={"default-ulimits": STACK})
    os.utime(root / "etc/docker/daemon.json", (BOOTED + 100, BOOTED + 100))
    assert not call("docker", root)["changed"]
    lay(root, {"/loaded": (root / "loaded").read_text().replace(": 1,", ": 0,"), "/containers": "0\n"})
    answer = call("docker", root, check=True)
    assert [each["what"] for each in answer["differences"]] == ["docker.restart"]


def test_an_engine_that_does_not_run_is_started(tmp_path: Path) -> None:
    root = running(tmp_path, config={"default-ulimits": STACK})
    (root / "loaded").unlink()
    answer = call("docker", root)
    assert (answer["before"]["running"], answer["after"]["running"]) == (False, True)


def test_a_daemon_json_that_is_not_valid_is_an_error_and_stays(tmp_path: Path) -> None:
    root = running(tmp_path)
    lay(root, {"/etc/docker/daemon.json": '{"live-restore": true,}'})
    before = picture(root)
    answer = call("docker", root)
    assert (answer["failed"], answer["blockers"][0]["key"]) == (True, "invalid-json")
    assert picture(root) == before
