"""Loaded kernel modules (`lsmod`) and modules under dkms (`dkms status`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser

_MODULE = re.compile(r"^\s*([A-Za-z0-9_]+)\s+(\d{1,18})\s+(-?\d{1,18}|-)(?:\s+(\S+))?")
_DKMS = re.compile(
    r"^\s*([\w.+-]+)(?:/|,\s*)([^,:/\s]+)(?:,\s*([^,:\s]+))?(?:,\s*([^,:\s]+))?\s*:\s*([A-Za-z]+)"
)


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


@dataclass(frozen=True, slots=True)
class DkmsModule:
    """One line of `dkms status`.

    Attributes:
        name: `davinci_ascend`.
        version: `1.0`.
        kernel: The kernel it was built for; None where it is only added.
        arch: Of that kernel.
        state: `added`, `built`, `installed`, `broken`, …; words after it (warnings) are kept out.
    """

    name: str
    version: str
    kernel: str | None
    arch: str | None
    state: str


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


@parser("dkms-status", origin="dkms status")
def parse_dkms_status(text: str) -> tuple[DkmsModule, ...]:
    """Every module that dkms knows, in the layouts of dkms 2 (`name, version, …`) and 3 (`name/version`).

    An empty text is an answer: dkms knows no module.

    Raises:
        ParseError: There is text, but no line that tells of a module.
    """
    matches = [match for line in text.splitlines() if (match := _DKMS.match(line))]
    if text.strip() and not matches:
        raise ParseError("no line of the form: name/version, kernel, arch: state")
    return tuple(DkmsModule(match[1], match[2], match[3], match[4], match[5].lower()) for match in matches)


def _module(match: re.Match[str]) -> LoadedModule:
    users = tuple(name for name in (match[4] or "").split(",") if name not in ("", "-"))
    uses = int(match[3]) if match[3] != "-" else 0
    return LoadedModule(match[1], int(match[2]), uses, users)
