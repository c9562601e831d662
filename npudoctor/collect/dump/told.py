"""What a reader of dumps has to say besides the logs that it found."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_TOLD = 1000
"""Of each kind; a folder of a million unreadable files says it often enough."""


@dataclass
class Told:
    """What became of the files of a dump that gave no log, or not all of it.

    Attributes:
        logs: How many logs were read, whole or not.
        problems: What should have been read and was not, one line each.
        passed: What is no log, and was passed over: names with the reason.
        bundles: Paths of the bundles of `npudoctor collect` that were among them.
    """

    logs: int = 0
    problems: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    bundles: list[str] = field(default_factory=list)

    def problem(self, text: str) -> None:
        """Something could not be read wholly."""
        if len(self.problems) < MOST_TOLD:
            self.problems.append(text)

    def pass_over(self, text: str) -> None:
        """Something is no log."""
        if len(self.passed) < MOST_TOLD:
            self.passed.append(text)

    def add(self, other: Told) -> None:
        """What was told elsewhere."""
        self.logs += other.logs
        self.bundles += other.bundles
        for text in other.problems:
            self.problem(text)
        for text in other.passed:
            self.pass_over(text)


def shown(name: str) -> str:
    """A file's name for a person: no letters that steer a terminal, and none that is no letter at all."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(letter if letter.isprintable() else "?" for letter in text)
