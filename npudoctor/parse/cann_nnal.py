"""`version.info` of NNAL (ATB): `key : value` lines, indented."""

from __future__ import annotations

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.cann_install import cann_version
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

_LINE = regex(r"^\s*([A-Za-z][\w \-]*?)\s*:\s*(\S.*?)\s*$")
_PACKAGE = regex(r"ascend-cann-(\w+)")


@dataclass(frozen=True, slots=True)
class NnalVersion:
    """What one NNAL package says it is.

    Attributes:
        package: `atb`, `asdsip`.
        version: The CANN version it belongs to, `8.1.RC1`.
        build: `8.1.RC1.B150`; None where left out.
        arch: `aarch64` or `x86_64`; None where left out.
        branch: The source branch; None where left out.
        commit: The source commit; None where left out.
    """

    package: str
    version: str
    build: str | None
    arch: str | None
    branch: str | None
    commit: str | None


@parser("nnal-version", origin="/usr/local/Ascend/nnal/atb/<version>/version.info")
def parse_nnal(text: str) -> NnalVersion:
    """The `version.info` of NNAL.

    Raises:
        ParseError: There is no `Ascend-cann-… : version` line, or it names no version.
    """
    values = {match[1].lower(): match[2] for match in map(_LINE.match, text.splitlines()) if match}
    named = ((_PACKAGE.fullmatch(key), value) for key, value in values.items())
    found = next(((match[1], value) for match, value in named if match), None)
    build = next((value for key, value in values.items() if key.endswith(" version")), None)
    if found is None:
        raise ParseError("no 'Ascend-cann-atb : version' line")
    return NnalVersion(
        package=found[0],
        version=cann_version(found[1]),
        build=build,
        arch=values.get("platform"),
        branch=values.get("branch"),
        commit=values.get("commit id"),
    )
