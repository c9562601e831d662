"""How text may look where it goes: its width, colours or none, everything or the short form."""

from __future__ import annotations

from npudoctor.dataclass import dataclass
from npudoctor.finding import Status

_CODES = {
    Status.FAIL: "1;31",
    Status.UNKNOWN: "1;35",
    Status.WARN: "1;33",
    Status.PASS: "32",
    Status.SKIP: "2",
    Status.WAIVED: "36",
}


@dataclass(frozen=True, slots=True)
class Style:
    """The look of a text report.

    Attributes:
        width: Columns; all but commands is wrapped to it.
        colour: Whether ANSI colours may be used.
        verbose: Passes, skips and all evidence too.
    """

    width: int = 100
    colour: bool = False
    verbose: bool = False

    def word(self, status: Status, width: int = 7) -> str:
        """The status word, padded to a column and coloured by what it says."""
        return self._paint(_CODES[status], status.value.upper().ljust(width))

    def bold(self, text: str) -> str:
        """Text that the eye should find first."""
        return self._paint("1", text)

    def dim(self, text: str) -> str:
        """Text that may be passed over."""
        return self._paint("2", text)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text
