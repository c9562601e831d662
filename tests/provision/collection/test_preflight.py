"""The module `preflight`: what a host lacks, and what is in the way, each with its key."""

from __future__ import annotations

import grp
import json
import pwd
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.calling import lay, picture
from tests.provision.collection.hdk_hosts import Host

Made = Callable[..., Host]
ME = {"user": pwd.getpwuid(0).pw_name, "group": grp.getgrgid(0).gr_name}
RELEASE = "5.15.0-130-generic"
UBUNTU = 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\n'
TOOLS = ("make", "gcc", "dkms", "lspci", "ifconfig")
HEADERS = "/lib/modules/{}/build/Makefile"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """A host that has all that it needs."""

    def make(**state: object) -> Host:
        host = Host(tmp_path, monkeypatch, **state)
        lay(
            host.root,
            {"/etc/os-release": UBUNTU, HEADERS.format(RELEASE): "", "/boot/vmlinuz-" + RELEASE: ""},
        )
        lay(host.root, {"/etc/pam.d/su": "auth       sufficient pam_rootok.so\n"})
        tool(host, "uname", f"echo {RELEASE}")
        tool(host, "mokutil", "echo 'SecureBoot disabled'")
        for name in TOOLS:
            tool(host, name, "exit 0")
        monkeypatch.setenv("PATH", f"{host.tools}/bin:/usr/bin:/bin")
        return host

    return make


def tool(host: Host, name: str, line: str) -> None:
    path = host.tools / "bin" / name
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def look(host: Host, **more: Any) -> dict[str, Any]:
    return host.call("preflight", **{"verb": "probe", **ME, **more})


def keys(answer: dict[str, Any]) -> list[str]:
    return [each["key"] for each in answer["blockers"]]


def test_a_host_that_has_all_is_let_through_and_left_alone(made: Made) -> None:
    host = made()
    before = picture(host.root)
    answer = look(host, verb="verify", driver_version="25.5.0")
    assert (answer["changed"], keys(answer), answer["packages"], answer["account"]) == (False, [], [], [])
    assert picture(host.root) == before


def test_headers_are_needed_of_the_kernel_that_runs_and_of_the_next(made: Made) -> None:
    host = made()
    lay(host.root, {"/boot/vmlinuz-5.15.0-131-generic": "", "/boot/vmlinuz-5.15.0-25-generic": ""})
    answer = look(host)
    assert answer["before"]["next"] == "5.15.0-131-generic"
    assert answer["packages"] == ["linux-headers-5.15.0-131-generic"]
    assert "that the next boot starts" in answer["blockers"][0]["message"]
    (host.root / HEADERS.format(RELEASE).lstrip("/")).unlink()
    assert keys(look(host)) == ["kernel-headers", "kernel-headers"]
    assert keys(look(host, build=False)) == []


def test_the_kernel_that_the_boot_loader_was_told_to_start_counts(made: Made) -> None:
    host = made()
    lay(host.root, {"/boot/vmlinuz-5.15.0-131-generic": ""})
    tool(host, "grubby", f"echo /boot/vmlinuz-{RELEASE}")
    assert look(host)["before"]["next"] == RELEASE


@pytest.mark.parametrize(
    ("release", "packages"),
    [
        ('ID="openEuler"\nVERSION_ID="22.03"\n', [f"kernel-devel-{RELEASE}", f"kernel-headers-{RELEASE}"]),
        ('ID="kylin"\nVERSION_ID="V10"\n', ["kernel-devel"]),
        ('ID="mine"\nID_LIKE="rhel fedora"\n', [f"kernel-devel-{RELEASE}", f"kernel-headers-{RELEASE}"]),
        ("ID=debian\n", [f"linux-headers-{RELEASE}"]),
    ],
)
def test_packages_are_called_as_the_distribution_calls_them(
    made: Made, release: str, packages: list[str]
) -> None:
    host = made()
    lay(host.root, {"/etc/os-release": release})
    (host.root / HEADERS.format(RELEASE).lstrip("/")).unlink()
    assert look(host)["packages"] == packages


def test_missing_tools_are_named_with_their_packages(made: Made) -> None:
    host = made()
    (host.tools / "bin/dkms").unlink()
    answer = look(host)
    assert (keys(answer), answer["packages"]) == (["build-tools"], ["dkms"])


def test_an_account_that_is_not_there(made: Made) -> None:
    answer = look(made(), user="no-such-npu", group="no-such-npus")
    assert (keys(answer), answer["account"]) == (["no-account"], ["group", "user"])


def test_su_must_let_root_through(made: Made) -> None:
    host = made()
    lay(host.root, {"/etc/pam.d/su": "#auth sufficient pam_rootok.so\n"})
    assert keys(look(host)) == ["pam-su"]


def test_too_little_room_counts_what_goes_to_one_disk_together(made: Made) -> None:
    host = made()
    vast = [{"path": "/usr/local/Ascend", "mb": 1 << 40}]
    assert keys(look(host, space=vast)) == ["no-space"]
    answer = look(
        host, space=[{"path": path, "mb": 1 << 39} for path in ("/usr/local/Ascend", "/var/lib/dkms")]
    )
    assert f"needs {1 << 40} MB" in answer["blockers"][0]["message"]


@pytest.mark.parametrize(
    ("line", "blocked"),
    [("echo 'SecureBoot enabled'", ["secure-boot"]), ("echo 'EFI variables are not supported'; exit 1", [])],
)
def test_secure_boot(made: Made, line: str, blocked: list[str]) -> None:
    host = made()
    tool(host, "mokutil", line)
    assert keys(look(host)) == blocked


