"""`getenforce` and `/etc/selinux/config`."""

from __future__ import annotations

import re

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser

_MODES = ("enforcing", "permissive", "disabled")


@parser("getenforce", origin="getenforce")
def parse_getenforce(text: str) -> str:
    """`enforcing`, `permissive` or `disabled`.

    Raises:
        ParseError: None of these.
    """
    word = text.strip().lower()
    if word not in _MODES:
        raise ParseError(f"not Enforcing, Permissive or Disabled: {text.strip()[:60]!r}")
    return word


@parser("selinux-config", origin="/etc/selinux/config")
def parse_selinux_config(text: str) -> str:
    """The mode that the next boot will set.

    Raises:
        ParseError: No `SELINUX=` line.
    """
    found = re.search(r"^[ \t]*SELINUX[ \t]*=[ \t]*(\w+)", text, re.M)
    if not found:
        raise ParseError("no SELINUX= line")
    return parse_getenforce(found[1])
