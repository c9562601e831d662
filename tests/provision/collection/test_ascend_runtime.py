"""The module `ascend_runtime`: consent, re-install, daemon.json, and what Docker has loaded in the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.calling import call, picture
from tests.provision.collection.docker_hosts import ARCH, HOME, bare, calls, daemon, running, runtime_package

KATA = {"kata": {"path": "/opt/kata"}}
ASCEND = {"ascend": {"path": f"/{HOME}/ascend-docker-runtime", "runtimeArgs": []}}
OTHERS = {"data-root": "/data", "runtimes": KATA}


def have(root: Path, version: str = "7.2.RC1", **more: Any) -> dict[str, Any]:
    return call("ascend_runtime", root, version=version, packages=[runtime_package(root, version)], **more)


def ran(root: Path) -> list[str]:
    return (root / "ran").read_text().splitlines() if (root / "ran").exists() else []


def test_it_consents_installs_and_docker_lists_the_runtime(tmp_path: Path) -> None:
    root = running(tmp_path)
    answer = call("ascend_runtime", root, version="v7.2.RC1", packages=[runtime_package(root)])
    assert not answer["failed"], answer
    assert answer["after"]["version"] == "7.2.RC1"
    assert answer["after"]["runtimes"] == ["ascend", "runc"]
    assert ran(root) == ["install --install"]


def test_the_installer_may_write_over_daemon_json_and_the_entries_of_others_are_still_there(
    tmp_path: Path,
) -> None:
    root = running(tmp_path, config=OTHERS)
    have(root)
    assert daemon(root) == {"data-root": "/data", "runtimes": {**KATA, **ASCEND}, "default-runtime": "ascend"}


def test_a_second_run_runs_nothing(tmp_path: Path) -> None:
    root = running(tmp_path, config=OTHERS)
    have(root)
    before = picture(root)
    assert not have(root)["changed"]
    assert picture(root) == before


def test_check_mode_predicts_it_and_leaves_every_file(tmp_path: Path) -> None:
    root = running(tmp_path, config=OTHERS)
    before = picture(root)
    assert have(root, check=True)["changed"]
    assert picture(root) == before


def test_another_version_is_uninstalled_first(tmp_path: Path) -> None:
    root = running(tmp_path, config=OTHERS)
    have(root, "6.0.0")
    assert have(root)["after"]["version"] == "7.2.RC1"
    assert ran(root) == ["install --install", "uninstall", "install --install"]
    assert daemon(root)["runtimes"] == {**KATA, **ASCEND}


def test_without_containers_docker_starts_anew_so_that_nothing_waits(tmp_path: Path) -> None:
    root = running(tmp_path)
    have(root)
    assert calls(root) == ["systemctl restart docker"]


def test_a_reload_loads_it_beside_running_containers(tmp_path: Path) -> None:
    root = running(tmp_path, containers=3)
    assert not have(root)["failed"]
    assert calls(root) == ["systemctl reload docker"]


def test_where_a_reload_is_not_enough_containers_are_not_stopped_without_leave(tmp_path: Path) -> None:
    root = running(tmp_path, containers=3)
    (root / "deaf").touch()
    answer = have(root)
    assert (answer["failed"], answer["blockers"][0]["key"]) == (True, "docker-containers-running")
    assert "systemctl restart docker" not in calls(root)
    assert not have(root, docker_restart=True)["failed"]
    assert ran(root) == ["install --install"]


def test_undo_to_nothing_takes_out_what_came_and_leaves_the_rest(tmp_path: Path) -> None:
    root = running(tmp_path, config=OTHERS)
    before = picture(root)
    have(root)
    answer = call("ascend_runtime", root, verb="undo", previous_version="absent")
    assert not answer["failed"], answer
    after = picture(root)
    assert [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)] == []
    assert "ascend" not in json.loads((root / "loaded").read_text())["Runtimes"]
    assert not call("ascend_runtime", root, verb="undo", previous_version="absent")["changed"]


def test_undo_brings_the_former_version_back(tmp_path: Path) -> None:
    root = running(tmp_path, config=OTHERS)
    have(root, "6.0.0")
    have(root)
    former = runtime_package(root, "6.0.0")
    answer = call("ascend_runtime", root, verb="undo", previous_version="6.0.0", previous=[former])
    assert answer["after"]["version"] == "6.0.0"
    assert daemon(root)["runtimes"] == {**KATA, **ASCEND}


def test_an_installer_that_dies_half_way_leaves_daemon_json_and_the_next_call_repairs(tmp_path: Path) -> None:
    root = running(tmp_path, config=OTHERS)
    broken = runtime_package(root, fault='echo "{" > "$config"; echo "[ERROR] install failed"; exit 1')
    answer = call("ascend_runtime", root, version="7.2.RC1", packages=[broken])
    assert answer["failed"]
    assert daemon(root) == OTHERS
    assert call("ascend_runtime", root, version="7.2.RC1", verb="probe")["before"]["version"] == "half"
    assert have(root)["after"]["version"] == "7.2.RC1"


@pytest.mark.parametrize(
    ("change", "key"),
    [({"sha256": "0" * 64}, "package-missing"), ({"size": 1}, "package-damaged")],
)
def test_a_package_that_is_not_what_it_should_be_never_runs(
    change: dict[str, Any], key: str, tmp_path: Path
) -> None:
    root = running(tmp_path, config=OTHERS)
    package = {**runtime_package(root), **change}
    answer = call("ascend_runtime", root, version="7.2.RC1", packages=[package])
    assert (answer["failed"], answer["blockers"][0]["key"]) == (True, key)
    assert (ran(root), daemon(root)) == ([], OTHERS)


def test_a_package_for_another_machine_never_runs(tmp_path: Path) -> None:
    root = running(tmp_path)
    other = runtime_package(root, arch="x86_64" if ARCH == "aarch64" else "aarch64")
    answer = call("ascend_runtime", root, version="7.2.RC1", packages=[other])
    assert answer["blockers"][0]["key"] == "package-mismatch"
    assert ran(root) == []


def test_without_docker_it_is_blocked_but_check_mode_foresees_it(tmp_path: Path) -> None:
    root = bare(tmp_path)
    assert have(root)["blockers"][0]["key"] == "no-docker"
    assert have(root, check=True)["changed"]


def test_a_daemon_json_that_is_not_valid_is_an_error_and_nothing_runs(tmp_path: Path) -> None:
    root = running(tmp_path, config=OTHERS)
    (root / "etc/docker/daemon.json").write_text("{,}")
    before = picture(root)
    answer = have(root)
    assert (answer["failed"], answer["blockers"][0]["key"]) == (True, "invalid-json")
    assert picture(root) == before
