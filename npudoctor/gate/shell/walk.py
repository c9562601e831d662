"""A script statement by statement: every branch is taken, loops are unrolled where their bounds are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.shell.builtins import BUILTINS, declared, refused_line
from npudoctor.gate.shell.expand import Expander
from npudoctor.gate.shell.loops import assigned_names, counted, listed
from npudoctor.gate.shell.printed import printed
from npudoctor.gate.shell.word import Word, hole
from npudoctor.gate.shell.wrapped import inner_script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tree_sitter import Node

    from npudoctor.gate.shell.record import Record
    from npudoctor.gate.shell.scope import Scope, Value

_REDIRECTS = ("file_redirect", "herestring_redirect", "heredoc_redirect")
_TESTS = ("test_command", "negated_command")
_ASKS = ("[", "test", "grep", "command", "which", "type", "hash")


class Walk:
    """Walks through one text; what it finds goes into the record, which nested texts share."""

    def __init__(self, record: Record, file: str, source: bytes, first_line: int) -> None:
        self.record = record
        self.file = file
        self.source = source
        self.first_line = first_line
        self._scope: Scope | None = None
        self.expander = Expander(source, first_line, self._printed)
        self._damaged = False

    def run(self, nodes: Iterable[Node], scope: Scope) -> None:
        """Run statements one after the other."""
        for node in nodes:
            if scope.ended:
                return
            self.statement(node, scope)

    def statement(self, node: Node, scope: Scope) -> None:
        """Run one statement."""
        if not self.record.step():
            scope.ended = "exit"
            return
        self._scope = scope
        handler = _HANDLERS.get(node.type)
        if handler:
            handler(self, node, scope)
        elif node.type == "ERROR":
            self._damage(node, scope)
        else:
            self.run(node.named_children, scope)

    def text(self, source: bytes, first_line: int, scope: Scope, file: str = "") -> None:
        """Run a text that stands in a word, a file or a heredoc of this one."""
        self.record.text(file or self.file, source, first_line, scope)

    def call(self, name: str, arguments: tuple[str, ...] | None, scope: Scope) -> None:
        """Run a function of the script."""
        body, source, file, first_line = scope.functions[name]
        before, scope.arguments = scope.arguments, arguments
        self.record.call(name, Walk(self.record, file, source, first_line), body, scope)
        scope.arguments = before
        if scope.ended == "return":
            scope.ended = ""

    def words(self, nodes: Iterable[Node], scope: Scope) -> list[Word]:
        """The words of several nodes."""
        self._scope = scope
        return [word for node in nodes if node.type != "comment" for word in self.expander.words(node, scope)]

    def set(self, node: Node, scope: Scope, exported: bool = False) -> str:
        """Carry out an assignment; the variable's name."""
        name, index, value = self._assigned(node, scope)
        before = scope.variables.get(name)
        if index:
            value = _with_element(before.elements if before else (), index, value)
        elif self._is_appended(node):
            value = _appended(before.value if before else "", value)
        scope.set(name, value, self.file, self.expander.line_of(node), exported)
        return name

    def _assigned(self, node: Node, scope: Scope) -> tuple[str, str, Value]:
        target, value = node.children[0], node.child_by_field_name("value")
        name, _bracket, index = self.expander.text_of(target).partition("[")
        if value is not None and value.type == "array":
            words = self.words(value.named_children, scope)
            return name, "", tuple(word.raw for word in words)
        self._scope = scope
        return name, index.rstrip("]"), self.expander.scalar(value, scope)

    def _is_appended(self, node: Node) -> bool:
        return any(child.type == "+=" for child in node.children)

    def _damage(self, node: Node, scope: Scope) -> None:
        self.record.damaged = True
        before, self._damaged = self._damaged, True
        self.run(node.named_children, scope)
        self._damaged = before

    def _command(self, node: Node, scope: Scope) -> None:
        children = [child for child in node.named_children if child.type not in _REDIRECTS]
        assigned = [child for child in children if child.type == "variable_assignment"]
        prefixes = [child for child in assigned if self._is_name(child)]
        names = [
            child for child in children if child.type == "command_name" and child.end_byte > child.start_byte
        ]
        arguments = [child for child in children if child.type not in ("variable_assignment", "command_name")]
        words = [self._option(child, scope) for child in assigned if child not in prefixes]
        words += self.words([one.named_children[0] if one.named_children else one for one in names], scope)
        words += self.words(arguments, scope)
        if node.parent is not None and node.parent.type == "redirected_statement":
            words += self.words(_behind_redirects(node.parent), scope)
        if not words:
            return
        inner = scope.copy() if prefixes else scope
        for prefix in prefixes:
            self.set(prefix, inner, exported=True)
        broken = node.has_error and bool(names)  # where only options stand, the grammar misses a command
        self._run_words(words, inner, broken or self._damaged)
        scope.ended = inner.ended

    def _run_words(self, words: list[Word], scope: Scope, damaged: bool) -> None:
        name = words[0].value
        if name in scope.functions:
            spread = any(word.spread for word in words)
            self.call(name or "", None if spread else tuple(word.raw for word in words[1:]), scope)
        elif name in BUILTINS:
            BUILTINS[name or ""](self, words, scope)
        elif script := inner_script(words):
            self.text(script.raw.encode(), script.line, scope.copy())
        else:
            self.record.command(words, scope, self.file, damaged)

    def _declaration(self, node: Node, scope: Scope) -> None:
        refused = refused_line(self.expander.text_of(node))
        if refused:
            self.record.refuse(refused, self.file, self.expander.line_of(node))
        declared(self, node, scope)

    def _assignment(self, node: Node, scope: Scope) -> None:
        if self._is_name(node):
            self.set(node, scope)
        else:
            self.record.command([self._option(node, scope)], scope, self.file, self._damaged)

    def _is_name(self, node: Node) -> bool:
        """Whether an assignment is to a variable; the grammar takes `--option=value` for one too."""
        return not self.expander.text_of(node).startswith("-")

    def _option(self, node: Node, scope: Scope) -> Word:
        self._scope = scope
        name = self.expander.text_of(node.children[0])
        value = self.expander.scalar(node.child_by_field_name("value"), scope)
        return Word(f"{name}={value}", self.expander.line_of(node))

    def _if(self, node: Node, scope: Scope) -> None:
        branches = [scope.copy()]
        has_else = False
        for child in node.named_children:
            if child.type in ("elif_clause", "else_clause"):
                branch = scope.copy()
                branch.sure = False
                self.run(child.named_children, branch)
                branches.append(branch)
                has_else = has_else or child.type == "else_clause"
            elif self._is_condition(node, child):
                self.statement(child, scope)
                branches[0] = scope.copy()
                branches[0].sure = False
            elif not branches[0].ended:
                self.statement(child, branches[0])
        scope.join(branches if has_else else [*branches, scope.copy()])

    def _is_condition(self, node: Node, child: Node) -> bool:
        then = next((one for one in node.children if one.type == "then"), None)
        return then is not None and child.end_byte <= then.start_byte

    def _case(self, node: Node, scope: Scope) -> None:
        branches, covered = [], False
        for item in (child for child in node.named_children if child.type == "case_item"):
            branch = scope.copy()
            branch.sure = False
            values = [item.child_by_field_name("value")]
            covered = covered or any(one is not None and self.expander.text_of(one) == "*" for one in values)
            patterns = [one.id for one in item.children_by_field_name("value")]
            self.run([child for child in item.named_children if child.id not in patterns], branch)
            branches.append(branch)
        scope.join(branches if covered else [*branches, scope.copy()])

    def _for(self, node: Node, scope: Scope) -> None:
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        name = self.expander.text_of(variable) if variable else ""
        words = self.words(node.children_by_field_name("value"), scope)
        items = listed(words) if any(one.type == "in" for one in node.children) else scope.arguments
        self._loop(node, body, name, items, scope)

    def _c_for(self, node: Node, scope: Scope) -> None:
        name, items = counted(self.expander.text_of(node), scope)
        self._loop(node, node.child_by_field_name("body"), name, items, scope)

    def _while(self, node: Node, scope: Scope) -> None:
        self._loop(node, node, "", None, scope)

    def _loop(
        self, node: Node, body: Node | None, name: str, items: Iterable[str] | None, scope: Scope
    ) -> None:
        if body is None:
            return
        line = self.expander.line_of(node)
        if items is None:
            self._open_loop(body, name, line, scope)
            return
        for item in items:
            scope.set(name, item, self.file, line)
            self.run(body.named_children, scope)
            if scope.ended:
                break
        if scope.ended == "loop":
            scope.ended = ""

    def _open_loop(self, body: Node, name: str, line: int, scope: Scope) -> None:
        """Any number of rounds: whatever the body changes is open in it and behind it."""
        inside = scope.copy()
        inside.sure = False
        if name:
            inside.set(name, hole(name), self.file, line)
        for changed in assigned_names(body, self.expander.text_of):
            inside.forget(changed)
        self.run(body.named_children, inside)
        if inside.ended == "loop":
            inside.ended = ""
        scope.join([scope.copy(), inside])

    def _list(self, node: Node, scope: Scope) -> None:
        left, right = node.named_children[0], node.named_children[-1]
        self.statement(left, scope)
        if scope.ended or len(node.named_children) < 2:
            return
        either = any(child.type == "||" for child in node.children)
        if not either and not self._is_question(left):
            self.statement(right, scope)
            return
        branch = scope.copy()
        branch.sure = scope.sure and not either
        self.statement(right, branch)
        scope.join([scope.copy(), branch])

    def _is_question(self, node: Node) -> bool:
        return node.type in _TESTS or self.expander.text_of(node).split(maxsplit=1)[0] in _ASKS

    def _apart(self, node: Node, scope: Scope) -> None:
        """A subshell or a pipe: what it sets is gone afterwards."""
        inner = scope.copy()
        for child in node.named_children:
            self.statement(child, inner)
            inner.ended = ""

    def _redirected(self, node: Node, scope: Scope) -> None:
        self.record.redirected(self, node, scope)
        self.run([child for child in node.named_children if child.type not in _REDIRECTS], scope)

    def _function(self, node: Node, scope: Scope) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            scope.functions[self.expander.text_of(name)] = (body, self.source, self.file, self.first_line)

    def _unset(self, node: Node, scope: Scope) -> None:
        for word in self.words(node.named_children, scope):
            scope.put(word.raw, None)

    def _test(self, node: Node, scope: Scope) -> None:
        """Only what is run inside `$(…)` of a test matters."""
        stack = list(node.named_children)
        while stack:
            child = stack.pop()
            if child.type == "command_substitution":
                self._scope = scope
                self._printed(child)
            else:
                stack.extend(child.named_children)

    def _nothing(self, node: Node, scope: Scope) -> None:
        """A comment."""

    def _printed(self, node: Node) -> str | None:
        """Run what stands in `$(…)`, and say what it prints where that is known."""
        scope = self._scope
        if scope is None:
            return None
        inner = scope.copy()
        marked = self.record.mark()
        self.run(node.named_children, inner)
        self._scope = scope
        return printed(self.record.since(marked), inner)


