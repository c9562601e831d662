"""`npu-smi info -l`, `-m`, `-t topo` and `-t proc-mem`."""

from __future__ import annotations

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.npu_smi_pairs import pairs, refusal
from npudoctor.parse.npu_smi_text import is_number, plain_lines
from npudoctor.parse.registry import parser
from npudoctor.regex import regex


@dataclass(frozen=True, slots=True)
class ListedNpu:
    """One NPU of `npu-smi info -l`. 950 prints a product instead of a number of chips."""

    npu_id: int
    chip_count: int | None
    product: str | None


@dataclass(frozen=True, slots=True)
class Listing:
    """`npu-smi info -l`. `complete` says that as many NPUs are listed as `total` promises."""

    total: int | None
    npus: tuple[ListedNpu, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class MappedChip:
    """One chip of `npu-smi info -m`; the microcontrollers that it lists too are no chips.

    Attributes:
        logic_id: The index for ASCEND_RT_VISIBLE_DEVICES; 950 does not print it, there it is the NPU id.
    """

    npu_id: int
    chip_id: int | None
    logic_id: int | None
    phy_id: int | None
    name: str


@dataclass(frozen=True, slots=True)
class Mapping:
    """`npu-smi info -m`. `complete` says that every row was understood."""

    chips: tuple[MappedChip, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class TopologyRow:
    """How one NPU reaches each other one, in the order of `Topology.npus`: X, HCCS, PIX, PHB, SYS, UB, …"""

    npu: int
    links: tuple[str, ...]
    affinity: str | None


@dataclass(frozen=True, slots=True)
class Topology:
    """`npu-smi info -t topo`. `complete` says that the matrix is square."""

    npus: tuple[int, ...]
    rows: tuple[TopologyRow, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class ProcessMemory:
    """One process of `npu-smi info -t proc-mem`."""

    pid: int
    name: str | None
    memory_mb: int


_MAP_LABELS = ("NPU ID", "Slot ID", "Chip ID", "Chip Logic ID", "Chip Phy-ID", "Chip Name")
_NPU = regex(r"NPU(\d{1,6})")
_LINK = regex(r"[A-Z][A-Z0-9_-]{0,9}")
_CPUS = regex(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*")
_PROCESS = regex(r"Process id\s*:\s*(\d{1,18})\s+Process name\s*:(.*?)Process memory\(MB\)\s*:\s*(\d{1,18})")


@parser("npu-smi-list", origin="npu-smi info -l")
def parse_npu_smi_list(text: str) -> Listing:
    """The NPUs by id; raises `ParseError` where none is listed and no total either."""
    total, blocks = None, list[dict[str, str]]()
    for key, value in pairs(text):
        if key == "Total Count":
            total = int(value) if is_number(value) else None
        elif key == "NPU ID":
            blocks.append({key: value})
        elif blocks:
            blocks[-1][key] = value
    npus = tuple(_listed(block) for block in blocks if is_number(block["NPU ID"]))
    if total is None and not npus:
        raise refusal(text, "Total Count")
    return Listing(total, npus, total == len(npus) == len(blocks))


def _listed(lines: dict[str, str]) -> ListedNpu:
    count = lines.get("Chip Count", "")
    return ListedNpu(
        int(lines["NPU ID"]), int(count) if is_number(count) else None, lines.get("Product Name")
    )


@parser("npu-smi-mapping", origin="npu-smi info -m")
def parse_npu_smi_mapping(text: str) -> Mapping:
    """The chips by NPU and chip id; raises `ParseError` where the header is missing."""
    lines = [line for line in plain_lines(text) if line.strip()]
    start = next((n for n, line in enumerate(lines) if "NPU ID" in line and "Chip Name" in line), None)
    if start is None:
        raise refusal(text, "NPU ID and Chip Name")
    labels = sorted((label for label in _MAP_LABELS if label in lines[start]), key=lines[start].index)
    rows = [_mapped(line, labels) for line in lines[start + 1 :] if line.split()[0].isdecimal()]
    chips = tuple(row for row in rows if row is not None and row.name.lower() != "mcu")
    return Mapping(chips, bool(chips) and None not in rows)


def _mapped(line: str, labels: list[str]) -> MappedChip | None:
    cells = line.split(None, len(labels) - 1)
    if len(cells) < len(labels):
        return None
    by_label = dict(zip(labels, cells, strict=True))
    if not is_number(by_label["NPU ID"]):
        return None
    numbers = {label: int(cell) for label, cell in by_label.items() if is_number(cell)}
    return MappedChip(
        numbers["NPU ID"],
        numbers.get("Chip ID"),
        numbers.get("Chip Logic ID"),
        numbers.get("Chip Phy-ID"),
        by_label["Chip Name"].strip(),
    )


@parser("npu-smi-topo", origin="npu-smi info -t topo")
def parse_npu_smi_topo(text: str) -> Topology:
    """How the NPUs reach each other; raises `ParseError` where there is no matrix."""
    header: tuple[int, ...] = ()
    rows: list[TopologyRow] = []
    for line in plain_lines(text):
        words = line.split()
        if len(words) > 1 and _NPU.fullmatch(words[0]) and not _NPU.fullmatch(words[1]):
            rows.append(_topology_row(words))
        elif words and _NPU.fullmatch(words[0]) and not rows:
            header = tuple(int(match[1]) for match in map(_NPU.fullmatch, words) if match)
    if not rows:
        raise refusal(text, "NPU0")
    npus = header or tuple(row.npu for row in rows)
    square = [row.npu for row in rows] == list(npus) and all(len(row.links) == len(npus) for row in rows)
    return Topology(npus, tuple(rows), square)


def _topology_row(words: list[str]) -> TopologyRow:
    links = tuple(word for word in words[1:] if _LINK.fullmatch(word))
    return TopologyRow(int(words[0][3:]), links, words[-1] if _CPUS.fullmatch(words[-1]) else None)


@parser("npu-smi-proc-mem", origin="npu-smi info -t proc-mem -i N")
def parse_npu_smi_proc_mem(text: str) -> tuple[ProcessMemory, ...]:
    """The processes on one NPU; an empty tuple where the tool says that there is none."""
    found = tuple(
        ProcessMemory(int(match[1]), match[2].strip() or None, int(match[3]))
        for match in map(_PROCESS.search, plain_lines(text))
        if match
    )
    if not found and "No process in device" not in text:
        raise ParseError("no line with Process id")
    return found
