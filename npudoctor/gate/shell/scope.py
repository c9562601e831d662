"""Variables, functions and arguments at one point of a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.gate.shell.events import Exported
from npudoctor.gate.shell.word import Word, hole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

_LONGEST = 64 * 1024
_MOST_WORDS = 4096

Value = str | tuple[str, ...]
"""The raw text of a variable, or the raw texts of an array; with holes where open."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable's value and the place that set it (1-based line)."""

    value: Value
    file: str
    line: int
    exported: bool = False

    @property
    def scalar(self) -> str:
        """What `$NAME` gives: of an array its first element."""
        if isinstance(self.value, str):
            return self.value
        return self.value[0] if self.value else ""

    @property
    def elements(self) -> tuple[str, ...]:
        """What `${NAME[@]}` gives."""
        return (self.value,) if isinstance(self.value, str) else self.value


class Scope:
    """What a shell knows at one point. A branch works on a copy, and the copies are joined afterwards."""

    def __init__(self) -> None:
        self.variables: dict[str, Variable] = {}
        self.functions: dict[str, tuple[Node, bytes, str, int]] = {}
        self.arguments: tuple[str, ...] | None = None
        self.all_exported = False
        self.blind = False
        """Whether a file that nobody can read here was sourced: any variable may have been set by it."""
        self.ended = ""
        """What was left: `exit` (the shell), `return` (a function), `loop`; empty while it goes on."""
        self.sure = True
        self._exported: dict[str, Exported] | None = None

    def copy(self) -> Scope:
        """A copy whose changes stay its own."""
        other = Scope()
        other.__dict__.update(self.__dict__)
        other.variables = dict(self.variables)
        other.functions = dict(self.functions)
        return other

    def set(self, name: str, value: Value, file: str, line: int, exported: bool = False) -> None:
        """Give a variable a value; what was exported stays so."""
        before = self.variables.get(name)
        seen = exported or self.all_exported or (before is not None and before.exported)
        self.put(name, Variable(_bounded(name, value), file, line, seen))

    def put(self, name: str, variable: Variable | None) -> None:
        """Put a variable in the place of another; none takes it away."""
        self._exported = None
        if variable is None:
            self.variables.pop(name, None)
        else:
            self.variables[name] = variable

    @property
    def exported(self) -> Mapping[str, Exported]:
        """What a program sees of the variables; the same mapping as long as nothing changes."""
        if self._exported is None:
            self._exported = {
                name: Exported(name, Word(one.scalar, one.line), one.file, one.line)
                for name, one in self.variables.items()
                if one.exported
            }
        return self._exported

    def forget(self, name: str) -> None:
        """Leave a variable open: it was given a value that nobody can know here."""
        before = self.variables.get(name)
        if before is not None:
            self.put(name, Variable(hole(name), before.file, before.line, before.exported))

    def forget_all(self) -> None:
        """Leave every variable open: a file was sourced that nobody can read here."""
        self.blind = True
        for name in list(self.variables):
            self.forget(name)

    def join(self, branches: Sequence[Scope]) -> None:
        """Go on after branches of which one was taken: only what they agree on is known."""
        open_ends = [branch for branch in branches if not branch.ended]
        if not open_ends:
            self.ended = next((branch.ended for branch in branches), "")
            return
        first = open_ends[0]
        self._exported = None
        names = dict.fromkeys(name for branch in open_ends for name in branch.variables)
        self.variables = {
            name: _joined(name, [one.variables.get(name) for one in open_ends]) for name in names
        }
        self.functions = {name: body for branch in open_ends for name, body in branch.functions.items()}
        self.blind = any(branch.blind for branch in open_ends)
        self.all_exported = first.all_exported
        self.arguments = first.arguments if all(o.arguments == first.arguments for o in open_ends) else None


def _joined(name: str, found: list[Variable | None]) -> Variable:
    values = {one.value if one else None for one in found}
    last = next(one for one in reversed(found) if one)
    if len(values) == 1:
        return last
    return Variable(hole(name), last.file, last.line, last.exported)


def _bounded(name: str, value: Value) -> Value:
    """A value that doubles in a loop must not fill the memory."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else hole(name)
    return value if len(value) <= _MOST_WORDS and sum(map(len, value)) <= _LONGEST else (hole(name),)
