"""`lsmod`: which kernel modules are loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    import re

_MODULE = regex(r"^\s*([A-Za-z0-9_]+)\s+(\d{1,18})\s+(-?\d{1,18}|-)(?:\s+(\S+))?")


@dataclass(frozen=True, slots=True)
class LoadedModule:
    """One loaded module.

    Attributes:
        name: `drv_pcie_host`.
        size: In bytes.
        uses: How many users it has.
        used_by: The modules that use it.
    """

    name: str
    size: int
    uses: int
    used_by: tuple[str, ...]


@parser("lsmod", origin="lsmod")
def parse_lsmod(text: str) -> tuple[LoadedModule, ...]:
    """Every module of `lsmod` or `/proc/modules`, in the order of the text.

    Raises:
        ParseError: The text holds no module and no header.
    """
    matches = [match for line in text.splitlines() if (match := _MODULE.match(line))]
    if not matches and not text.lstrip().startswith("Module"):
        raise ParseError("no line of the form: name size uses")
    return tuple(_module(match) for match in matches)


def _module(match: re.Match[str]) -> LoadedModule:
    users = tuple(name for name in (match[4] or "").split(",") if name not in ("", "-"))
    uses = int(match[3]) if match[3] != "-" else 0
    return LoadedModule(match[1], int(match[2]), uses, users)
