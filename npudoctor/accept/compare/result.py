"""What a comparison says: figures, the limits they are held to, and the worst examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Limit:
    """The least or the most that a figure may be."""

    figure: str
    value: float
    least: bool

    def holds(self, value: Any) -> bool:
        """Whether a figure keeps to it; one that could not be known or is no number does not."""
        if not isinstance(value, (int, float)):
            return False
        return value >= self.value if self.least else value <= self.value


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison.

    Attributes:
        kind: `logits`, `text` or `perplexity`.
        figures: By name; None where it cannot be known.
        limits: What the figures are held to.
        worst: Where the two differ most, the worst first.
    """

    kind: str
    figures: Mapping[str, float | int | None]
    limits: tuple[Limit, ...]
    worst: tuple[Mapping[str, Any], ...]

    @property
    def failed(self) -> tuple[Limit, ...]:
        """The limits that are not kept to."""
        return tuple(limit for limit in self.limits if not limit.holds(self.figures.get(limit.figure)))


def missing(library: str) -> UsageError:
    """The error for a library of the extra that is not there."""
    return UsageError(
        _("{library} is not installed").format(library=library), "pip install 'npudoctor[accept]'"
    )
