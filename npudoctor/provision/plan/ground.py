"""What a plan stands on: the facts of one host that decide what is changed there, and what is in the way.

They are taken out of a snapshot at once, so that nobody holds the snapshots of a thousand hosts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError
from npudoctor.fact import Fact, ParseError
from npudoctor.host.machine import Clock, read_clock
from npudoctor.parse.df import FileSystem, parse_df_places
from npudoctor.parse.passwd import parse_id
from npudoctor.provision.plan.flash import Flash, read_flash
from npudoctor.provision.plan.installed import Installed, read_installed
from npudoctor.provision.plan.kernels import Kernels, read_kernels
from npudoctor.provision.plan.ports import read_ports
from npudoctor.provision.plan.serving import Served, read_served
from npudoctor.provision.plan.use import Use, read_use
from npudoctor.provision.record import Record, of_text
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.host import Host

OURS = "/var/lib/npudoctor"


@dataclass(frozen=True, slots=True)
class Ours:
    """What npudoctor left on the host. Absent: it was never here.

    Attributes:
        record: Where the last run stands here.
        receipt: What it installed.
        lease: Who may change the host.
        store: SHA-256 of the packages that lie there.
    """

    record: Fact[Record]
    receipt: Fact[dict[str, Any]]
    lease: Fact[dict[str, Any]]
    store: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ground:
    """One host.

    Attributes:
        root: Whether whoever read it was root.
        chip: As npu-smi names it; family where only PCI knows.
        npus: How many cards; 0 where PCI and /dev show none either.
        os: As the matrix names it: `Ubuntu 22.04`.
        os_id: `ubuntu`, `openEuler`, `kylin`, …
        state: What systemd says of the whole system: `running`, `degraded`, `starting`, …
        boot: The boot id.
        clock: Seconds since 1970, by its own clock.
        ahead: How far that is ahead of the clock of the machine that read it.
        space: Rows of `df`.
        ports: Settings of the NPUs' own ports by device.
        places: The file system of folders that packages are laid down in, links followed.
    """

    root: Fact[bool]
    chip: Fact[str]
    family: Fact[str]
    npus: Fact[int]
    present: Fact[bool]
    os: Fact[str]
    os_id: Fact[str]
    arch: Fact[str]
    in_vm: Fact[bool]
    state: Fact[str]
    boot: Fact[str]
    clock: Fact[int]
    ahead: Fact[Clock]
    space: Fact[tuple[FileSystem, ...]]
    ports: Mapping[int, Fact[Mapping[str, str]]]
    places: Fact[Mapping[str, FileSystem]]
    kernels: Kernels
    installed: Installed
    use: Use
    flash: Flash
    served: Served
    ours: Ours


def read_ground(host: Host) -> Ground:
    """Read it out of a host."""
    snapshot, system = host.snapshot, host.system
    return Ground(
        root=snapshot.command("id").map(lambda text: parse_id(text).uid == 0),
        chip=host.npus.chip,
        family=host.npus.family,
        npus=host.npus.count,
        present=host.npus.present,
        os=system.os,
        os_id=system.release.map(lambda release: release.id),
        arch=system.arch,
        in_vm=system.in_vm,
        state=snapshot.output("systemctl is-system-running").map(lambda entry: entry.text.strip()),
        boot=snapshot.file("/proc/sys/kernel/random/boot_id").map(str.strip),
        clock=snapshot.command("date +%s").map(_number),
        ahead=read_clock(snapshot),
        space=host.storage.space,
        ports=read_ports(host),
        places=snapshot.output("df places").map(lambda entry: parse_df_places(entry.text)),
        kernels=read_kernels(host),
        installed=read_installed(host),
        use=read_use(host),
        flash=read_flash(host),
        served=read_served(host),
        ours=_ours(snapshot),
    )


def _number(text: str) -> int:
    if not text.strip().isdigit():
        raise ParseError(N_("no number"))
    return int(text)


def _ours(snapshot: Snapshot) -> Ours:
    return Ours(
        record=snapshot.file(f"{OURS}/record.json").map(_record),
        receipt=snapshot.file(f"{OURS}/receipt.json").map(_object),
        lease=snapshot.file(f"{OURS}/lease").map(_object),
        store=frozenset((snapshot.command(f"ls {OURS}/store").or_none() or "").split()),
    )


def _record(text: str) -> Record:
    try:
        return of_text(text)
    except IncompleteError as error:
        raise ParseError(str(error)) from None


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        raise ParseError(N_("no JSON")) from None
    if not isinstance(found, dict):
        raise ParseError(N_("no JSON object"))
    return found
