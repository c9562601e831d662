"""The NPUs as PCI, the driver and the device nodes see them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from npudoctor.collect.snapshot import unanswered
from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, Unavailable, first_known, known, unavailable
from npudoctor.host.npu_chip import chip_of, family_of
from npudoctor.matrix.chips import family_of_pci
from npudoctor.parse.device_nodes import DeviceNode, parse_device_nodes
from npudoctor.parse.fuser import Holder, parse_fuser
from npudoctor.parse.lspci import HUAWEI, PciDevice, PciLink, parse_lspci, parse_lspci_vvv
from npudoctor.parse.npu_smi_board import Board, parse_npu_smi_board
from npudoctor.parse.npu_smi_error import NpuSmiError, parse_npu_smi_error
from npudoctor.parse.npu_smi_health import (
    ChipHealth,
    FaultEvent,
    parse_npu_smi_current_fault_event,
    parse_npu_smi_health,
)
from npudoctor.parse.npu_smi_info import NpuTable, parse_npu_smi_info
from npudoctor.parse.npu_smi_lists import (
    Listing,
    Topology,
    parse_npu_smi_list,
    parse_npu_smi_mapping,
    parse_npu_smi_topo,
)
from npudoctor.parse.npu_smi_lists import Mapping as ChipMapping
from npudoctor.parse.npu_smi_pairs import (
    ChipSection,
    parse_npu_smi_common,
    parse_npu_smi_ecc,
    parse_npu_smi_memory,
    parse_npu_smi_power,
    parse_npu_smi_product,
    parse_npu_smi_temp,
    parse_npu_smi_usages,
)
from npudoctor.parse.npu_smi_rows import Kind, table_rows
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from npudoctor.collect.snapshot import Entry, Snapshot

T = TypeVar("T")
INFO = "npu-smi info"

_DETAILS = {
    "common": parse_npu_smi_common,
    "memory": parse_npu_smi_memory,
    "usages": parse_npu_smi_usages,
    "product": parse_npu_smi_product,
    "power": parse_npu_smi_power,
    "temp": parse_npu_smi_temp,
}


@dataclass(frozen=True, slots=True)
class Npus:
    """The NPUs as PCI, the driver and the device nodes see them."""

    chip: Fact[str]
    """The kind of chip by the matrix's name: 310, 310P3, 310B4, 910A, 910B3, Ascend910_9392, 950DT."""
    family: Fact[str]
    """Of the chip: 310, 310P, 310B, 910, 910B, A3 or 950."""
    count: Fact[int]
    """How many NPUs the driver lists; 0 where PCI and /dev show none either."""
    dies: Fact[int]
    """How many chips the driver lists: two an NPU on A3 and on a 310P Duo."""
    present: Fact[bool]
    """Whether anything at all shows an NPU: PCI, the driver, or a device node."""
    table: Fact[NpuTable]
    """`npu-smi info`; unavailable where it printed no chip."""
    rows: tuple[str, ...]
    """The line of each chip in the table, as printed, in the table's order."""
    lists_processes: bool
    """Whether the table has a part for processes; old versions and some chips have none."""
    errors: Fact[tuple[NpuSmiError, ...]]
    """Error lines of `npu-smi info`; absent where there is no npu-smi."""
    gone: tuple[Evidence, ...]
    """Answers of sub-commands that say that a card is not there any more."""
    pci: Fact[tuple[PciDevice, ...]]
    """The NPUs among the PCI devices."""
    links: Fact[tuple[PciLink, ...]]
    """Likewise, with their links and drivers."""
    nodes: Fact[tuple[DeviceNode, ...]]
    """Device nodes below /dev, the management nodes too."""
    nodes_whole: Fact[bool]
    """Whether the listing shows all of /dev, and not only what somebody picked out of it."""
    listing: Fact[Listing]
    """`npu-smi info -l`."""
    mapping: Fact[ChipMapping]
    """`npu-smi info -m`."""
    topology: Fact[Topology]
    """`npu-smi info -t topo`."""
    boards: Mapping[int, Fact[Board]]
    """Of the cards, by NPU id, as far as they were asked."""
    health: Mapping[int, Fact[tuple[ChipHealth, ...]]]
    """Likewise, with codes."""
    ecc: Mapping[int, Fact[tuple[ChipSection, ...]]]
    """Likewise."""
    events: Mapping[int, Fact[tuple[FaultEvent, ...]]]
    """Likewise: pending fault events."""
    details: Mapping[str, Mapping[int, Fact[tuple[ChipSection, ...]]]]
    """What a person wants to see beside: `common`, `memory`, `usages`, `product`, `power`, `temp`."""
    holders: Fact[tuple[Holder, ...]]
    """Processes that have a device node open (fuser)."""


