"""What a check of the fleet keeps of each host: a few facts, so that ten thousand fit side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Member:
    """One host as one check of the fleet sees it.

    Attributes:
        name: The host's name.
        facts: What the check's `reads` gave.
        unread: Why `reads` gave nothing: a fact that it needs could not be read, or it failed itself.
        left_out: Why the host has no part in the check; empty where it has.
    """

    name: str
    facts: Mapping[str, Fact[Any]]
    unread: Unavailable | None = None
    left_out: str = ""

    def fact(self, what: str) -> Fact[Any]:
        """One of the facts; unavailable where this host has none of that name."""
        if self.unread is not None:
            return Fact(self.unread)
        return self.facts.get(what) or Fact(Unavailable(f"{what}: not there", reason="absent"))
