"""`uname -a`, and how kernel releases order."""

from __future__ import annotations

import re

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser

_MACHINES = ("aarch64", "x86_64", "arm64", "riscv64", "loongarch64", "ppc64le", "i686", "armv7l")


@dataclass(frozen=True, slots=True)
class Uname:
    """The running kernel.

    Attributes:
        release: `5.10.0-60.18.0.50.oe2203.aarch64`.
        machine: `aarch64`, `x86_64`; an empty string where the line does not say.
    """

    release: str
    machine: str


@parser("uname", origin="uname -a")
def parse_uname(text: str) -> Uname:
    """Read the one line of `uname -a`.

    Raises:
        ParseError: No kernel release in its third place.
    """
    line = next((line for line in text.splitlines() if line.strip()), "")
    words = line.split()
    if len(words) < 3 or not re.match(r"\d+\.\d+", words[2]):
        raise ParseError(f"no kernel release in {line[:60]!r}")
    machine = next((word for word in reversed(words) if word in _MACHINES), "")
    return Uname(words[2], machine)


def release_key(release: str) -> tuple[int, ...]:
    """A key that orders releases of one distribution: the numbers in it, left to right."""
    return tuple(int(number) for number in re.findall(r"\d{1,18}", release)[:8])


def major_minor(release: str) -> tuple[int, int]:
    """`5.10.0-60` is `(5, 10)`.

    Raises:
        ParseError: It does not begin with two numbers.
    """
    found = re.match(r"(\d{1,9})\.(\d{1,9})", release)
    if not found:
        raise ParseError(f"{release!r} is no kernel release")
    return int(found[1]), int(found[2])