def test_npus_in_use_are_a_blocker_by_name(made: Made) -> None:
    host = made(driver="25.2.0")
    lay(host.root, {"/proc/77/comm": "vllm\n"})
    (host.root / "proc/77/fd").mkdir()
    (host.root / "proc/77/fd/3").symlink_to("/dev/davinci_manager")
    answer = look(host)
    assert keys(answer) == ["npu-in-use"]
    assert "vllm (77)" in answer["blockers"][0]["message"]


@pytest.mark.parametrize(
    ("base", "wanted", "least"),
    [
        (235, "24.1.rc1", "24.1.rc2"),
        (235, "24.1.rc2", ""),
        (238, "24.1.0", "25.2.0"),
        (238, "25.2.0", ""),
        (240, "25.3.0", ""),
        (0, "23.0.0", ""),
    ],
)
def test_a_driver_below_the_base_version_of_the_flash_is_refused(
    made: Made, base: int, wanted: str, least: str
) -> None:
    host = made(driver="25.5.0")
    path = host.root / "usr/local/Ascend/driver/tools/upgrade-tool"
    flash = json.dumps({"driver": base, "firmware": 0})
    lay(host.root, {"/usr/local/Ascend/driver/tools/upgrade-tool": f"#!/bin/sh\necho '{flash}'\n"})
    path.chmod(0o755)
    answer = look(host, driver_version=wanted)
    assert keys(answer) == (["anti-rollback"] if least else [])
    assert not least or f"no driver older than {least}" in answer["blockers"][0]["message"]


@pytest.mark.parametrize(
    ("wanted", "refused"),
    [("23.0.3", True), ("23.0.7", False), ("24.1.rc2", True), ("24.1.rc2.2", False), ("25.0.rc1", False)],
)
def test_a_driver_that_does_not_know_the_parts_of_the_ports_is_refused(
    made: Made, wanted: str, refused: bool
) -> None:
    host = made(driver="25.5.0")
    tool(host, "hccn_tool", "echo 'Manufacturer: HUYANG024'")
    assert keys(look(host, driver_version=wanted)) == (["anti-rollback"] if refused else [])


def npu_smi(host: Host, board: str, memory: str = "") -> None:
    """Two NPUs that say this of their boards and of their memory."""
    lines = ("case $* in", "'info -l') printf 'NPU ID : 0\\nNPU ID : 1\\n' ;;")
    said = [f"*{kind}*) printf '{text}' ;;" for kind, text in (("board", board), ("memory", memory))]
    tool(host, "npu-smi", "\n".join((*lines, *said, "esac")))


HBM = r"\tHBM Clock Speed(MHz)           : {}\n\tHBM Manufacturer ID            : {}\n"


@pytest.mark.parametrize(
    ("board", "mhz", "maker", "wanted", "refused"),
    [
        ("0x31", 1600, "0x56", "23.0.2", True),
        ("0x31", 1600, "0x56", "23.0.3", False),
        ("0x31", 1600, "0x56", "23.0.rc3", True),
        ("0x31", 1600, "0x56", "24.0.rc1", False),
        ("0x30", 1600, "0x56", "23.0.2", False),
        ("0x31", 1800, "0x56", "23.0.2", False),
        ("0x31", 1600, "0x50", "23.0.2", False),
    ],
)
def test_a_driver_that_does_not_know_the_memory_of_the_cards_is_refused(
    made: Made, board: str, mhz: int, maker: str, wanted: str, refused: bool
) -> None:
    host = made(driver="25.5.0")
    npu_smi(host, rf"\tBoard ID : {board}\n", HBM.format(mhz, maker))
    assert keys(look(host, driver_version=wanted)) == (["anti-rollback"] if refused else [])
    assert keys(look(host, driver_version=wanted, chip="A3")) == []


@pytest.mark.parametrize(
    ("firmware", "wanted", "chip", "refused"),
    [
        ("1.11.2.3", "25.5.0", "910B", True),
        ("1.11.2.3", "25.5.0", "", True),
        ("1.11.2.3", "25.5.0", "310P", False),
        ("1.11.2.3", "23.0.RC1", "910B", False),
        ("7.1.11.2", "25.5.0", "910B", False),
    ],
)
def test_firmware_of_generation_11_wants_an_older_driver_first(
    made: Made, firmware: str, wanted: str, chip: str, refused: bool
) -> None:
    host = made(driver="22.0.4")
    npu_smi(host, rf"\tFirmware Version : {firmware}\n")
    answer = look(host, driver_version=wanted, chip=chip)
    assert keys(answer) == (["needs-older-driver-first"] if refused else [])


def test_known_blockers_and_those_that_are_mended_do_not_stop_it(made: Made) -> None:
    host = made()
    tool(host, "mokutil", "echo 'SecureBoot enabled'")
    stopped = look(host, verb="verify")
    assert stopped["failed"]
    assert "secure-boot:" in stopped["msg"]
    assert not look(host, verb="verify", proceed=["secure-boot"]).get("failed")
    assert keys(look(host, verb="verify", mended=["secure-boot"])) == []


def test_a_distribution_that_nobody_knows(made: Made) -> None:
    host = made()
    lay(host.root, {"/etc/os-release": "ID=plan9\n"})
    assert keys(look(host)) == ["unsupported-os"]
