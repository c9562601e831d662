"""A line of a log without what launchers, containers and engines put before it, and whose line it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.regex import regex

if TYPE_CHECKING:
    import re

MOST_LETTERS = 4000
"""Of one line; what comes after is of no use to a person."""
_GUESSES = "There are some potential root causes"
"""What Ray says of any worker that ended; signals and the like that it names after it are no evidence."""

_COLOUR = regex(r"\x1b\[[0-9;?]*[A-Za-z]")
_CONTROL = regex(r"[\x00-\x08\x0b-\x1f\x7f]")
_PREFIXES = tuple(
    regex(pattern)
    for pattern in (
        r"\s{0,8}>+ {0,8}",  # a quotation in a mail or an issue
        r"[\w.-]{1,80} {1,40}\| ",  # docker compose
        r"(?P<stamp>20\d\d-\d\d-\d\dT[\d:.]{8,18})(?:Z|[+-]\d\d:?\d\d) (?:std(?:out|err) [FP] )?",  # CRI
        r"\[?(?P<rank>\d+), ?\d+\]<std(?:out|err)>: ?",  # mpirun
        r"\((?P<process>[A-Za-z][\w.]*(?:(?: [\w=]{1,20})? pid=\d+)?(?:, ip=[\d.:a-f]+)?)\) ?",  # ray, vLLM
        r"\[pod/(?P<pod>[\w./-]{1,200})\] ?",  # kubectl logs --prefix
        r"\[Stage-\d+\] ?",  # vLLM-Omni
        r"\[?[Rr]ank[ :]?(?P<rank2>\d+)\]: ?",  # torchrun
        r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d [\d:]{8} \[?[\w./-]{1,80}:\d+\] ?",  # vLLM
    )
)
_PLOG = regex(r"\[?[A-Z]+\] ?\w+\((?P<pid>\d+),.{0,80}?\):(?P<time>\d{4}-\d\d-\d\d-[\d:]{8}\.\d{3}\.\d{3})")
_PID = regex(r"[\[(]PID: ?(\d+)[\],]|\bpid[=:] ?(\d+)")
_RANK = regex(r"RankID: ?(\d+)|\brank(?:ID)?[=: \[]{1,2}(\d+)")
_HOUR = r"(?P<hour>\d\d):(?P<minute>\d\d):"
_DATE = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)[-T ]"
_TIMES = tuple(
    regex(pattern)
    for pattern in (
        _DATE + _HOUR + r"(?P<second>\d\d(?:[.,]\d{3}(?:\.?\d{3})?)?)",
        r"\b(?P<month>\d\d)-(?P<day>\d\d) " + _HOUR + r"(?P<second>\d\d)",
        r"\[[EWIF](?P<month>\d)(?P<day>\d\d) " + _HOUR + r"(?P<second>\d\d\.\d+)",
    )
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line that may matter.

    Attributes:
        file: The name of the log, inside its archive where it is in one.
        number: Of the line, from 1.
        text: The line without its prefixes, in one piece.
        process: Whose it is: `rank 3`, `pid 1234`, `EngineCore pid=828`; empty where nothing says so.
        time: `YYYY-MM-DD HH:MM:SS.ffffff`, local to the side that wrote it; empty where there is none.
            The year is 0000 where the log leaves it out.
        stamped: Whether that is when a container's runtime took the line: in another zone than what the
            program writes.
    """

    file: str
    number: int
    text: str
    process: str = ""
    time: str = ""
    stamped: bool = False


def read_line(raw: bytes, file: str, number: int) -> Line:
    """A line as it stands in a log, in whatever encoding and wrapping."""
    text, taken = _unwrapped(_decoded(raw))
    text, owner, first, stamp = _stripped(text)
    text = text.partition(_GUESSES)[0]
    said = time_of(text) or first
    kept, time = text[:MOST_LETTERS].rstrip(), said or stamp or taken
    return Line(file, number, kept, owner or _owner(text), time, stamped=bool(time) and not said)


def time_of(text: str) -> str:
    """The first time in a line, so written that times order as text does; empty where there is none."""
    head = text[:300]
    for pattern in _TIMES:
        if found := pattern.search(head):
            return _time(found)
    return ""


def _time(found: re.Match[str]) -> str:
    part = found.groupdict()
    second = part["second"].replace(",", ".")
    whole, _, fraction = second.partition(".")
    fraction = fraction.replace(".", "")[:6].ljust(6, "0")
    date = f"{part.get('year') or '0000'}-{part['month']:0>2}-{part['day']}"
    return f"{date} {part['hour']}:{part['minute']}:{whole}.{fraction}"


def _decoded(raw: bytes) -> str:
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", "replace")


def _unwrapped(text: str) -> tuple[str, str]:
    """Out of the JSON line that Docker makes of it, with the time that Docker gave it."""
    if not text.startswith('{"') or '"log":' not in text[:40]:
        return text, ""
    try:
        record = json.loads(text)
        said = str(record["log"]).encode("utf-8", "replace").decode()  # half a pair of UTF-16 is no letter
        return said, time_of(str(record.get("time", "")))
    except (ValueError, KeyError, TypeError):
        return text.partition('"log":')[2].lstrip(' "').replace('\\"', '"').replace("\\t", "\t"), ""


def _stripped(text: str) -> tuple[str, str, str, str]:
    """Without its prefixes; who they say wrote it, and when; and when a container's runtime took it."""
    if not text.isprintable():
        text = _CONTROL.sub("", _COLOUR.sub("", text)).replace("\t", "    ")
    owner = first = stamp = ""
    at = 0
    while found := _prefix(text, at):
        groups = found.groupdict()
        rank = groups.get("rank") or groups.get("rank2")
        owner = (f"rank {rank}" if rank else groups.get("process") or groups.get("pod")) or owner
        if "stamp" in groups:
            stamp = stamp or time_of(found[0])
        else:
            first = first or time_of(found[0])
        at = found.end()
    return text[at:], owner, first, stamp


def _prefix(text: str, at: int) -> re.Match[str] | None:
    matches = (pattern.match(text, at) for pattern in _PREFIXES)
    return next((found for found in matches if found and found.end() > at), None)


def _owner(text: str) -> str:
    """Who the line itself says wrote it."""
    if found := _PLOG.match(text):
        return f"pid {found['pid']}"
    if found := _RANK.search(text[:400]):
        return f"rank {found[1] or found[2]}"
    if found := _PID.search(text[:400]):
        return f"pid {found[1] or found[2]}"
    return ""
