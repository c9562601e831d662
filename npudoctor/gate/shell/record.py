"""What is found while a script is walked through, and the bounds that keep it short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from npudoctor.gate.shell.events import Command, Refused, Written
from npudoctor.gate.shell.heredoc import heredoc
from npudoctor.gate.shell.loops import assigned_names
from npudoctor.gate.shell.tree import LARGEST, parse
from npudoctor.gate.shell.word import Word, cleaned
from npudoctor.words import _

if TYPE_CHECKING:
    from tree_sitter import Node

    from npudoctor.gate.shell.scope import Scope, Variable
    from npudoctor.gate.shell.walk import Walk

Sourced = Callable[[str, str], tuple[str, str] | None]
"""`(path as written, file that sources it)` to the path and text of the file; None where nobody has it."""

_MOST_STEPS = 10_000
_MOST_CALLS = 32
"""Of one function; what it sets is open after further ones."""
_DEEPEST = 12


class Record:
    """The findings of one script and of every text that it runs inside."""

    def __init__(self, sourced: Sourced) -> None:
        self.commands: list[Command] = []
        self.refused: list[Refused] = []
        self.written: list[Written] = []
        self.sourced: list[str] = []
        self.called: Counter[str] = Counter()
        self.complaint: str | None = None
        self.damaged = False
        self.find = sourced
        self._steps = 0
        self._depth = 0
        self._locals: list[dict[str, Variable | None]] = []

    def step(self) -> bool:
        """Whether there is still time for one more statement."""
        self._steps += 1
        if self._steps == _MOST_STEPS:
            self.complaint = _("too many steps to follow")
        return self._steps < _MOST_STEPS

    def text(self, file: str, source: bytes, first_line: int, scope: Scope) -> None:
        """Walk through a text: the script itself, or one inside it."""
        from npudoctor.gate.shell.walk import Walk

        if len(source) > LARGEST:
            self.complaint = _("too long to follow")
        if self._depth >= _DEEPEST or len(source) > LARGEST:
            return
        root = parse(source)
        if root is None:
            self.complaint = _("the shell's grammar is not understood")
            return
        self._depth += 1
        Walk(self, file, source, first_line).run(root.named_children, scope)
        self._depth -= 1

    def call(self, name: str, walk: Walk, body: Node, scope: Scope) -> None:
        """Walk through the body of a function; variables that are its own are gone afterwards."""
        self.called[name] += 1
        if self._depth >= _DEEPEST or self.called[name] > _MOST_CALLS:
            for changed in assigned_names(body, walk.expander.text_of):
                scope.forget(changed)
            return
        self._depth += 1
        self._locals.append({})
        walk.run(body.named_children, scope)
        for own, before in self._locals.pop().items():
            scope.put(own, before)
        self._depth -= 1

    def local(self, name: str, scope: Scope) -> None:
        """Remember what a name meant outside the function."""
        if self._locals:
            self._locals[-1].setdefault(name, scope.variables.get(name))

    def command(self, words: list[Word], scope: Scope, file: str, damaged: bool) -> None:
        """Note a command with the variables that it sees."""
        self.commands.append(Command(tuple(words), scope.exported, file, scope.sure, damaged))

    def refuse(self, refused: tuple[str, str, str], file: str, line: int) -> None:
        """Note a line that the shell refuses: the variable, the line and what was meant."""
        name, text, meant = refused
        self.refused.append(Refused(name, text, file, line, meant))

    def redirected(self, walk: Walk, node: Node, scope: Scope) -> None:
        """Note the text that goes into a file or a program."""
        found = heredoc(walk, node, scope)
        if found:
            path, raw, line = found
            self.written.append(Written(path, raw, walk.file, line))

    def mark(self) -> int:
        """How many commands there are by now."""
        return len(self.commands)

    def since(self, mark: int) -> list[Command]:
        """The commands after a mark."""
        return self.commands[mark:]

    def source(self, path: Word, file: str, scope: Scope) -> bool:
        """Run a file of the repository in this shell; whether it is there."""
        found = self.find(path.raw, file)
        if found is None:
            return False
        self.sourced.append(found[0])
        self.text(found[0], cleaned(found[1]).encode(), 1, scope)
        if scope.ended == "return":
            scope.ended = ""
        return True
