"""`timedatectl`, `chronyc tracking`, `ntpq -pn`: whether the clock follows a time server."""

from __future__ import annotations

import re

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

_SYNCHRONISED = regex(
    r"^[ \t]*(?:NTPSynchronized=|System clock synchronized:[ \t]*|NTP synchronized:[ \t]*)(yes|no)[ \t]*$",
    re.M,
)
_LEAP = regex(r"^[ \t]*Leap status[ \t]*:[ \t]*(\S.*?)[ \t]*$", re.M)


@parser("timedatectl", origin="timedatectl")
def parse_timedatectl(text: str) -> bool:
    """Whether the kernel's clock is synchronised; reads `timedatectl` and `timedatectl show`.

    Raises:
        ParseError: Neither form says so.
    """
    found = _SYNCHRONISED.search(text)
    if not found:
        raise ParseError("no line that says whether the clock is synchronised")
    return found[1] == "yes"


@parser("chronyc-tracking", origin="chronyc tracking")
def parse_chronyc(text: str) -> bool:
    """Whether chrony follows a source: its leap status is anything but `Not synchronised`.

    Raises:
        ParseError: No leap status.
    """
    found = _LEAP.search(text)
    if not found:
        raise ParseError("no `Leap status` line")
    return "not synchroni" not in found[1].lower()


@parser("ntpq-peers", origin="ntpq -pn")
def parse_ntpq(text: str) -> bool:
    """Whether ntpd has chosen a peer: a row that begins with `*` (or `o`, a pulse per second).

    Raises:
        ParseError: It is no table of peers.
    """
    if "refid" not in text:
        raise ParseError("no table of peers")
    return bool(re.search(r"^[*o]\S", text, re.M))
