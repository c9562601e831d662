"""hccn_tool: the optical module and the history of one port."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.hccn import failure
from npudoctor.parse.npu_smi_text import plain_lines
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Optical:
    """The optical module of one port. Powers in mW by lane; None where the module says nothing.

    Attributes:
        present: As printed; `not present` also comes with full values (a tool that could not ask).
        rx_los: The flags of lost signal, a bit a lane.
    """

    present: str | None
    temperature_c: float | None
    rx_power_mw: Mapping[int, float]
    tx_power_mw: Mapping[int, float]
    rx_low_mw: float | None
    rx_high_mw: float | None
    tx_low_mw: float | None
    tx_high_mw: float | None
    rx_los: int | None
    tx_los: int | None


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """One change of a link: the time as printed, and UP or DOWN."""

    time: str
    status: str


@dataclass(frozen=True, slots=True)
class LinkHistory:
    """How often a link came up and went down since the driver started, the newest record first."""

    current_time: str | None
    up_count: int | None
    down_count: int | None
    records: tuple[LinkRecord, ...]


_PAIR = regex(r"(?:\[devid \d+\]\s*)?([A-Za-z][\w /]{0,60}?)\s*:\s*(\S.*)")
_NUMBER = regex(r"^(-?\d{1,9}(?:\.\d{1,9})?)(?:\s|$)")
_TIME = r"[A-Z][a-z]{2}\s+[A-Z][a-z]{2}\s+\d{1,2}\s+\d\d:\d\d:\d\d\s+\d{4}"
_LINE_RECORD = regex(rf"(?:\[devid \d+\]\s*)?({_TIME})\s+LINK[ _](UP|DOWN)")
_TABLE_RECORD = regex(rf"\|\s*LINK[ _](UP|DOWN)\s*\|\s*({_TIME})\s*\|")


@parser("hccn-optical", origin="hccn_tool -i N -optical -g")
def parse_hccn_optical(text: str) -> Optical:
    """The module's values; raises `ParseError` where there is no power and no presence."""
    lines = {match[1].lower(): match[2] for match in map(_pair, plain_lines(text)) if match}
    rx, tx = _lanes(lines, "rx power"), _lanes(lines, "tx power")
    if not (rx or tx or "present" in lines):
        raise failure(text) or ParseError("no line with present or Rx Power")
    return Optical(
        present=lines.get("present"),
        temperature_c=_number(lines, "temperature"),
        rx_power_mw=rx,
        tx_power_mw=tx,
        rx_low_mw=_number(lines, "rxpower low thres"),
        rx_high_mw=_number(lines, "rxpower high thres"),
        tx_low_mw=_number(lines, "txpower low thres"),
        tx_high_mw=_number(lines, "txpower high thres"),
        rx_los=_flags(lines, "rx los flag"),
        tx_los=_flags(lines, "tx los flag"),
    )


def _pair(line: str) -> re.Match[str] | None:
    return _PAIR.fullmatch(line.strip())


def _number(lines: Mapping[str, str], key: str) -> float | None:
    match = _NUMBER.match(lines.get(key, ""))
    return float(match[1]) if match else None


def _lanes(lines: Mapping[str, str], key: str) -> dict[int, float]:
    powers = {lane: _number(lines, f"{key}{lane}") for lane in range(8)}
    return {lane: power for lane, power in powers.items() if power is not None}


def _flags(lines: Mapping[str, str], key: str) -> int | None:
    value = lines.get(key, "")
    return int(value, 16) if re.fullmatch(r"0x[0-9A-Fa-f]{1,8}", value) else None


@parser("hccn-link-stat", origin="hccn_tool -i N -link_stat -g")
def parse_hccn_link_stat(text: str) -> tuple[LinkHistory, ...]:
    """The history, one for each answer in the text; raises `ParseError` where no count is printed."""
    blocks: list[list[str]] = []
    for line in plain_lines(text):
        first_line = "current time" in line or ("link up count" in line and not _has_time_only(blocks))
        if first_line:
            blocks.append([])
        if blocks:
            blocks[-1].append(line)
    if not blocks:
        raise failure(text) or ParseError("no line with link up count")
    return tuple(map(_history, blocks))


def _has_time_only(blocks: list[list[str]]) -> bool:
    return bool(blocks) and not any("link up count" in line for line in blocks[-1])


def _history(block: list[str]) -> LinkHistory:
    lines = {match[1].lower(): match[2] for match in map(_pair, block) if match}
    return LinkHistory(
        lines.get("current time"),
        _count(lines, "link up count"),
        _count(lines, "link down count"),
        tuple(record for record in map(_record, block) if record),
    )


def _count(lines: Mapping[str, str], key: str) -> int | None:
    value = _number(lines, key)
    return None if value is None else int(value)


def _record(line: str) -> LinkRecord | None:
    if match := _LINE_RECORD.fullmatch(line.strip()):
        return LinkRecord(match[1], match[2])
    if match := _TABLE_RECORD.search(line):
        return LinkRecord(match[2], match[1])
    return None
