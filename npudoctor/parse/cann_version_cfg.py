"""`version.cfg` of a CANN: which version of each component runs, was upgraded to, was installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

_LINE = regex(r"^\s*(\w+)_(running|upgrade|installed)_version\s*=\s*(.*)$")
_PAIR = regex(r"\[([^:\[\]]*):([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class ComponentVersion:
    """`[7.7.0.1.238:8.1.RC1]`: the component's number and the CANN it came with."""

    number: str
    cann: str


@dataclass(frozen=True, slots=True)
class VersionCfg:
    """The versions by component: `runtime`, `compiler`, `hccl`, `opp`, `toolkit`, `opp_kernel`, …

    `installed` holds every version side by side that the folder's installer knows, newest last.
    """

    running: Mapping[str, ComponentVersion]
    upgrade: Mapping[str, ComponentVersion]
    installed: Mapping[str, tuple[ComponentVersion, ...]]


@parser("cann-version-cfg", origin="/usr/local/Ascend/ascend-toolkit/latest/version.cfg")
def parse_version_cfg(text: str) -> VersionCfg:
    """A CANN's `version.cfg`.

    Raises:
        ParseError: No `<component>_running_version=[number:version]` line is in the text.
    """
    rows = [
        (match[1], match[2], _versions(match[3])) for match in map(_LINE.match, text.splitlines()) if match
    ]
    running = {name: versions[-1] for name, kind, versions in rows if kind == "running" and versions}
    if not running:
        raise ParseError("no …_running_version=[number:version] line")
    return VersionCfg(
        running=running,
        upgrade={name: versions[-1] for name, kind, versions in rows if kind == "upgrade" and versions},
        installed={name: versions for name, kind, versions in rows if kind == "installed" and versions},
    )


def _versions(text: str) -> tuple[ComponentVersion, ...]:
    return tuple(ComponentVersion(number.strip(), cann.strip()) for number, cann in _PAIR.findall(text))
