"""Kind, owner and mode of the files and folders that `ls -ld` looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, ParseError, known, unavailable
from npudoctor.parse.listing import Listed, Listing, parse_listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.collect.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Paths:
    """What is known of each path that was looked at."""

    facts: Mapping[str, Fact[Listed]]
    """By absolute path: what it is, or that it is not there."""

    def of(self, path: str) -> Fact[Listed]:
        """What the path is; absent where it is not there, not collected where nobody looked."""
        missing: Fact[Listed] = unavailable(f"{path}: not collected", path)
        return self.facts.get(path.rstrip("/") or "/", missing)

    def is_there(self, path: str) -> bool | None:
        """Whether it is there; None where nobody looked."""
        fact = self.of(path)
        if fact.known:
            return True
        return False if fact.absent else None


def read_paths(snapshot: Snapshot) -> Paths:
    """Read every `ls -ld` of a snapshot; a path in two of them counts as the first one says."""
    facts: dict[str, Fact[Listed]] = {}
    for entry in snapshot.matching("commands/ls_-ld_*"):
        for path, fact in _facts(entry.all_text, entry.origin):
            facts.setdefault(path, fact)
    return Paths(facts)


def _facts(text: str, command: str) -> list[tuple[str, Fact[Listed]]]:
    try:
        listing = parse_listing(text)
    except ParseError:  # no path of it becomes known: whoever asks is told that it was not collected
        listing = Listing((), ())
    found = [(row.path, known(row, command, row.line)) for row in listing.rows]
    return found + [(path, _not_there(path, command)) for path in listing.missing]


def _not_there(path: str, command: str) -> Fact[Listed]:
    return unavailable(f"{path}: not there", command, "absent")