def _behind_redirects(node: Node) -> list[Node]:
    """Arguments that stand behind `> FILE`; the grammar takes them for further files."""
    redirects = [child for child in node.named_children if child.type == "file_redirect"]
    return [extra for one in redirects for extra in one.children_by_field_name("destination")[1:]]


_HANDLERS: dict[str, Callable[[Walk, Node, Scope], None]] = {
    "command": Walk._command,
    "declaration_command": Walk._declaration,
    "variable_assignment": Walk._assignment,
    "if_statement": Walk._if,
    "case_statement": Walk._case,
    "for_statement": Walk._for,
    "c_style_for_statement": Walk._c_for,
    "while_statement": Walk._while,
    "list": Walk._list,
    "pipeline": Walk._apart,
    "subshell": Walk._apart,
    "redirected_statement": Walk._redirected,
    "function_definition": Walk._function,
    "unset_command": Walk._unset,
    "test_command": Walk._test,
    "comment": Walk._nothing,
    "heredoc_body": Walk._nothing,
}


def _appended(before: Value, value: Value) -> Value:
    if isinstance(before, str) and isinstance(value, str):
        return before + value
    first = (before,) if isinstance(before, str) and before else before or ()
    if isinstance(value, str):  # `A+=x` of an array goes to its first element
        return (first[0] + value, *first[1:]) if first else value
    return (*first, *value)


def _with_element(before: tuple[str, ...], index: str, value: Value) -> Value:
    text = value if isinstance(value, str) else " ".join(value)
    if not index.isdecimal() or int(index) > len(before):
        return (*before, text)
    return (*before[: int(index)], text, *before[int(index) + 1 :])
