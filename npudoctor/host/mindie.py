"""MindIE: the vendor's serving engine, beside CANN and NNAL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, unavailable
from npudoctor.host.cann_trees import in_ascend_folder
from npudoctor.parse.mindie import MindieVersion, parse_mindie
from npudoctor.regex import regex
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.collect.snapshot import Snapshot

_FILE = regex(r"files(/.+/mindie/[^/]+)(?:/mindie-service)?/version\.info")


@dataclass(frozen=True, slots=True)
class Mindie:
    """MindIE on this machine."""

    installed: Fact[MindieVersion]
    """What its version file says; absent where it is not installed."""
    version: Fact[str]
    """`2.1.RC2.B080`."""
    models: Fact[bool]
    """Whether the model library `atb-models` is installed too."""


def read_mindie(snapshot: Snapshot) -> Mindie:
    """Read it out of a snapshot."""
    installed = _installed(snapshot)
    return Mindie(
        installed, installed.map(lambda found: found.version), in_ascend_folder(snapshot, "atb-models")
    )


def _installed(snapshot: Snapshot) -> Fact[MindieVersion]:
    found = list(_files(snapshot))
    if found:
        return next((fact for fact in found if fact.known), found[0])
    if in_ascend_folder(snapshot, "mindie").or_none() is False:
        return unavailable(N_("MindIE is not installed"), "/usr/local/Ascend", "absent")
    return unavailable("/usr/local/Ascend/mindie: not collected", "/usr/local/Ascend/mindie")


def _files(snapshot: Snapshot) -> Iterator[Fact[MindieVersion]]:
    for path, entry in sorted(snapshot.entries.items()):
        if _FILE.fullmatch(path) and entry.state != "absent":
            text = snapshot.file("/" + path.removeprefix("files/"))
            line = re.search(r"(?im)^\s*Ascend-mindie\s*:.*$", text.or_none() or "")
            yield text.map(parse_mindie, text=line[0].strip() if line else "")