def read_npus(snapshot: Snapshot) -> Npus:
    """Read it out of a snapshot."""
    table, errors = _table(snapshot), _errors(snapshot)
    pci, nodes = _pci(snapshot), snapshot.command("ls -l /dev").map(parse_device_nodes)
    boards, chip_boards = _by_npu(snapshot, "board", parse_npu_smi_board), _chip_boards(snapshot)
    listing = snapshot.command("npu-smi info -l").map(parse_npu_smi_list)
    mapping = snapshot.command("npu-smi info -m").map(parse_npu_smi_mapping)
    present = _present(table, pci, nodes, errors)
    rows = _rows(snapshot)
    chip = chip_of(table, rows, {**boards, **chip_boards}, mapping)
    return Npus(
        chip=chip,
        family=family_of(chip, pci, boards, table),
        count=_count(table, listing, present),
        dies=table.map(lambda found: len(found.chips)),
        present=present,
        table=table,
        rows=rows,
        lists_processes=_lists_processes(snapshot),
        errors=errors,
        gone=_gone(snapshot),
        pci=pci,
        links=_links(snapshot),
        nodes=nodes,
        nodes_whole=snapshot.command("ls -l /dev").map(_is_whole),
        listing=listing,
        mapping=mapping,
        topology=snapshot.command("npu-smi info -t topo").map(parse_npu_smi_topo),
        boards=boards,
        health=_by_listed_npu(snapshot, "health", parse_npu_smi_health, table),
        ecc=_by_listed_npu(snapshot, "ecc", parse_npu_smi_ecc, table),
        events=_by_listed_npu(snapshot, "current-fault-event", parse_npu_smi_current_fault_event, table),
        details={kind: _by_npu(snapshot, kind, parse) for kind, parse in _DETAILS.items()},
        holders=snapshot.output("fuser -v /dev/davinci").map(lambda entry: parse_fuser(entry.text)),
    )


def is_npu(device: PciDevice) -> bool:
    """Whether a PCI device is an NPU: by its number, or a Huawei accelerator that is newer than the list."""
    if device.vendor_id != HUAWEI:
        return False
    return bool(family_of_pci(device.device_id or "")) or "accelerator" in device.class_name.lower()


def _table(snapshot: Snapshot) -> Fact[NpuTable]:
    output = snapshot.partial_output(INFO)
    if isinstance(output.content, Unavailable):
        return Fact(output.content)
    entry = output.content
    table = parse_npu_smi_info(entry.text)
    if entry.state != "complete":
        table = replace(table, complete=False, errors=(*table.errors, "the output is not whole"))
    if not table.chips:
        return unavailable(f"{INFO}: {_why_no_chip(entry)}", INFO, "failed")
    rows = [row for row in table_rows(entry.text) if row.kind in (Kind.TITLE, Kind.UPPER)]
    return Fact(table, (Evidence(INFO, rows[0].text if rows else ""),))


def _rows(snapshot: Snapshot) -> tuple[str, ...]:
    output = snapshot.partial_output(INFO).or_none()
    text = output.text if output else ""
    return tuple(row.text for row in table_rows(text) if row.kind is Kind.UPPER)


def _lists_processes(snapshot: Snapshot) -> bool:
    output = snapshot.partial_output(INFO).or_none()
    kinds = {row.kind for row in table_rows(output.text)} if output else set()
    return bool(kinds & {Kind.PROCESS, Kind.PROCESS_HEADER, Kind.IDLE})


def _is_whole(listing: str) -> bool:
    return any(line.startswith("total ") or line.endswith(" null") for line in listing.splitlines())


def _why_no_chip(entry: Entry) -> str:
    errors = parse_npu_smi_error(entry.all_text)
    if errors:
        return errors[-1].text
    if entry.state == "timeout":
        return unanswered(entry)
    first = next((line.strip() for line in entry.all_text.splitlines() if line.strip()), "")
    return first[:120] or _("printed nothing (exit code {code})").format(code=entry.exit_code)


def _errors(snapshot: Snapshot) -> Fact[tuple[NpuSmiError, ...]]:
    output = snapshot.partial_output(INFO)
    if isinstance(output.content, Unavailable):
        return Fact(output.content)
    found = parse_npu_smi_error(output.content.all_text)
    return Fact(found, tuple(Evidence(INFO, error.text) for error in found))


