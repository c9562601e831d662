"""What is kept of a dump: one sight for lines that say the same, however many ranks repeat it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from npudoctor.regex import regex
from npudoctor.triage.decode import decode
from npudoctor.triage.line import Line, read_line, time_of
from npudoctor.triage.quoting import quotes
from npudoctor.triage.signatures import words
from npudoctor.triage.usual import is_usual
from npudoctor.triage.words import prepared

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping

    from npudoctor.triage.codes import Code

MOST_SIGHTS = 20_000
"""Of one dump. A dump of more kinds of lines is noise; the first ones are kept."""
MOST_OWNERS = 512
_MOST_KNOWN = 50_000
_MOST_IN_KEY = 600
_ALIKE = bytes.maketrans(b"123456789", b"000000000")

_HEAD: re.Pattern[bytes] = regex(
    rb"(\[[A-Z]+\] ?\w+)\((\d+),[\w. -]{0,80}\):\d{4}-\d\d-\d\d-[\d:]{8}\.\d{3}\.\d{3}"
)
_NUMBER = regex(r"0x[0-9a-fA-F]+|\d+")
_ERROR = regex(
    r"^\s*\[?(?:ERROR|FATAL|CRITICAL|EXCEPTION|Error(?! Code +: NA\b))\]?[\s:(\[]"
    r"|\[(?:ERROR|FATAL|error|fatal|EXCEPTION)\]"
    r"|^\s*[\w.]*(?:Error|Exception|Interrupt|Exit)(?: ?:|$)|^\[E\d* |\bERROR\b.{0,60}?:| - ERROR - "
    r"|core dumped|\([EI][A-Z]\d{4}\):|^[EI][A-Z0-9]\d{4}:? |(?:^|[\]:] )Check failed: "
    # glog's levels of errors, of programs in C++: Kubernetes writes its own so as well, and retries most
    r"|^[EF](?:\d{4}|\d{8}) [\d:]{8}\.\d{1,9} {1,9}\d{1,20} [\w./-]{1,80}\.(?:cc|cpp|cu|h|hpp):\d{1,6}\] "
    # what shells and loaders say without a word for error before it
    r"|^(?:(?:[\w./+-]{1,80}|line \d{1,6}): ?){0,3}"
    r"(?:No module named '|undefined symbol: |cannot allocate memory in"
    r"|(?:[Pp]ermission denied|Operation not permitted|No space left on device|Cannot allocate memory)\.?$)"
)

_MILD = regex(r"\[(?:WARNING|INFO|EVENT|DEBUG|TRACE)\] ?\w+\(-?\d[\d:]*,")
"""A plog below the level of errors."""


@dataclass(slots=True)
class Sight:
    """Lines that say the same.

    Attributes:
        line: The first of them.
        codes: What is decoded in it.
        error: Whether it is written as an error.
        order: Where it stands among all: by time where the log has one, else by place.
        count: How many there are.
        owners: Whose they are, as far as the lines say, each with the time of its first.
        path: The plain file that the first of them is in, where it has no number yet; and `offset`, the place
            of its first byte there.
        quoted: Whether all of them stand in source code, manuals or the like, which only quote errors.
    """

    line: Line
    codes: tuple[Code, ...]
    error: bool
    order: tuple[str, int, int]
    count: int = 1
    owners: dict[str, str] = field(default_factory=dict)
    path: str = ""
    offset: int = 0
    quoted: bool = False
    small: str = field(init=False)

    def __post_init__(self) -> None:
        self.small = self.line.text.lower()

    @property
    def mild(self) -> bool:
        """Whether it says itself that it is no error."""
        return _MILD.match(self.line.text) is not None

    @property
    def when(self) -> tuple[bool, tuple[str, int, int]]:
        """To sort by: what has no time comes after what has one."""
        return not self.order[0], self.order

    def again(self, owner: str, raw: bytes) -> None:
        """Count one more line, of this process."""
        self.count += 1
        if owner and owner not in self.owners:
            self.own({owner: time_of(raw[:200].decode("ascii", "replace"))})

    def own(self, owners: Mapping[str, str]) -> None:
        """Note whose such a line is as well."""
        for owner, time in owners.items():
            if owner in self.owners:
                self.owners[owner] = min(time, self.owners[owner])
            elif len(self.owners) < MOST_OWNERS:
                self.owners[owner] = time

    def number(self, number: int) -> None:
        """Say which line of its file it is."""
        line = self.line
        self.path = ""
        self.line = Line(line.file, number, line.text, line.process, line.time, line.stamped)

    def say(self, text: str) -> None:
        """Show this in place of what the line says."""
        line = self.line
        self.line = Line(line.file, line.number, text, line.process, line.time, line.stamped)


class Gathered:
    """The sights of a dump.

    Attributes:
        sights: By what they say.
        left_out: Lines of further kinds that were not kept.
    """

    def __init__(self) -> None:
        self.sights: dict[object, Sight] = {}
        self.left_out = 0
        self._plain: dict[bytes, Sight | None] = {}
        self._said: dict[bytes, Sight] = {}

    def take(
        self,
        lines: Iterable[tuple[int, bytes]],
        file: str,
        place: int = 0,
        path: str = "",
        start: int = 0,
        head: bytes = b"",
    ) -> None:
        """Take the lines of one log that may matter, each with its number.

        Args:
            lines: Of the log.
            file: Its name.
            place: Where it stands among all logs.
            path: The plain file that it is; then lines come with the place of their first byte instead.
            start: What to add to that place.
            head: How it begins, by which it is told whether it only quotes errors.
        """
        time, own = "", False
        quoted: bool | None = None
        for number, raw in lines:
            shape = raw[:_MOST_IN_KEY].translate(_ALIKE)
            if shape in self._plain:
                self._again(shape)
                continue
            said, owner = _said(raw)
            if (known := self._said.get(said)) is not None:
                known.again(owner, raw)
                continue
            line = read_line(raw, file, 0 if path else number)
            if line.time[:4] not in ("", "0000") and not (line.stamped and own):
                time, own = line.time, not line.stamped
            quoted = quotes(head) if quoted is None else quoted  # most logs hold no line that matters
            sight = self._add(line, (time, place, start + number), path, quoted)
            if sight is None or not (sight.error or sight.codes or b"ode" in raw):
                self._plain[shape] = sight
            elif owner:
                self._said[said] = sight
            self._forget()

    def _forget(self) -> None:
        """Keep what is remembered for speed within bounds."""
        for known in (self._plain, self._said):
            if len(known) > _MOST_KNOWN:
                known.clear()

    def merge(self, other: Gathered) -> None:
        """Take what was gathered elsewhere."""
        self.left_out += other.left_out
        for key, sight in other.sights.items():
            self._join(key, sight)

    def portable(self) -> Gathered:
        """The same for another process: without what only helps to go on."""
        self._plain, self._said = {}, {}
        return self

    def first_to_last(self) -> list[Sight]:
        """The sights in the order in which they began; what has no time comes after what has one."""
        return sorted(self.sights.values(), key=lambda sight: sight.when)

    def _again(self, shape: bytes) -> None:
        """One more line that differs in its numbers only from one that holds neither an error nor a code.

        Large logs have millions of them; all else about them is known from the first.
        """
        sight = self._plain[shape]
        if sight is not None:
            sight.count += 1

    def _add(self, line: Line, order: tuple[str, int, int], path: str, quoted: bool) -> Sight | None:
        """Keep a line, unless it says nothing to anybody."""
        codes, error = tuple(decode(line.text)), bool(_ERROR.search(line.text))
        if not (codes or error or _speaks(line.text)) or is_usual(line.text):
            return None
        key = (tuple((code.family, code.code) for code in codes), _NUMBER.sub("0", line.text[:_MOST_IN_KEY]))
        owners = {line.process: line.time} if line.process else {}
        return self._join(key, Sight(line, codes, error, order, 1, owners, path, order[2], quoted))

    def _join(self, key: object, sight: Sight) -> Sight | None:
        known = self.sights.get(key)
        if known is None and len(self.sights) >= MOST_SIGHTS:
            self.left_out += sight.count
            return None
        if known is None:
            self.sights[key] = sight
            return sight
        known.count += sight.count
        known.own(sight.owners)
        known.quoted = known.quoted and sight.quoted
        if sight.order < known.order:
            known.line, known.order, known.small = sight.line, sight.order, sight.small
            known.path, known.offset = sight.path, sight.offset
        return known


def _said(raw: bytes) -> tuple[bytes, str]:
    """What a line of a plog says, without whose it is and when; and whose. Other lines: as they stand."""
    head = _HEAD.match(raw)
    return (raw[head.end() :] + b"\n" + head[1], f"pid {head[2].decode()}") if head else (raw, "")


def _speaks(text: str) -> bool:
    """Whether a line has words that a signature looks for."""
    return bool(prepared(words()).found_in(text.lower()))
