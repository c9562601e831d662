"""`check` inside a container: the host's business is left to the host; the remedy is a container's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npudoctor.checks.registry import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.samples import read_sample
from npudoctor.collect.snapshot import Entry, Snapshot, slug
from npudoctor.finding import Finding, Status
from npudoctor.host import Host
from npudoctor.matrix import load_matrix

LACKING = (
    "lspci -nn", "lspci -vvv", "dmesg", "lsmod", "docker info", "docker inspect", "timedatectl",
    "systemctl --failed --plain --no-legend", "dkms status", "ls /lib/modules",
)  # fmt: skip
"""What an image has no tool for."""
EMPTY_DEV = "total 0\ncrw-rw-rw- 1 root root 1, 3 Nov 12 08:30 null\n"
NO_LIBRARY = (
    "npu-smi: error while loading shared libraries: libdrvdsmi_host.so: cannot open shared object file\n"
)
DRIVER = "/usr/local/Ascend/driver/version.info"


def absent(snapshot: Snapshot, *names: str) -> Snapshot:
    entries = dict(snapshot.entries)
    for name in names:
        path = f"files{name}" if name.startswith("/") else f"commands/{slug(name)}"
        entries[path] = Entry(path, name, exit_code=127, state="absent")
    return replace(snapshot, entries=entries)


def printing(snapshot: Snapshot, line: str, text: str) -> Snapshot:
    path = f"commands/{slug(line)}"
    return replace(snapshot, entries={**snapshot.entries, path: Entry(path, line, text.encode())})


def mute(snapshot: Snapshot) -> Snapshot:
    """Without any answer of npu-smi."""
    kept = {p: e for p, e in snapshot.entries.items() if not p.startswith("commands/npu-smi")}
    return replace(snapshot, entries=kept)


@pytest.fixture(scope="module")
def serving() -> Snapshot:
    """A container of a healthy host, with all that it needs."""
    inside = printing(read_sample("a2-healthy"), "systemd-detect-virt", "docker\n")
    bare = absent(inside, *LACKING, "/usr/local/Ascend/firmware/version.info")
    return replace(bare, entries={p: e for p, e in bare.entries.items() if "hccn_tool" not in p})


@pytest.fixture(scope="module")
def judge():
    checks, matrix = all_checks(), load_matrix()
    return lambda snapshot: run_checks(checks, Host(snapshot), matrix)


def said(findings: list[Finding], *statuses: Status) -> dict[str, Finding]:
    return {one.id: one for one in findings if one.status in statuses}


def test_a_container_with_all_it_needs_has_nothing_to_say(serving, judge) -> None:
    assert said(judge(serving), Status.FAIL, Status.WARN, Status.UNKNOWN) == {}


def test_one_without_npu_smi_is_unknown_and_told_to_mount_it(serving, judge) -> None:
    findings = judge(absent(mute(serving), "npu-smi info"))

    assert said(findings, Status.FAIL) == {}
    assert list(said(findings, Status.WARN)) == ["npu.answers"]
    assert {one.actual for one in said(findings, Status.UNKNOWN).values()} == {"npu-smi info: not there"}


def test_one_without_nodes_is_told_to_give_them_and_not_to_seat_a_card(serving, judge) -> None:
    bare = printing(absent(mute(serving), "npu-smi info"), "ls -l /dev", EMPTY_DEV)

    failed = said(judge(bare), Status.FAIL)

    assert list(failed) == ["container.devices", "npu.visible"]
    assert {one.action.value for one in failed.values()} == {"configure"}
    assert all("docker run --device /dev/davinci0" in one.fix.commands[0] for one in failed.values())


def test_one_without_the_driver_is_told_one_story(serving, judge) -> None:
    findings = judge(absent(printing(mute(serving), "npu-smi info", NO_LIBRARY), DRIVER))

    failed = said(findings, Status.FAIL)

    assert list(failed) == ["container.driver_mounts", "npu.answers", "npu.visible"]
    assert {one.action.value for one in failed.values()} == {"configure"}
    assert {one.fix.commands[0] for one in failed.values()} == {
        "docker run --runtime=ascend -e ASCEND_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 …"
    }
