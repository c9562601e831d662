"""`ulimit -s` and its kin: one limit of the shell."""

from __future__ import annotations

import re

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser

UNLIMITED = -1


@parser("ulimit", origin="ulimit -s")
def parse_ulimit(text: str) -> int:
    """The number in the shell's unit (`-s`, `-l`, `-c`: KiB; `-n`, `-u`: a count); -1 is unlimited.

    Raises:
        ParseError: Neither a number nor `unlimited`.
    """
    words = text.split()
    word = words[-1] if words else ""
    if word == "unlimited":
        return UNLIMITED
    if not re.fullmatch(r"\d{1,18}", word):
        raise ParseError(f"neither a number nor `unlimited`: {text.strip()[:60]!r}")
    return int(word)