def _pci(snapshot: Snapshot) -> Fact[tuple[PciDevice, ...]]:
    lists = [_npus_of(snapshot.command(line), line) for line in ("lspci -nn", "lspci")]
    return first_known(*lists, _links(snapshot).map(lambda links: tuple(link.device for link in links)))


def _npus_of(text: Fact[str], source: str) -> Fact[tuple[PciDevice, ...]]:
    found = text.map(lambda printed: tuple(filter(is_npu, parse_lspci(printed))))
    if not found.known:
        return found
    lines = [Evidence(source, device.line) for device in found.value]
    return Fact(found.content, tuple(lines) or (Evidence(source, "no accelerator of vendor 19e5"),))


def _links(snapshot: Snapshot) -> Fact[tuple[PciLink, ...]]:
    texts = (snapshot.command(line) for line in ("lspci -vvv -d 19e5:", "lspci -vvv"))
    return first_known(*(text.map(_npu_links, text="PCIe links of the NPUs") for text in texts))


def _npu_links(text: str) -> tuple[PciLink, ...]:
    return tuple(link for link in parse_lspci_vvv(text) if is_npu(link.device))


def _by_npu(snapshot: Snapshot, kind: str, parse: Callable[[str], T]) -> dict[int, Fact[T]]:
    asked: dict[int, Fact[T]] = {}
    for entry in snapshot.matching(f"commands/npu-smi_info_-t_{kind}_-i_*"):
        if match := re.search(r"_-i_(\d{1,9})$", entry.path):
            line = f"npu-smi info -t {kind} -i {match[1]}"
            asked[int(match[1])] = snapshot.command(line).map(parse)
    return dict(sorted(asked.items()))


def _by_listed_npu(
    snapshot: Snapshot, kind: str, parse: Callable[[str], T], table: Fact[NpuTable]
) -> dict[int, Fact[T]]:
    """Likewise; where some NPUs were asked, the others of the table are there too, as not collected."""
    asked = _by_npu(snapshot, kind, parse)
    found = table.or_none()
    if asked and found:
        for npu in {chip.npu_id for chip in found.chips} - set(asked):
            asked[npu] = unavailable(
                f"{kind} of NPU {npu}: not collected", f"npu-smi info -t {kind} -i {npu}"
            )
    return dict(sorted(asked.items()))


def _chip_boards(snapshot: Snapshot) -> dict[int, Fact[Board]]:
    boards: dict[int, Fact[Board]] = {}
    for entry in snapshot.matching("commands/npu-smi_info_-t_board_-i_*_-c_0"):
        if match := re.search(r"_-i_(\d{1,9})_-c_0$", entry.path):
            line = f"npu-smi info -t board -i {match[1]} -c 0"
            boards[int(match[1])] = snapshot.command(line).map(parse_npu_smi_board)
    return boards


def _gone(snapshot: Snapshot) -> tuple[Evidence, ...]:
    entries = snapshot.matching("commands/npu-smi_info_-t_*")
    found = ((entry, error) for entry in entries for error in parse_npu_smi_error(entry.all_text))
    return tuple(Evidence(entry.origin, error.text) for entry, error in found if error.kind == "card-gone")


def _count(table: Fact[NpuTable], listing: Fact[Listing], present: Fact[bool]) -> Fact[int]:
    if present.or_none() is False:
        return present.map(lambda _: 0)
    return first_known(
        table.map(lambda found: len({chip.npu_id for chip in found.chips})),
        listing.map(lambda found: len(found.npus)),
    )


def _present(
    table: Fact[NpuTable],
    pci: Fact[tuple[PciDevice, ...]],
    nodes: Fact[tuple[DeviceNode, ...]],
    errors: Fact[tuple[NpuSmiError, ...]],
) -> Fact[bool]:
    """True by one sign; False only where PCI or /dev was looked at, and nothing shows an NPU."""
    if table.known:
        return table.map(lambda _: True, text="lists NPUs")
    if pci.or_none():
        return pci.map(lambda _: True)
    numbered = [node for node in nodes.or_none() or () if node.number is not None]
    if numbered:
        return known(True, "ls -l /dev", numbered[0].line)
    if any(error.kind == "no-card" for error in errors.or_none() or ()):
        return errors.map(lambda _: False)
    if not pci.known and not nodes.known:
        return first_known(pci.map(bool), nodes.map(bool))
    proofs = (*pci.evidence, *((Evidence("ls -l /dev", "no davinci node"),) if nodes.known else ()))
    return Fact(False, proofs)
