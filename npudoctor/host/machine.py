"""Which machine it was and when: serial numbers, and its clock beside that of the machine that read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.collect.snapshot import CLOCK
from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, ParseError, Unavailable, unavailable
from npudoctor.parse.npu_smi_pairs import pairs
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.collect.snapshot import Snapshot

SERVER_SERIAL = "/sys/class/dmi/id/product_serial"
_BOARDS = "commands/npu-smi_info_-t_board_-i_*"
_HIDDEN = ("denied", "timeout", "failed")
_NO_SERIAL = regex(
    r"(?i)|n/?a|none|null|unknown|not .*|to be filled.*|default string|system serial number"
    r"|0123456789|(.)\1*"
)
"""What stands there where a maker left it as it was."""


@dataclass(frozen=True, slots=True)
class Clock:
    """How far a host's clock is ahead of the reader's, in seconds: at least, and at most.

    Attributes:
        reader: Which machine read it; two hosts can be compared where it is the same.
    """

    least: float
    most: float
    reader: str


def read_serials(snapshot: Snapshot) -> Fact[tuple[str, ...]]:
    """The serial numbers of the server and of its NPUs, each with its line.

    Absent where there is none to see: not every npu-smi prints one. That of the server is for root only.
    """
    found = list(dict.fromkeys(_serials(snapshot)))
    missing = snapshot.file(SERVER_SERIAL).content
    if not found and isinstance(missing, Unavailable) and missing.reason in _HIDDEN:
        return Fact(missing)
    if not found:
        return unavailable("no serial number is shown", SERVER_SERIAL, "absent")
    return Fact(tuple(serial for serial, _proof in found), tuple(proof for _serial, proof in found))


def _serials(snapshot: Snapshot) -> Iterator[tuple[str, Evidence]]:
    server = (snapshot.file(SERVER_SERIAL).or_none() or "").strip()
    if not _NO_SERIAL.fullmatch(server):
        yield server, Evidence(SERVER_SERIAL, server)
    for entry in snapshot.matching(_BOARDS):
        serial = dict(pairs(entry.text)).get("Serial Number", "").strip()
        if entry.exit_code == 0 and not _NO_SERIAL.fullmatch(serial):
            yield serial, Evidence(entry.origin, f"Serial Number : {serial}")


def read_clock(snapshot: Snapshot) -> Fact[Clock]:
    """What the host's clock said while another machine's went from one time to another.

    Absent where no other machine noted its time: a host alone, or a bundle that was made on it.
    """
    ours = snapshot.command(CLOCK).map(_noted)
    host = snapshot.command("date +%s").map(_seconds)
    if isinstance(ours.content, Unavailable):
        return unavailable("nobody compared its clock", CLOCK, "absent")
    if isinstance(host.content, Unavailable):
        return Fact(host.content)
    before, after, reader = ours.content
    least, most = host.content - after, host.content + 1 - before
    return Fact(Clock(least, most, reader), (*host.evidence, *ours.evidence))


def _noted(text: str) -> tuple[float, float, str]:
    """`BEFORE AFTER READER`, in seconds since 1970."""
    words = text.split()
    if len(words) != 3:
        raise ParseError("not two times and the machine that they are of")
    before, after = (_seconds(word) for word in words[:2])
    return before, after, words[2]


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParseError("no seconds since 1970") from None
