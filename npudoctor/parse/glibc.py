"""The version of the C library: `ldd --version`, `getconf GNU_LIBC_VERSION`."""

from __future__ import annotations

import re

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser


@parser("glibc", origin="ldd --version")
def parse_glibc(text: str) -> str:
    """`2.35`: the last number of the first line that names the GNU C library.

    Raises:
        ParseError: It is another library (musl), or the text says nothing.
    """
    if "musl" in text.lower():
        raise ParseError("the C library is musl, not the GNU one")
    line = next((line for line in text.splitlines() if re.search(r"g?libc|\bldd\b", line, re.I)), "")
    numbers = re.findall(r"\b\d{1,4}\.\d{1,4}\b", line)
    if not numbers:
        raise ParseError("no line with a version of the GNU C library")
    return str(numbers[-1])
