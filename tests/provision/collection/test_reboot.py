"""The module `reboot`: when one is needed, that the boot is kept first, and how it is proved."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.provision.collection.hdk_hosts import Host

Made = Callable[..., Host]
NPUS = "ansible_collections.npudoctor.ascend.plugins.module_utils.npus"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    def make(**state: object) -> Host:
        host = Host(tmp_path, monkeypatch, **state)
        reboot = host.tools / "bin/reboot"
        reboot.write_text(f"#!/bin/sh\ntouch {host.root}/rebooted\n")
        reboot.chmod(reboot.stat().st_mode | stat.S_IXUSR)
        return host

    return make


def step(host: Host) -> dict[str, object]:
    path = host.root / "var/lib/npudoctor/steps/reboot.json"
    found: dict[str, object] = json.loads(path.read_text()) if path.exists() else {}
    return found


def test_nothing_is_asked_for_where_all_runs_that_is_on_disk(made: Made) -> None:
    host = made().installed(driver="25.5.0", firmware="7.8.0.5.216")
    answer = host.call("reboot")
    assert (answer["changed"], answer["reboot"]["required"], step(host)) == (False, False, {})


@pytest.mark.parametrize(
    ("kind", "old", "new"), [("driver", "25.2.0", "25.5.0"), ("firmware", "7.7.0", "7.8.0")]
)
def test_what_is_on_disk_and_does_not_run_needs_one(made: Made, kind: str, old: str, new: str) -> None:
    host = made().installed(**{"driver": "25.5.0", kind: new}).runs(**{kind: old})
    answer = host.call("reboot")
    assert answer["reboot"]["reasons"] == [f"{kind}: {new} is on disk, {old} runs"]
    assert answer["changed"]


def test_what_an_installer_asked_for_outlives_its_caller_and_ends_with_the_boot(made: Made) -> None:
    host = made()
    host.call("driver", version="25.5.0", packages=[host.package("driver", "25.5.0")])
    host.runs(driver="25.5.0")
    (reason,) = host.call("reboot", verb="plan")["reboot"]["reasons"]
    assert "Reboot needed for installation/upgrade to take effect!" in reason
    path = host.root / "var/lib/npudoctor/steps/driver.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"boot_id": "an older one"}))
    assert not host.call("reboot", verb="plan")["reboot"]["required"]


def test_the_boot_is_kept_before_the_reboot_is_asked_for(made: Made) -> None:
    host = made().installed(driver="25.5.0").runs(driver="25.2.0")
    answer = host.call("reboot")
    kept = step(host)
    assert (
        kept["boot_id"]
        == answer["before"]["boot_id"]
        == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    )
    assert (kept["asks"], answer["asks"]) == (1, 1)
    assert not (host.root / "rebooted").exists()  # it comes a few seconds later, so that the answer gets out
    assert host.call("reboot")["asks"] == 2


def test_check_mode_asks_for_nothing(made: Made) -> None:
    host = made().installed(driver="25.5.0").runs(driver="25.2.0")
    assert host.call("reboot", check=True)["changed"]
    assert step(host) == {}


def test_only_another_boot_proves_it(made: Made) -> None:
    host = made().installed(driver="25.5.0").runs(driver="25.2.0")
    boot = host.call("reboot")["before"]["boot_id"]
    host.runs(driver="25.5.0")
    assert "the host has not rebooted" in host.call("reboot", verb="verify")["msg"]
    assert "the host has not rebooted" in host.call("reboot", verb="verify", before=boot)["msg"]
    assert not host.call("reboot", verb="verify", before="an older one").get("failed")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"sick": "1"}, "NPU 1 is Alarm"),
        ({"hang": "npu-smi info"}, "npu-smi names no NPU"),
    ],
)
def test_npus_that_did_not_come_up_are_named(
    made: Made, state: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = made(**state).installed(driver="25.5.0")
    host.call("reboot", verb="probe")
    monkeypatch.setattr(sys.modules[NPUS], "_SECONDS", 1)
    assert words in host.call("reboot", verb="verify", before="an older one")["msg"]


def test_fewer_chips_than_pci_shows_are_a_failure(made: Made) -> None:
    host = made().installed(driver="25.5.0")
    lspci = host.tools / "bin/lspci"
    lspci.write_text('#!/bin/sh\nfor n in 1 2 3; do echo "c$n:00.0 1200: 19e5:d802 (rev 20)"; done\n')
    answer = host.call("reboot", verb="verify", before="an older one")
    assert answer["problems"] == ["2 chips answer, 3 are on PCI"]
