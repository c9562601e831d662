"""Words of the syntax tree to words as the shell would pass them on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from npudoctor.gate.shell import braces
from npudoctor.gate.shell.arithmetic import calculated
from npudoctor.gate.shell.parameter import OPERATOR, altered, defaulted
from npudoctor.gate.shell.word import Word, hole, is_hole
from npudoctor.regex import regex

if TYPE_CHECKING:
    from tree_sitter import Node

    from npudoctor.gate.shell.scope import Scope

Substitute = Callable[["Node"], str | None]
"""What a command prints, where that is known."""

Piece = tuple[str, str] | tuple[tuple[str, ...], str]
"""Text and how it is treated: `literal` (braces count), `quoted`, `split` (at blanks), `words` (several)."""

_TOKEN = regex("\ue002(\\d+)\ue003")
_BLANKS = regex(r"[ \t\n]+")
_ESCAPED = regex(r"\\(\n|.)", re.DOTALL)
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "e": "\x1b"}


class Expander:
    """Expands words of one source text with the variables of a scope."""

    def __init__(self, source: bytes, first_line: int, substitute: Substitute) -> None:
        self._source = source
        self._first = first_line
        self._substitute = substitute

    def text_of(self, node: Node) -> str:
        """A node's own text."""
        return self._between(node.start_byte, node.end_byte)

    def line_of(self, node: Node) -> int:
        """The 1-based line where a node starts, in the file."""
        return int(node.start_point.row) + self._first

    def words(self, node: Node, scope: Scope) -> list[Word]:
        """The words that a word becomes: none, one or several."""
        line = self.line_of(node)
        if node.type in ("word", "number"):
            text = self.text_of(node)
            if "\\" not in text and "{" not in text:  # most words: nothing in them expands
                return [Word(text, line)]
        pieces = list(self._pieces(node, scope, quoted=False))
        return [Word(raw, line, spread) for raw, spread in _fields(pieces)]

    def scalar(self, node: Node | None, scope: Scope) -> str:
        """The one text of a word where it is not split: the right side of an assignment."""
        if node is None:
            return ""
        return "".join(_flat(piece) for piece in self._pieces(node, scope, quoted=False))

    def filled(self, node: Node, scope: Scope) -> str:
        """The text of a heredoc with its variables put in."""
        pieces = self._inside(node, node.start_byte, node.end_byte, scope, quoted=True)
        return "".join(_flat(piece) for piece in pieces)

    def _pieces(self, node: Node, scope: Scope, quoted: bool) -> Iterator[Piece]:
        kind = node.type
        if kind == "raw_string":
            yield self.text_of(node)[1:-1], "quoted"
        elif kind == "ansi_c_string":
            yield _ansi(self.text_of(node)[2:-1]), "quoted"
        elif kind in ("string", "translated_string"):
            yield from self._string(node, scope)
        elif kind == "concatenation":
            yield from self._inside(node, node.start_byte, node.end_byte, scope, quoted)
        elif kind in ("simple_expansion", "expansion"):
            yield from self._expansion(node, scope, quoted)
        elif kind == "command_substitution":
            printed = self._substitute(node)
            yield hole("(…)") if printed is None else printed, "quoted" if quoted else "split"
        elif kind == "arithmetic_expansion":
            yield self._arithmetic(node, scope), "quoted"
        elif kind == "process_substitution":
            self._substitute(node)
            yield hole("(…)"), "quoted"
        else:
            text = self.text_of(node)
            yield (_unquoted(text) if quoted else _unescaped(text)), "quoted" if quoted else "literal"

    def _string(self, node: Node, scope: Scope) -> Iterator[Piece]:
        opening = self.text_of(node).index('"') + 1
        end = node.end_byte - (1 if self.text_of(node).endswith('"') else 0)
        pieces = list(self._inside(node, node.start_byte + opening, end, scope, quoted=True))
        if len(pieces) != 1 or not isinstance(pieces[0][0], tuple):
            yield "", "quoted"  # even an empty string is a word; "${ARRAY[@]}" of none is none
        yield from pieces

    def _inside(self, node: Node, start: int, end: int, scope: Scope, quoted: bool) -> Iterator[Piece]:
        """The children between two places, and the text that no child covers."""
        at = start
        for child in node.children:
            if child.start_byte < at or child.end_byte > end or child.type == '"':
                continue
            if child.start_byte > at:
                yield self._gap(at, child.start_byte, quoted)
            yield from self._pieces(child, scope, quoted)
            at = child.end_byte
        if at < end:
            yield self._gap(at, end, quoted)

    def _gap(self, start: int, end: int, quoted: bool) -> Piece:
        text = self._between(start, end)
        return (_unquoted(text), "quoted") if quoted else (_unescaped(text), "literal")

    def _between(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")

    def _arithmetic(self, node: Node, scope: Scope) -> str:
        text = self.text_of(node)
        inner = text[3:-2] if text.startswith("$((") else text[2:-1]
        return calculated(inner, scope)

    def _expansion(self, node: Node, scope: Scope, quoted: bool) -> Iterator[Piece]:
        kind = "quoted" if quoted else "split"
        subject = next((child for child in node.named_children if child.type in _SUBJECTS), None)
        before = self._between(node.start_byte, subject.start_byte) if subject else ""
        if subject is None or "!" in before or "#" in before:
            yield hole(self.text_of(node).strip("${}")), kind
            return
        name, index = self._subject(subject)
        operator, rest = self._operator(node, subject, scope)
        if index in ("@", "*") or name in ("@", "*"):
            yield (
                _listed(name, operator, rest, scope),
                "words" if index == "@" or name == "@" or not quoted else kind,
            )
            return
        yield self._value(name, index, operator, rest, scope), kind

    def _subject(self, subject: Node) -> tuple[str, str]:
        if subject.type != "subscript":
            return self.text_of(subject), ""
        name, _bracket, index = self.text_of(subject).partition("[")
        return name, index.rstrip("]").strip("\"'")

    def _operator(self, node: Node, subject: Node, scope: Scope) -> tuple[str, str]:
        """The operator behind the name, and the raw text behind it."""
        if node.type != "expansion":
            return "", ""
        match = OPERATOR.match(self._between(subject.end_byte, node.end_byte - 1))
        if match is None:
            return "", ""
        start = subject.end_byte + len(match[0])
        pieces = self._inside(node, start, node.end_byte - 1, scope, quoted=True)
        return match[0], "".join(_flat(piece) for piece in pieces)

    def _value(self, name: str, index: str, operator: str, rest: str, scope: Scope) -> str:
        value = _read(name, index, scope)
        if not operator:
            return hole(name) if value is None else value
        given = defaulted(name, value, operator, rest)
        if given is None:
            return hole(name) if value is None else altered(name, value, operator, rest)
        if operator.endswith("=") and value != given:
            scope.set(name, given, "", 0)
        return given


_SUBJECTS = ("variable_name", "special_variable_name", "subscript")


def _read(name: str, index: str, scope: Scope) -> str | None:
    """The raw text of a variable, an argument or an element; None where it is not set here."""
    if name.isdecimal():
        return _argument(int(name), scope)
    variable = scope.variables.get(name)
    if variable is None:
        return None
    if not index or index == "0":
        return variable.scalar
    elements = variable.elements
    if index.isdecimal() and len(index) < 6 and not any(is_hole(one) for one in elements):
        return elements[int(index)] if int(index) < len(elements) else ""
    return hole(name)


def _argument(number: int, scope: Scope) -> str | None:
    if number == 0 or scope.arguments is None:
        return None
    return scope.arguments[number - 1] if number <= len(scope.arguments) else None


def _listed(name: str, operator: str, rest: str, scope: Scope) -> tuple[str, ...]:
    """All elements of an array, or all arguments."""
    if name in ("@", "*"):
        known = scope.arguments
    else:
        variable = scope.variables.get(name)
        known = variable.elements if variable else None
    if operator in (":-", "-") and not known:
        return (rest,) if rest else ()
    if operator in (":+", "+"):
        return (rest,) if known else ()
    if operator or known is None:
        return (hole(name),)
    return known


def _fields(pieces: list[Piece]) -> list[tuple[str, bool]]:
    """Brace expansion, then splitting at blanks; each word with whether it may be any number of words."""
    found: list[tuple[str, bool]] = []
    for text in braces.expanded("".join(_tokens(pieces))):
        found.extend(_split(_split_tokens(text, pieces)))
    return found


def _tokens(pieces: list[Piece]) -> Iterator[str]:
    for index, (text, kind) in enumerate(pieces):
        yield text if kind == "literal" and isinstance(text, str) else f"\ue002{index}\ue003"


def _split_tokens(text: str, pieces: list[Piece]) -> Iterator[Piece]:
    for index, part in enumerate(_TOKEN.split(text)):
        if index % 2:
            yield pieces[int(part)]
        elif part:
            yield part, "literal"


def _split(pieces: Iterator[Piece]) -> list[tuple[str, bool]]:
    words: list[list[Piece]] = [[]]
    for text, kind in pieces:
        if isinstance(text, tuple):
            _add_words(words, text)
        elif kind == "split":
            _add_split(words, text)
        else:
            words[-1].append((text, kind))
    return [("".join(map(_flat, word)), _is_spread(word)) for word in words if word]


def _add_words(words: list[list[Piece]], several: tuple[str, ...]) -> None:
    for index, text in enumerate(several):
        if index:
            words.append([])
        words[-1].append((text, "split" if is_hole(text) else "quoted"))


def _add_split(words: list[list[Piece]], text: str) -> None:
    parts = _BLANKS.split(text)
    for index, part in enumerate(parts):
        if index and words[-1]:
            words.append([])
        if part:
            words[-1].append((part, "split"))


def _is_spread(word: list[Piece]) -> bool:
    return all(kind == "split" and isinstance(text, str) and is_hole(text) for text, kind in word)


def _flat(piece: Piece) -> str:
    text = piece[0]
    return " ".join(text) if isinstance(text, tuple) else text


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: "" if found[1] == "\n" else found[1], text) if "\\" in text else text


def _unquoted(text: str) -> str:
    """Inside double quotes a backslash counts only before a few signs."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(
        lambda found: "" if found[1] == "\n" else found[1] if found[1] in '$`"\\' else found[0], text
    )


def _ansi(text: str) -> str:
    return _ESCAPED.sub(lambda found: _ANSI.get(found[1], found[0]), text)
