"""The playbooks alone on hosts that boot: bare, old driver, NPU in use, half a driver, no headers."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.lab.provisioned import ProvisionLab, provision_lab
from tests.lab.unchanged import changes, snapshot
from tests.provision.collection.playing import play, rows, stack

DRIVER, FIRMWARE = "25.5.0", "7.8.0.5.216"
OLD = {"driver": "25.2.0", "firmware": "7.7.0.2.220"}
ONLY = ["preflight", "driver", "firmware", "reboot"]


class Story:
    """What three calls of site.yml did: in check mode, for real, again."""

    def __init__(self, lab: ProvisionLab, given: dict[str, Any]) -> None:
        self.lab = lab
        hosts = lab.hosts
        before = {name: snapshot(host) for name, host in hosts.items()}
        self.check = play(lab, "site.yml", given, "--check", "--diff")
        self.touched = {name: changes(before[name], snapshot(host)) for name, host in hosts.items()}
        self.boots = {name: len(host.boots) for name, host in hosts.items()}
        self.first = play(lab, "site.yml", given)
        self.half = play(lab, "site.yml", given, "--check", "--limit", "broken,headless")
        self.staged = play(lab, "stage.yml", given, "--limit", "headless")
        self.second = play(lab, "site.yml", given, "--limit", "bare,old,broken")
        self.upgraded = (hosts["old"].running, len(hosts["old"].boots))
        old = lab.packages(**OLD)
        back = {"npudoctor_previous": {"versions": OLD, "packages": rows(old, *OLD.values())}}
        self.way_back = play(lab, "rollback.yml", given | back, "--limit", "old")

    def installs(self, name: str) -> list[str]:
        return [f"{each.component} {each.version} {each.options}" for each in self.lab.hosts[name].installs]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    with provision_lab(tmp_path_factory.mktemp("lab")) as lab:
        lab.boot("bare")
        lab.boot("old", **OLD)
        lab.boot("busy", busy="0", **OLD)
        lab.boot("broken", fail_install="driver * 1", **OLD)
        lab.boot("headless", headers="5.10.0-wrong", **OLD)
        packages = lab.packages(driver=DRIVER, firmware=FIRMWARE)
        with served(packages) as mirror:
            sources = {"npudoctor_sources": [mirror], "npudoctor_only": ONLY}
            given = stack(packages, driver=DRIVER, firmware=FIRMWARE) | sources
            yield Story(lab, given | {"preflight_install_packages": False})


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """A mirror of a folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def test_check_mode_leaves_every_host_bit_for_bit(story: Story) -> None:
    assert story.touched == {name: [] for name in story.lab.hosts}


def test_check_mode_says_where_it_would_change_and_where_it_would_fail(story: Story) -> None:
    changing = {name for name, number in story.check.changed.items() if number}
    assert changing == {"bare", "old", "broken"}
    assert {name for name, number in story.check.failed.items() if number} == {"busy", "headless"}


def test_a_bare_host_gets_driver_then_firmware_and_one_reboot(story: Story) -> None:
    assert story.installs("bare") == [
        f"driver {DRIVER} --full --install-for-all --quiet --nox11",
        f"firmware {FIRMWARE} --full --quiet --nox11",
    ]
    host = story.lab.hosts["bare"]
    assert host.running == {"driver": DRIVER, "firmware": FIRMWARE}
    assert len(host.boots) == story.boots["bare"] + 1


def test_an_upgrade_goes_firmware_then_driver_and_one_reboot(story: Story) -> None:
    assert story.installs("old")[:2] == [
        f"firmware {FIRMWARE} --upgrade --quiet --nox11",
        f"driver {DRIVER} --upgrade --quiet --nox11",
    ]
    assert story.first.failed["old"] == 0, story.first.output
    assert story.upgraded == ({"driver": DRIVER, "firmware": FIRMWARE}, story.boots["old"] + 1)


@pytest.mark.parametrize(("name", "key"), [("busy", "npu-in-use"), ("headless", "kernel-headers")])
def test_what_is_in_the_way_stops_a_host_before_anything_is_installed(
    story: Story, name: str, key: str
) -> None:
    assert story.installs(name) == []
    assert story.first.failed[name] == 1
    assert any(key in line for line in story.first.output.splitlines() if name in line)


def test_an_installer_that_failed_half_way_is_repaired_by_the_next_call(story: Story) -> None:
    assert (story.first.failed["broken"], story.second.failed["broken"]) == (1, 0)
    assert story.lab.hosts["broken"].running == {"driver": DRIVER, "firmware": FIRMWARE}
    flashed = [line for line in story.installs("broken") if line.startswith("firmware")]
    assert len(flashed) == 1


def test_check_mode_on_half_a_driver_foresees_the_repair_and_the_reboot(story: Story) -> None:
    assert story.half.failed["broken"] == 0, story.half.output
    assert story.half.changed["broken"] == story.second.changed["broken"] == 2


def test_packages_are_staged_before_anything_is_changed(story: Story) -> None:
    host = story.lab.hosts["headless"]
    store = host.run(
        "find", "/var/lib/npudoctor/store/sha256", "-type", "f", "-size", "+8k"
    ).stdout.splitlines()
    assert (len(store), story.staged.changed["headless"], story.installs("headless")) == (2, 1, [])


def test_the_next_call_changes_nothing(story: Story) -> None:
    again = story.second
    assert again.failed == {"bare": 0, "old": 0, "broken": 0}, again.output
    assert (again.changed["bare"], again.changed["old"]) == (0, 0), again.output


def test_the_way_back_goes_firmware_then_driver_and_one_reboot(story: Story) -> None:
    assert story.way_back.failed == {"old": 0}, story.way_back.output
    assert story.installs("old")[2:] == [
        f"firmware {OLD['firmware']} --full --quiet --nox11",
        f"driver {OLD['driver']} --full --install-for-all --quiet --nox11",
    ]
    host = story.lab.hosts["old"]
    assert host.running == OLD
    assert len(host.boots) == story.boots["old"] + 2
