"""`/proc/cmdline`: what the boot loader told the kernel."""

from __future__ import annotations

import shlex

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser


@dataclass(frozen=True, slots=True)
class KernelCmdline:
    """The words of the kernel command line, in order."""

    words: tuple[str, ...]

    def has(self, word: str) -> bool:
        """Whether a word is there just so: `pcie_aspm=off`, `quiet`."""
        return word in self.words

    def value(self, name: str) -> str | None:
        """The value of the last `name=value`; an empty string for a bare `name`, None without it."""
        found = None
        for word in self.words:
            key, _, value = word.partition("=")
            if key == name:
                found = value
        return found


@parser("kernel-cmdline", origin="/proc/cmdline")
def parse_kernel_cmdline(text: str) -> KernelCmdline:
    """Split the line into words; quoted blanks stay inside their word.

    Raises:
        ParseError: The text is empty.
    """
    if not text.strip():
        raise ParseError("empty")
    try:
        return KernelCmdline(tuple(shlex.split(text)))
    except ValueError:  # an odd quotation mark
        return KernelCmdline(tuple(text.split()))
