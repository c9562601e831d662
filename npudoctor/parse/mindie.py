"""`version.info` of MindIE: `key : value` lines, one a component."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex
from npudoctor.versions import Mindie, VersionError

if TYPE_CHECKING:
    from collections.abc import Mapping

_LINE = regex(r"^\s*([A-Za-z][\w \-]*?)\s*:\s*(\S.*?)\s*$")


@dataclass(frozen=True, slots=True)
class MindieVersion:
    """What one MindIE says it is.

    Attributes:
        version: `2.1.RC2`, or with its build `2.1.RC2.B080`.
        components: By name as written: `{"mindie-llm": "2.1.RC2.B080", …}`.
        arch: `aarch64` or `x86_64`; None where left out.
    """

    version: str
    components: Mapping[str, str]
    arch: str | None


@parser("mindie-version", origin="/usr/local/Ascend/mindie/latest/version.info")
def parse_mindie(text: str) -> MindieVersion:
    """The `version.info` of MindIE, as the whole package and as mindie-service write it.

    Raises:
        ParseError: There is no `Ascend-mindie : version` line, or it names no version.
    """
    values = {match[1].lower(): match[2] for match in map(_LINE.match, text.splitlines()) if match}
    stated = values.get("ascend-mindie", "")
    version = re.sub(r"^MindIE\s+", "", stated, flags=re.IGNORECASE)
    if not version:
        raise ParseError("no 'Ascend-mindie : version' line")
    try:
        Mindie(version)
    except VersionError as error:
        raise ParseError(str(error)) from None
    parts = {name.removesuffix(" version"): value for name, value in values.items() if "mindie-" in name}
    return MindieVersion(version, parts, values.get("platform"))
