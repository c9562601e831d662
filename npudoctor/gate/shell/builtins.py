"""What the shell itself does: export, set, source, read, exit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.shell.word import Word, hole
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from npudoctor.gate.shell.scope import Scope
    from npudoctor.gate.shell.walk import Walk

_APART = regex(
    r"(?:export|declare\s+-x|readonly)\s+([A-Za-z_]\w*)(\s+=\s*|=\s+)([^\s=;&|#][^;&|#]*|\"[^\"]*\"|'[^']*')\s*"
)
_ASSIGNED = regex(r"[A-Za-z_]\w*=.*")
_HARMLESS = regex(
    r"(?:.*/)?(?:set_env\.sh|setenv\.bash|\.?bashrc|\.?profile|\.bash_profile|activate|conda\.sh|os-release|cargo/env"
    r"|env/bin/activate|\.cargo/env|vars\.sh|setvars\.sh|functions|bash_completion)"
)


def refused_line(text: str) -> tuple[str, str, str] | None:
    """Variable, line and what was meant, of `export X = Y` or `export X= Y`; None where it is right."""
    match = _APART.fullmatch(text.strip())
    if match is None or _ASSIGNED.match(match[3]):
        return None
    return match[1], text.strip(), f"export {match[1]}={match[3].strip()}"


def declared(walk: Walk, node: Node, scope: Scope) -> None:
    """`export`, `declare`, `local`, `readonly` with names and values."""
    keyword = walk.expander.text_of(node.children[0])
    flags = [walk.expander.text_of(one) for one in node.named_children if one.type == "word"]
    exported = keyword == "export" or any(flag.startswith("-") and "x" in flag for flag in flags)
    for child in node.named_children:
        if keyword == "local" or (keyword in ("declare", "typeset") and "-g" not in flags):
            walk.record.local(_name_in(walk, child), scope)
        if child.type == "variable_assignment":
            walk.set(child, scope, exported)
        elif child.type == "variable_name":
            _mark(walk.expander.text_of(child), exported and "-n" not in flags, scope)
        elif child.type in ("string", "concatenation", "raw_string"):
            _set_from_words(walk, child, scope, exported)


def _name_in(walk: Walk, node: Node) -> str:
    return walk.expander.text_of(node).partition("=")[0].partition("[")[0].rstrip("+")


def _mark(name: str, exported: bool, scope: Scope) -> None:
    before = scope.variables.get(name)
    if exported and before is not None:
        scope.set(name, before.value, before.file, before.line, exported=True)


def _set_from_words(walk: Walk, node: Node, scope: Scope, exported: bool) -> None:
    """`export "X=1"`, `export $NAME=1`."""
    for word in walk.words([node], scope):
        name, sign, value = word.raw.partition("=")
        if sign and name.isidentifier():
            scope.set(name, value, walk.file, word.line, exported)


def _export(walk: Walk, words: list[Word], scope: Scope) -> None:
    for word in words[1:]:
        name, sign, value = word.raw.partition("=")
        if sign and name.isidentifier():
            scope.set(name, value, walk.file, word.line, exported=True)


def _set(_walk: Walk, words: list[Word], scope: Scope) -> None:
    arguments = [word.raw for word in words[1:]]
    for index, argument in enumerate(arguments):
        if argument == "--":
            spread = any(word.spread for word in words)
            scope.arguments = None if spread else tuple(arguments[index + 1 :])
            return
        letters = argument[1:] if argument[:1] in "-+" else ""
        if "a" in letters or (letters == "o" and arguments[index + 1 : index + 2] == ["allexport"]):
            scope.all_exported = argument[0] == "-"


def _source(walk: Walk, words: list[Word], scope: Scope) -> None:
    if len(words) < 2:
        return
    path = words[1]
    found = walk.record.source(path, walk.file, scope)
    if not found and not _HARMLESS.fullmatch(path.text):
        scope.forget_all()


def _read(walk: Walk, words: list[Word], scope: Scope) -> None:
    """`read`, `mapfile`, `getopts`: what they set is known only when it runs."""
    for word in words[1:]:
        if word.raw.isidentifier():
            scope.set(word.raw, hole(word.raw), walk.file, word.line)


def _printf(walk: Walk, words: list[Word], scope: Scope) -> None:
    if len(words) > 3 and words[1].raw == "-v":
        _read(walk, [words[0], words[2]], scope)


def _eval(walk: Walk, words: list[Word], scope: Scope) -> None:
    walk.text(" ".join(word.raw for word in words[1:]).encode(), words[0].line, scope)


def _exit(_walk: Walk, _words: list[Word], scope: Scope) -> None:
    scope.ended = "exit"


def _return(_walk: Walk, _words: list[Word], scope: Scope) -> None:
    scope.ended = "return"


def _leave(_walk: Walk, _words: list[Word], scope: Scope) -> None:
    scope.ended = "loop"


def _shift(_walk: Walk, words: list[Word], scope: Scope) -> None:
    count = int(words[1].raw) if len(words) > 1 and words[1].raw.isdecimal() else 1
    scope.arguments = scope.arguments[count:] if scope.arguments is not None else None


BUILTINS: dict[str, Callable[[Walk, list[Word], Scope], None]] = {
    "export": _export, "set": _set, "source": _source, ".": _source, "read": _read, "mapfile": _read,
    "readarray": _read, "getopts": _read, "printf": _printf, "eval": _eval, "exit": _exit,
    "return": _return, "break": _leave, "continue": _leave, "shift": _shift,
}  # fmt: skip
