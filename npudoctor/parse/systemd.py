"""`systemctl show` and unit files: the limits that a service passes on to what it starts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.parse.ulimit import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


@parser("systemctl-show", origin="systemctl show docker.service containerd.service")
def parse_systemctl_show(text: str) -> tuple[Mapping[str, str], ...]:
    """The properties of each unit, in order: blocks of `Name=value` lines with a blank line between.

    Raises:
        ParseError: No such line.
    """
    blocks = [_pairs(block) for block in re.split(r"\n\s*\n", text)]
    blocks = [block for block in blocks if block]
    if not blocks:
        raise ParseError("no `Name=value` line")
    return tuple(blocks)


@parser("systemd-unit", origin="/usr/lib/systemd/system/docker.service")
def parse_systemd_unit(text: str) -> Mapping[str, str]:
    """The `Limit…=` lines of the `[Service]` part; of several the last counts.

    Raises:
        ParseError: The text has no `[…]` heading.
    """
    parts = re.split(r"^\[(\w+)\][ \t]*$", text, flags=re.M)
    if len(parts) < 3:
        raise ParseError("no [Service] or other heading")
    service = "\n".join(
        body for name, body in zip(parts[1::2], parts[2::2], strict=True) if name == "Service"
    )
    return {name: value for name, value in _pairs(service).items() if name.startswith("Limit")}


@parser("systemctl-failed", origin="systemctl --failed --plain --no-legend")
def parse_failed_units(text: str) -> tuple[str, ...]:
    """Names of the units that failed, in order; empty where none did.

    Raises:
        ParseError: There is text, but no line that begins with a unit.
    """
    rows = (line.strip().lstrip("●* ") for line in text.splitlines())
    units = tuple(found[0] for row in rows if (found := re.match(r"\S+\.[a-z]+(?=\s|$)", row)))
    if text.strip() and not units and "0 loaded units" not in text:
        raise ParseError(f"no unit: {text.strip()[:60]!r}")
    return units


def soft_limit(value: str) -> int:
    """Bytes (or a count) of a systemd limit: `16M`, `8M:16M` (soft:hard), `infinity` is -1.

    Raises:
        ParseError: It is none of these.
    """
    soft = value.partition(":")[0].strip()
    if soft == "infinity" or soft == str(2**64 - 1):
        return UNLIMITED
    found = re.fullmatch(r"(\d{1,20})([KMGT]?)", soft)
    if not found:
        raise ParseError(f"{value!r} is no limit")
    return int(found[1]) * _UNITS[found[2]]


def _pairs(text: str) -> dict[str, str]:
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if "=" in line and line[0] not in "#;")
    return {name.strip(): value.strip() for name, _, value in pairs}
