"""Files under `/proc/sys` and `/sys` that hold one number or one choice."""

from __future__ import annotations

import re

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser


@parser("sysctl", origin="/proc/sys/vm/swappiness")
def parse_sysctl(text: str) -> int:
    """The one whole number of the file (or the number after `name = `, as `sysctl` prints it).

    Raises:
        ParseError: There is none.
    """
    word = text.strip().rpartition("=")[2].strip()
    if not re.fullmatch(r"-?\d{1,20}", word):
        raise ParseError(f"no whole number: {text.strip()[:60]!r}")
    return int(word)


@parser("kernel-choice", origin="/sys/kernel/mm/transparent_hugepage/enabled")
def parse_choice(text: str) -> str:
    """The chosen word of `always [madvise] never`; a lone word is chosen without brackets.

    Raises:
        ParseError: No word is chosen.
    """
    if chosen := re.search(r"\[([\w.-]+)\]", text):
        return chosen[1]
    words = text.split()
    if len(words) != 1:
        raise ParseError(f"no word in brackets: {text.strip()[:60]!r}")
    return words[0]
