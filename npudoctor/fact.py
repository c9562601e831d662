"""A fact read from a host: its value, the text that proves it, or why it could not be read.

A fact that could not be read never has a default. Touching its `value` raises `Unavailable`, and the
check runner turns that into an `unknown` finding in one place, so no check tests for missing data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
U = TypeVar("U")

Reason = Literal["absent", "not-collected", "denied", "failed", "timeout", "cut-off", "unreadable"]
"""`absent`: looked for and not there. `not-collected`: nobody looked. The rest: looked at in vain."""


class Unavailable(Exception):
    """Why a fact could not be read, in words for a person, and where it was looked for."""

    def __init__(self, why: str, source: str = "", reason: Reason = "not-collected") -> None:
        super().__init__(why)
        self.why = why
        self.source = source
        self.reason = reason


class ParseError(ValueError):
    """Text that a parser does not understand: what it expected and what it saw."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where something was read, and the line itself.

    Attributes:
        source: The file path or the command line.
        text: The line (or the few lines) that prove it, as printed.
        line: Its number in the file `source`, from 1; None where nobody would open a file there.
    """

    source: str
    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """One value of a host with its evidence, or the reason why there is none."""

    content: T | Unavailable
    evidence: tuple[Evidence, ...] = ()

    @property
    def value(self) -> T:
        """The value; raises `Unavailable` where it could not be read."""
        if isinstance(self.content, Unavailable):
            raise self.content
        return self.content

    @property
    def known(self) -> bool:
        """Whether the value could be read."""
        return not isinstance(self.content, Unavailable)

    @property
    def absent(self) -> bool:
        """Whether it was looked for and is not there (a fact too, unlike "nobody looked")."""
        return isinstance(self.content, Unavailable) and self.content.reason == "absent"

    def or_none(self) -> T | None:
        """The value or None, for facts that only refine a verdict and never decide it."""
        return None if isinstance(self.content, Unavailable) else self.content

    def map(self, function: Callable[[T], U], text: str | None = None) -> Fact[U]:
        """Derive a fact: `function` of the value, with the same evidence (or `text` in its place).

        A `ParseError` makes the new fact unavailable; an unavailable fact stays so.
        """
        if isinstance(self.content, Unavailable):
            return Fact(self.content, self.evidence)
        source = self.evidence[0].source if self.evidence else ""
        try:
            value = function(self.content)
        except ParseError as error:
            return Fact(Unavailable(f"{source}: {error}", source, "unreadable"), self.evidence)
        except Unavailable as error:
            return Fact(error, self.evidence)
        return Fact(value, self.evidence if text is None else (Evidence(source, text),))


def known(value: T, source: str, text: str = "") -> Fact[T]:
    """A fact that was read from `source`, proven by the line `text`."""
    return Fact(value, (Evidence(source, text or str(value)),))


def unavailable(why: str, source: str = "", reason: Reason = "not-collected") -> Fact[T]:
    """A fact that could not be read."""
    return Fact(Unavailable(why, source, reason))


def first_known(*facts: Fact[T]) -> Fact[T]:
    """The first fact that could be read; where there is none, the first reason that says most."""
    for fact in facts:
        if fact.known:
            return fact
    missing = [fact for fact in facts if not fact.absent and not _nobody_looked(fact)]
    return (missing or list(facts))[0]


def _nobody_looked(fact: Fact[T]) -> bool:
    return isinstance(fact.content, Unavailable) and fact.content.reason == "not-collected"
