"""`dmesg` beside the NPU driver: memory that ran out, crashes, stalls, refused DMA, failing disks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    import re

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("oom", regex(r"(?:O|o)ut of memory: Kill(?:ed)? process (?P<pid>\d{1,18}) \((?P<process>[^)]*)\)")),
    (
        "crash",
        regex(r"(?P<process>\S+)\[(?P<pid>\d{1,18})\]:? segfault at .* in (?P<library>[^\s\[]+)\["),
    ),
    ("crash", regex(r"(?P<process>\S+)\[(?P<pid>\d{1,18})\]: unhandled .* in (?P<library>[^\s\[]+)\[")),
    ("crash", regex(r"traps: (?P<process>\S+)\[(?P<pid>\d{1,18})\] .* in (?P<library>[^\s\[]+)\[")),
    (
        "stall",
        regex(r"BUG: (?:soft|hard) lockup - CPU#\d+ stuck for .*\[(?P<process>[^\]:]+):(?P<pid>\d{1,18})\]"),
    ),
    ("stall", regex(r"INFO: task (?P<process>\S+):(?P<pid>\d{1,18}) blocked for more than \d+ seconds")),
    ("stall", regex(r"self-detected stall on CPU|hard LOCKUP on cpu")),
    ("iommu", regex(r"arm-smmu\S* .*(?:event 0x[0-9a-f]+ received|[Uu]nhandled context fault)")),
    ("iommu", regex(r"DMAR: .*\[DMA .*fault|AMD-Vi: .*IO_PAGE_FAULT")),
    (
        "disk",
        regex(r"I/O error, dev \S+|EXT4-fs error|XFS .*(?:[Cc]orruption|Shutting down filesystem)"),
    ),
    ("disk", regex(r"[Rr]emounting filesystem read-only")),
)
"""What to look for; `.*` stays within one line, and no pattern repeats a repetition."""


LONGEST = 1000
"""Characters of a line that are looked at; the kernel itself writes less."""

_HINT = regex(
    r"ut of memory|segfault at|unhandled|traps: |lockup|LOCKUP|blocked for more|detected stall|smmu|DMAR"
    r"|AMD-Vi|I/O error|EXT4-fs error|XFS|emounting filesystem"
)
"""One look tells most lines apart from those worth eleven."""


@dataclass(frozen=True, slots=True)
class KernelEvent:
    """One line of trouble.

    Attributes:
        kind: `oom`, `crash`, `stall`, `iommu` or `disk`.
        process: Name of the process that it hit, where the line names one.
        pid: Its number.
        library: The library or program that a crash happened in.
        line: As printed.
    """

    kind: str
    process: str | None
    pid: int | None
    library: str | None
    line: str


@dataclass(frozen=True, slots=True)
class KernelTrouble:
    """The lines of trouble in the kernel's message buffer, oldest first."""

    events: tuple[KernelEvent, ...]

    def of(self, kind: str) -> tuple[KernelEvent, ...]:
        """Those of one kind."""
        return tuple(event for event in self.events if event.kind == kind)


@parser("kernel-trouble", origin="dmesg")
def parse_kernel_trouble(text: str) -> KernelTrouble:
    """Find the lines of trouble; all other lines are passed over.

    Raises:
        ParseError: The buffer is empty or was refused: that says nothing about the host.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise ParseError("the kernel's message buffer is empty")
    if len(lines) == 1 and "not permitted" in lines[0]:
        raise ParseError(f"{lines[0].strip()}; run it again as root")
    events = (_event(line.strip()[:LONGEST]) for line in lines if _HINT.search(line))
    return KernelTrouble(tuple(event for event in events if event))


def _event(line: str) -> KernelEvent | None:
    for kind, pattern in _PATTERNS:
        if found := pattern.search(line):
            groups = found.groupdict()
            pid = groups.get("pid")
            return KernelEvent(
                kind, groups.get("process"), int(pid) if pid else None, groups.get("library"), line
            )
    return None
