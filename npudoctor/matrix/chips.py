"""What a chip is called where: npu-smi, PCI, `--soc_version`, operator packages, cloud names.

Families: `310`, `310P`, `310B`, `910` (first generation), `910B` (A2), `A3` (910_93), `950`.
"""

from __future__ import annotations

import re
from functools import cache

from npudoctor.dataclass import dataclass
from npudoctor.matrix.source import matrix_data

FAMILIES = ("310", "310P", "310B", "910", "910B", "A3", "950")

_PATTERNS = (
    # The order matters: 310P and 310B before 310, 910B with a digit before 910. MindCluster tests likewise.
    (r"310P\d?(-.*)?|I2\d?", "310P"),
    (r"310B\d?", "310B"),
    (r"310(PRO|-.*)?", "310"),
    (r"910B\d.*|A2G\d|A2|SNT9B", "910B"),
    (r"910_93.*|910C\d?|A3|SNT9B23", "A3"),
    (r"910(A|B|PROA|PROB|PREMIUMA|PRO|9)?", "910"),
    (r"950.*|910_95.*|910D\d?|A5", "950"),
)

_PCI = {
    "d100": "310",
    "d107": "310B",
    "d500": "310P",
    "d801": "910",
    "d802": "910B",
    "d803": "A3",
    "d806": "950",
}


def family_of_name(name: str) -> str | None:
    """The family of a chip name of npu-smi, torch_npu, `atc --soc_version` or a vendor's product line.

    `910B3` and `Ascend910B3` are A2, `910B` without a digit is the first generation, `Ascend910_9392` is A3.
    `Ascend910` alone is printed for A3 and was the name of the first generation: None, ask the board.
    """
    text = re.sub(r"\s+", "", name).upper()
    if text == "ASCEND910":
        return None
    bare = text.removeprefix("ASCEND").removeprefix("-")
    return next((family for pattern, family in _PATTERNS if re.fullmatch(pattern, bare)), None)


def family_of_pci(device_id: str) -> str | None:
    """The family of a PCI device id of vendor 19e5: `d802`, `0xd802` or `19e5:d802`."""
    return _PCI.get(device_id.strip().lower().rpartition(":")[2].removeprefix("0x"))


def family_of_package(name: str) -> str | None:
    """The family that an operator package or image tag names: `910b` is A2 there, `910` the first one."""
    return {"910b": "910B", "910": "910", "a3": "A3"}.get(name.lower()) or family_of_name(name)


@dataclass(frozen=True, slots=True)
class Chip:
    """One kind of chip.

    Attributes:
        name: As npu-smi prints it, or as the board information completes it: `910B3`, `Ascend910_9392`.
        family: One of `FAMILIES`.
        soc_version: What `atc --soc_version` and torch_npu call it: `Ascend910B3`.
        pci: PCI device id, `d802`.
        package: The chip in names of operator packages and images: `910b`, `310p`, `a3`.
        hbm_mb: Device memory that npu-smi shows in MB, where it is known; one of these.
        products: Servers and cards that carry it.
    """

    name: str
    family: str
    soc_version: str
    pci: str | None
    package: str
    hbm_mb: tuple[int, ...]
    products: tuple[str, ...]


@cache
def chips() -> tuple[Chip, ...]:
    """Every kind of chip that the matrix knows."""
    return tuple(_chip(row) for row in matrix_data().content["chips"] if "soc_version" in row)


def chip_of_name(name: str) -> Chip | None:
    """The row of one chip name, `910B3` or `Ascend910B3`."""
    bare = name.strip().removeprefix("Ascend").upper()
    return next((chip for chip in chips() if chip.name.removeprefix("Ascend").upper() == bare), None)


def _chip(row: dict[str, object]) -> Chip:
    hbm, products = row.get("hbm_mb", []), row.get("products", [])
    return Chip(
        name=str(row["name"]),
        family=str(row["family"]),
        soc_version=str(row["soc_version"]),
        pci=str(row["pci"]) if "pci" in row else None,
        package=str(row["package"]),
        hbm_mb=tuple(hbm) if isinstance(hbm, list) else (),
        products=tuple(products) if isinstance(products, list) else (),
    )
