"""`npu-smi info -t board -i N`, of a card and (with `-c 0`) of a chip."""

from __future__ import annotations

from npudoctor.dataclass import dataclass
from npudoctor.parse.npu_smi_pairs import pairs, refusal
from npudoctor.parse.npu_smi_text import is_number, word
from npudoctor.parse.registry import parser


@dataclass(frozen=True, slots=True)
class Board:
    """One card, or one chip of it. None where the answer has no such line or `NA`.

    Attributes:
        soc_version: The chip's full name: `Ascend910B4` (type and name) or, on A3, `Ascend910_9392`.
        software_version: The driver that runs.
        firmware_version: The firmware that runs.
        compatibility: OK, NOK or UNKNOWN: driver against firmware, as the driver itself judges.
        bus_id: `0000:C1:00.0`.
        pci_device_id: `d802`.
        faulty_chips: The line Chip Fault; only cards of several chips have it.
    """

    npu_id: int
    chip_id: int | None
    product_name: str | None
    soc_version: str | None
    software_version: str | None
    firmware_version: str | None
    compatibility: str | None
    board_id: str | None
    bus_id: str | None
    pci_device_id: str | None
    chip_count: int | None
    faulty_chips: int | None


@parser("npu-smi-board", origin="npu-smi info -t board -i N")
def parse_npu_smi_board(text: str) -> Board:
    """The first card or chip of the text; raises `ParseError` where there is none."""
    lines: dict[str, str] = {}
    for key, value in pairs(text):
        if key == "NPU ID" and "NPU ID" in lines:
            break
        lines[key] = value
    if not is_number(lines.get("NPU ID", "")) or len(lines) < 3:
        raise refusal(text, "NPU ID")
    return Board(
        npu_id=int(lines["NPU ID"]),
        chip_id=_count(lines, "Chip ID"),
        product_name=word(lines.get("Product Name", "")),
        soc_version=_soc_version(lines),
        software_version=word(lines.get("Software Version", "")),
        firmware_version=word(lines.get("Firmware Version", "")),
        compatibility=word(lines.get("Compatibility", "")),
        board_id=word(lines.get("Board ID", "")),
        bus_id=word(lines.get("PCIe Bus Info", "")),
        pci_device_id=lines.get("PCI Device ID", "").lower().removeprefix("0x") or None,
        chip_count=_count(lines, "Chip Count"),
        faulty_chips=_count(lines, "Chip Fault"),
    )


def _count(lines: dict[str, str], key: str) -> int | None:
    value = lines.get(key, "")
    return int(value) if is_number(value) else None


def _soc_version(lines: dict[str, str]) -> str | None:
    name, kind, npu = (word(lines.get(key, "")) for key in ("Chip Name", "Chip Type", "NPU Name"))
    if name and npu:
        return f"{name}_{npu}"
    return f"{kind}{name}" if name and kind else None
