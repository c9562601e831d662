"""/etc/hccn.conf: what the driver gives the NPUs' ports at start-up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.npu_smi_text import plain_lines
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ConfiguredPort:
    """The settings of one device, by key without the number: `address`, `netmask`, `gateway`, …"""

    device: int
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HccnConf:
    """The file.

    Attributes:
        ports: By device number.
        gaps: What is missing, `netmask_3`: settings that another device of the file has.
        complete: No gaps, and no line that says that something was left out.
    """

    ports: tuple[ConfiguredPort, ...]
    gaps: tuple[str, ...]
    complete: bool


_SETTING = regex(r"^\s*([A-Za-z]\w*?)_(\d{1,4})\s*=\s*(.*?)\s*$")
_NEEDED = ("address", "netmask", "gateway", "netdetect")


@parser("hccn-conf", origin="/etc/hccn.conf")
def parse_hccn_conf(text: str) -> HccnConf:
    """The settings by device; an empty file has none; raises `ParseError` for other text."""
    settings: dict[int, dict[str, str]] = {}
    for match in map(_SETTING.match, plain_lines(text)):
        if match:
            settings.setdefault(int(match[2]), {})[match[1]] = match[3]
    if not settings and text.strip():
        raise ParseError("no line of the form address_0=…")
    used = [key for key in _NEEDED if any(key in found for found in settings.values())]
    gaps = tuple(f"{key}_{n}" for n, found in sorted(settings.items()) for key in used if not found.get(key))
    left_out = any(re.fullmatch(r"\s*(?:\.{3,}|…+)\s*", line) for line in plain_lines(text))
    ports = tuple(ConfiguredPort(device, found) for device, found in sorted(settings.items()))
    return HccnConf(ports, gaps, not gaps and not left_out)
