"""Hosts to plan for: a recorded one that is right already, and what is other on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from npudoctor.collect.samples import read_sample
from npudoctor.collect.snapshot import Entry, Snapshot, slug
from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.plan.answers import Answers
from npudoctor.provision.plan.controller import controller_of
from npudoctor.provision.plan.make import Planner
from npudoctor.provision.plan.shelf import Condition, Package
from npudoctor.provision.plan.survey import Surveyed, surveyed
from npudoctor.provision.plan.wanted import wanted_of
from npudoctor.provision.planned import HostPlan

STACK = "a2-cann8.5.0-vllm0.13.0"
KERNEL = "5.10.0-216.0.0.115.oe2203sp4.aarch64"
CANN = "/usr/local/Ascend/cann-8.5.0"
UPGRADE_TOOL = "/usr/local/Ascend/driver/tools/upgrade-tool --device_index -1 --hw_base_version"
OPS = f"{CANN}/aarch64-linux/ascend_910b_ops_install.info"
CANN_RECORD = "/etc/Ascend/ascend_cann_install.info"
RUNTIME = "/usr/local/Ascend/Ascend-Docker-Runtime/ascend_docker_runtime_install.info"
TOOLS = ("npu-smi info", "npu-smi info -l", "npu-smi info -m", "ls /proc/fd davinci", UPGRADE_TOOL)
FILES = {
    OPS: "package_name=Ascend-cann-910b-ops\nversion=8.5.0\n",
    RUNTIME: "version=v7.3.0\n",
    "/etc/profile.d/npudoctor-ascend.sh": ". /usr/local/Ascend/cann/set_env.sh\n",
    "/etc/npudoctor/ascend.env": "ASCEND_TOOLKIT_HOME=/usr/local/Ascend/cann-8.5.0\n",
    "/proc/sys/kernel/random/boot_id": "0b0e6f52-7d7f-4b43-a7d0-1f0f5a0c7c11\n",
}
COMMANDS = {
    "docker version server": "26.1.4\n",
    "docker ps names": "",
    "ls /proc/fd davinci": "",
    "ls /boot": f"vmlinuz-{KERNEL}\n",
    "mokutil --sb-state": "SecureBoot disabled\n",
    "systemctl is-system-running": "running\n",
    UPGRADE_TOOL: '{"device_id":0, "driver":235, "firmware":0}\n',
}
OURS = ("/var/lib/npudoctor/record.json", "/var/lib/npudoctor/receipt.json", "/var/lib/npudoctor/lease")
DRIVER = "/usr/local/Ascend/driver/version.info"
FIRMWARE = "/usr/local/Ascend/firmware/version.info"


class Shelf:
    """All packages of every version, each 100 MB, but for some that are not there or damaged."""

    def __init__(self, missing: Iterable[str] = (), damaged: Iterable[str] = ()) -> None:
        self._missing, self._damaged = set(missing), set(damaged)
        self.files: dict[str, tuple[str, int]] = {}

    def packages(self, component, stack, arch):
        return tuple(self._package(file) for file in component.files(stack, arch))

    def _package(self, file) -> Package:
        for condition, names in ((Condition.MISSING, self._missing), (Condition.DAMAGED, self._damaged)):
            if any(name in file.name for name in names):
                return Package(file.name, "", 0, condition, file.optional, "cut off")
        sha256 = f"{abs(hash(file.name)):064x}"[-64:]
        self.files[sha256] = (file.name, 100_000_000)
        return Package(file.name, sha256, 100_000_000, Condition.HERE, file.optional)


def snapshot(
    files: Mapping[str, str] = {}, commands: Mapping[str, str] = {}, absent: Iterable[str] = ()
) -> Snapshot:
    """The recorded A2 host, complete with what only a plan reads, and with other files and answers."""
    found = read_sample("a2-healthy")
    entries = dict(found.entries)
    for path, text in {**FILES, **files}.items():
        entries["files" + path] = Entry("files" + path, path, text.encode())
    for line, text in {**COMMANDS, **commands}.items():
        entries["commands/" + slug(line)] = Entry("commands/" + slug(line), line, text.encode())
    for what in (*OURS, *absent):
        if what not in files:
            _put_absent(entries, what)
    return replace(found, entries=entries)


def older(found: Snapshot, driver: str = "25.2.0", firmware: str = "7.7.0.2.220") -> Snapshot:
    """The same with another driver and firmware, on the disk and running."""
    versions = {b"25.5.0": driver.encode(), b"7.8.0.5.216": firmware.encode()}
    entries = {}
    for path, entry in found.entries.items():
        text = entry.stdout
        for old, new in versions.items():
            if path.startswith("commands/npu-smi"):  # a table keeps its width
                text = text.replace(old.ljust(len(new)), new.ljust(len(old)))
            elif path.endswith("version.info"):
                text = text.replace(old, new)
        entries[path] = replace(entry, stdout=text)
    return replace(found, entries=entries)


def bare(found: Snapshot) -> Snapshot:
    """The same without driver, firmware, CANN and all that they brought."""
    gone = (
        "commands/npu-smi",
        "commands/hccn_tool",
        "commands/_usr_local_Ascend",
        "commands/ls_-l_usr_local",
    )
    entries = {
        path: entry
        for path, entry in found.entries.items()
        if not path.startswith(gone) and "usr/local/Ascend" not in path
    }
    for what in (
        DRIVER,
        FIRMWARE,
        "/etc/ascend_install.info",
        CANN_RECORD,
        RUNTIME,
        *TOOLS,
        "ls -l /usr/local/Ascend",
    ):
        _put_absent(entries, what)
    folder = Entry("commands/ls_-l_usr_local_Ascend", "ls -l /usr/local/Ascend", b"total 0\n")
    entries[folder.path] = folder
    nodes = entries["commands/ls_-l_dev"]
    entries["commands/ls_-l_dev"] = replace(
        nodes, stdout=b"total 0\ncrw-rw-rw- 1 root root 1, 3 Nov 12 08:31 null\n"
    )
    return replace(found, entries=entries)


def _put_absent(entries: dict[str, Entry], what: str) -> None:
    is_file = what.startswith("/") and " " not in what
    path = "files" + what if is_file else "commands/" + slug(what)
    entries[path] = Entry(path, what, exit_code=127, state="absent")


def seen(
    name: str = "node1", make: Callable[[Snapshot], Snapshot] = lambda found: found, **other: object
) -> Surveyed:
    """What a survey keeps of such a host."""
    return surveyed(name, make(snapshot(**other)), load_matrix())


def planner(
    stack: str = STACK, only: Iterable[str] = (), skip: Iterable[str] = (), **more: object
) -> Planner:
    """What makes plans for a stack, with every package at hand."""
    wanted = wanted_of(load_stack(load_matrix(), stack), only, skip)
    given = {"shelf": Shelf(), "answers": Answers(), "controller": controller_of("2.17.14")} | more
    return Planner(wanted=wanted, **given)


def plan(stack: str = STACK, *, call: Mapping[str, object] = {}, **other: object) -> HostPlan:
    """The plan of such a host."""
    return planner(stack, **call).host(seen(**other))


def keys(host: HostPlan) -> list[str]:
    """What is in its way."""
    return [blocker.key for blocker in host.blockers]


def names(host: HostPlan) -> list[str]:
    """Its steps, in order."""
    return [step.component for step in host.steps]
