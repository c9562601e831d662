"""`/proc/meminfo`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

# A number counts only with what ends it, its unit or the line's end: one that was cut off is no value.
_LINE = regex(r"^[ \t]*([A-Za-z]\S*):[ \t]+(\d{1,18})(?: kB|[ \t]*\n)", re.M)


@parser("meminfo", origin="/proc/meminfo")
def parse_meminfo(text: str) -> Mapping[str, int]:
    """Value by name: KiB, or a count for `HugePages_*`.

    Raises:
        ParseError: No such line at all.
    """
    values = {name: int(value) for name, value in _LINE.findall(text)}
    if not values:
        raise ParseError("no `Name: value kB` line")
    return values
