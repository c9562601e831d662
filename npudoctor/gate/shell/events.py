"""What a script does, as far as its text says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.gate.shell.word import Word


@dataclass(frozen=True, slots=True)
class Exported:
    """A variable that programs of the script see.

    Attributes:
        value: The text, with holes.
        file: The file that sets it; a sourced one, where it is set there.
        line: Where, 1-based.
    """

    name: str
    value: Word
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Command:
    """A command that is run.

    Attributes:
        words: Program and arguments; at least one.
        environment: What it sees of exported variables, by name.
        file: The file that holds it.
        sure: Whether it is run however the branches go.
        damaged: Whether the shell's grammar was not understood there, so that words may be missing.
    """

    words: tuple[Word, ...]
    environment: Mapping[str, Exported]
    file: str
    sure: bool
    damaged: bool = False

    @property
    def line(self) -> int:
        """Where it begins."""
        return self.words[0].line

    @property
    def text(self) -> str:
        """The command line for a person."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that sets a variable and is refused by the shell, or sets it empty: `export X = Y`."""

    name: str
    text: str
    file: str
    line: int
    meant: str


@dataclass(frozen=True, slots=True)
class Written:
    """Text that a script writes into a file: `cat > FILE <<EOF`.

    Attributes:
        path: The file; None for the input of a program.
        raw: The text, with holes.
        line: The first line of the text.
    """

    path: str | None
    raw: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Script:
    """Everything that was read out of one script.

    Attributes:
        exported: What its programs see in the end, by name.
        complaint: Why part of it could not be read; None where all could.
    """

    commands: tuple[Command, ...]
    exported: Mapping[str, Exported]
    refused: tuple[Refused, ...]
    written: tuple[Written, ...]
    sourced: tuple[str, ...]
    complaint: str | None
