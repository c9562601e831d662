"""What the flash and the parts of NPUs ask of a driver: upgrade-tool, version_cap.map, hccn_tool -scdr."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIELD = r'"{name}"\s*:\s*(\w+)\s*[,}}]'
_PAIR = regex(r"^\s*(\d{1,6})\s*,\s*(\S+)\s*$", re.MULTILINE)
_NUMBER = regex(r"[0-9]{1,9}")
_MAKER = regex(r"Manufacturer:\s*(\w+)")


@dataclass(frozen=True, slots=True)
class BaseVersion:
    """The least capability that the flash of the NPUs asks of a package; 0 is no wish.

    Attributes:
        driver: The largest of all NPUs.
        firmware: Likewise; None where no NPU says it.
        damaged: Whether an NPU says `crc_error`: then no driver would be let in.
    """

    driver: int
    firmware: int | None
    damaged: bool


@parser("hw-base-version", origin="upgrade-tool --device_index -1 --hw_base_version")
def parse_base_version(text: str) -> BaseVersion:
    """One answer for all NPUs.

    Raises:
        ParseError: No NPU answered; an older upgrade-tool does not know the option.
    """
    driver = re.findall(_FIELD.format(name="driver"), text)
    firmware = re.findall(_FIELD.format(name="firmware"), text)
    if not driver:
        raise ParseError(N_("no NPU answered"))
    if any(word.isdigit() and not _NUMBER.fullmatch(word) for word in (*driver, *firmware)):
        raise ParseError("a version of too many digits")
    numbers = [int(word) for word in driver if _NUMBER.fullmatch(word)]
    wished = [int(word) for word in firmware if _NUMBER.fullmatch(word)]
    damaged = any("crc" in word for word in (*driver, *firmware))
    return BaseVersion(max(numbers, default=0), max(wished, default=None), damaged)


@parser("version-cap-map", origin="/usr/local/Ascend/driver/script/version_cap.map")
def parse_version_cap(text: str) -> Mapping[int, str]:
    """Lines `CAPABILITY,VERSION`: the first version of each capability. `#` begins a comment."""
    bare = re.sub(r"#.*$", "", text, flags=re.MULTILINE)
    return {int(number): version for number, version in _PAIR.findall(bare)}


@parser("hccn-scdr", origin="hccn_tool -i 0 -scdr -g")
def parse_cdr(text: str) -> str:
    """The maker of a port's clock and data recovery part, `HUYANG024`; `NA` where the NPU has none.

    Raises:
        ParseError: Neither is said.
    """
    if match := _MAKER.search(text):
        return match[1]
    if "not supported" in text:
        return "NA"
    raise ParseError(N_("names no manufacturer"))
