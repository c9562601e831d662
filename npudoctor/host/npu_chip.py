"""Which kind of chip this is: the one name that the matrix knows it by, out of what the tools print."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from npudoctor.fact import Evidence, Fact, Unavailable, first_known, known, unavailable
from npudoctor.matrix.chips import family_of_name, family_of_pci
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.parse.lspci import PciDevice
    from npudoctor.parse.npu_smi_board import Board
    from npudoctor.parse.npu_smi_info import NpuTable
    from npudoctor.parse.npu_smi_lists import Mapping as ChipMapping

VAGUE = "Ascend910"
"""What npu-smi prints for every A3; the board knows the variant."""


def matrix_name(printed: str) -> str:
    """The name without the vendor's prefix: `Ascend 910B4` is `910B4`; `Ascend910_9392` keeps its own."""
    bare = printed.replace(" ", "")
    return bare if bare.startswith("Ascend910_") else bare.removeprefix("Ascend")


def chip_of(
    table: Fact[NpuTable],
    rows: tuple[str, ...],
    boards: Mapping[int, Fact[Board]],
    mapping: Fact[ChipMapping],
) -> Fact[str]:
    """The name of the chip (of most of them), or why it is not known. `rows` are those of the table."""
    named = first_known(table.map(_table_names), mapping.map(lambda m: [chip.name for chip in m.chips]))
    names = [name for name in named.or_none() or [] if family_of_name(name)]
    from_board = _from_boards(boards)
    if not names and not from_board.known and not boards and _failed(table):
        return table.map(lambda _: "")
    if not names:
        return from_board if from_board.known or not named.known else _vague(named)
    name = Counter(names).most_common(1)[0][0]
    return named.map(lambda _: matrix_name(name), text=next((row for row in rows if name in row), name))


def family_of(
    chip: Fact[str],
    pci: Fact[tuple[PciDevice, ...]],
    boards: Mapping[int, Fact[Board]],
    table: Fact[NpuTable],
) -> Fact[str]:
    """310, 310P, 310B, 910, 910B, A3 or 950: by the chip's name, else by PCI, the board or the table."""
    return first_known(
        chip.map(_family_or_raise),
        pci.map(_family_on_pci, text=next((d.line for d in pci.or_none() or () if d.device_id), "")),
        *(
            board.map(lambda b: _known_family(family_of_pci(b.pci_device_id or "")))
            for board in boards.values()
        ),
        table.map(_family_by_columns, text=f"{VAGUE} with a Phy-ID column"),
    )


def _table_names(table: NpuTable) -> list[str]:
    return [chip.name for chip in table.chips if chip.name]


def _from_boards(boards: Mapping[int, Fact[Board]]) -> Fact[str]:
    for board in boards.values():
        name = board.value.soc_version if board.known else None
        if name and family_of_name(name):
            return known(matrix_name(name), board.evidence[0].source, name)
    return unavailable("npu-smi info -t board -i N -c 0: not collected", "npu-smi info -t board -i N -c 0")


def _failed(table: Fact[NpuTable]) -> bool:
    """Whether npu-smi was looked for and listed no chip: that is why no more is known."""
    return isinstance(table.content, Unavailable) and table.content.reason != "not-collected"


def _vague(named: Fact[list[str]]) -> Fact[str]:
    printed = ", ".join(sorted(set(named.value))) or "no name"
    why = f"npu-smi info prints {printed}; `npu-smi info -t board -i 0 -c 0` names the variant"
    return Fact(Unavailable(why, "npu-smi info"), (Evidence("npu-smi info", printed),))


def _family_or_raise(name: str) -> str:
    return _known_family(family_of_name(name))


def _family_on_pci(devices: tuple[PciDevice, ...]) -> str:
    families = (family_of_pci(device.device_id or "") for device in devices)
    return _known_family(next((family for family in families if family), None))


def _family_by_columns(table: NpuTable) -> str:
    a3 = any(chip.name == VAGUE and chip.phy_id is not None for chip in table.chips)
    return _known_family("A3" if a3 else None)


def _known_family(family: str | None) -> str:
    if family is None:
        raise Unavailable(N_("no name and no PCI id of a known chip"))
    return family
