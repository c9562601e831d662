"""Answers of `npu-smi info -t …` as lines of `key : value`, a section a chip."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.npu_smi_error import error_lines
from npudoctor.parse.npu_smi_text import Malformed, decimal, integer, is_nothing, is_number, plain_lines
from npudoctor.parse.registry import parser
from npudoctor.regex import regex
from npudoctor.text import NO_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Printed = int | float | str | None

_PAIR = regex(r"([A-Za-z][\w ()%/.-]{0,60}?)?\s*:(?!\d\d:)\s*(.*)")
_KEEPS_TEXT = ("product_type", "hbm_manufacturer_id", "chip_name")


@dataclass(frozen=True, slots=True)
class ChipSection:
    """What one answer says of one chip.

    Attributes:
        chip_id: None on 950, which prints none, and for what stood before a cut.
        mcu: Whether it is the section of the card's microcontroller, which is no chip.
        values: By the key as printed, in snake case with its unit: `hbm_capacity_mb`, `temperature_c`.
    """

    npu_id: int | None
    chip_id: int | None
    mcu: bool
    values: Mapping[str, Printed]


def pairs(text: str) -> list[tuple[str, str]]:
    """Key and value of each line in order. A line with an empty key goes on with the value before it."""
    found: list[tuple[str, str]] = []
    for line in plain_lines(text):
        match = _PAIR.fullmatch(line.strip())
        if match and match[1]:
            found.append((match[1], match[2]))
        elif match and found and match[2]:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{match[2]}")
    return found


def refusal(text: str, wanted: str) -> ParseError:
    """The error for a text without what was wanted: in the tool's words where it said why."""
    errors = error_lines(text)
    return ParseError(errors[0] if errors else f"no line with {wanted}")


def sections(text: str) -> list[tuple[int | None, list[tuple[str, str]]]]:
    """NPU id and the key-value lines of each chip.

    `-t common` names the chip at the start of its section, the others at the end of it: whichever comes
    first in the text tells which way it is.
    """
    npu, body = None, []
    for key, value in pairs(text):
        if key == "NPU ID" and npu is None:
            npu = int(value) if is_number(value) else None
        elif key == "NPU ID":
            break
        elif key != "Chip Count":
            body.append((key, value))
    return [(npu, part) for part in _split(body)]


def _split(body: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    starts = bool(body) and _names_chip(body[0][0])
    parts: list[list[tuple[str, str]]] = [[]]
    for key, value in body:
        if starts and _names_chip(key) and parts[-1]:
            parts.append([])
        parts[-1].append((key, value))
        if not starts and _names_chip(key):
            parts.append([])
    return [part for part in parts if part]


def _names_chip(key: str) -> bool:
    return key in ("Chip ID", "Chip Name")


def chip_id_of(part: Iterable[tuple[str, str]]) -> int | None:
    """The chip that a section names."""
    return next((int(value) for key, value in part if key == "Chip ID" and is_number(value)), None)


def is_mcu(part: Iterable[tuple[str, str]]) -> bool:
    """Whether a section is the microcontroller's."""
    return any(key == "Chip Name" and value.lower() == "mcu" for key, value in part)


def _key(printed: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", printed.lower().replace("%", "percent")).strip("_")


def _value(key: str, printed: str) -> Printed:
    if key in _KEEPS_TEXT:
        return None if is_nothing(printed) else printed
    try:
        return decimal(printed) if "." in printed else integer(printed)
    except Malformed:
        return printed


def _chip_sections(text: str, wanted: str) -> tuple[ChipSection, ...]:
    if NO_TEXT in text:  # a key that is spoilt would be a value that is missing
        raise ParseError("bytes that are no text")
    found = []
    for npu, part in sections(text):
        values = {_key(key): _value(_key(key), value) for key, value in part if not _names_chip(key)}
        if any(wanted.lower() in key.lower() for key, _ in part):
            found.append(ChipSection(npu, chip_id_of(part), is_mcu(part), values))
    if not found:
        raise refusal(text, wanted)
    return tuple(found)


@parser("npu-smi-ecc", origin="npu-smi info -t ecc -i N")
def parse_npu_smi_ecc(text: str) -> tuple[ChipSection, ...]:
    """Memory error counts by chip: `hbm_double_bit_error_count`, …

    Raises:
        ParseError: There is no count of double-bit errors, or one that is no number: it would look like 0.
    """
    found = _chip_sections(text, "Double Bit")
    for key, value in (pair for section in found for pair in section.values.items()):
        if "error_count" in key and isinstance(value, str):
            raise ParseError(f"{key} is {value[:40]!r}, which is no number")
    return found


@parser("npu-smi-common", origin="npu-smi info -t common -i N")
def parse_npu_smi_common(text: str) -> tuple[ChipSection, ...]:
    """Use, clock, temperature and power by chip; the power of a 310P card stands in its mcu section."""
    return _chip_sections(text, "Temperature")


@parser("npu-smi-memory", origin="npu-smi info -t memory -i N")
def parse_npu_smi_memory(text: str) -> tuple[ChipSection, ...]:
    """Capacity and clock of DDR and HBM by chip: `hbm_capacity_mb`, `total_ddr_capacity_mb`."""
    return _chip_sections(text, "Capacity")


@parser("npu-smi-usages", origin="npu-smi info -t usages -i N")
def parse_npu_smi_usages(text: str) -> tuple[ChipSection, ...]:
    """Capacity and use in percent by chip: `hbm_usage_rate_percent`, `aicore_usage_rate_percent`."""
    return _chip_sections(text, "Usage Rate")


@parser("npu-smi-power", origin="npu-smi info -t power -i N")
def parse_npu_smi_power(text: str) -> tuple[ChipSection, ...]:
    """`npu_real_time_power_w` by chip."""
    return _chip_sections(text, "Power")


@parser("npu-smi-temp", origin="npu-smi info -t temp -i N")
def parse_npu_smi_temp(text: str) -> tuple[ChipSection, ...]:
    """`npu_temperature_c` by chip, and the board's sensors in the mcu section."""
    return _chip_sections(text, "(C)")


@parser("npu-smi-product", origin="npu-smi info -t product -i N")
def parse_npu_smi_product(text: str) -> tuple[ChipSection, ...]:
    """`product_type` by chip: `Atlas 300I Duo`."""
    return _chip_sections(text, "Product Type")
