"""What loops go over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.shell.arithmetic import calculated
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from npudoctor.gate.shell.scope import Scope
    from npudoctor.gate.shell.word import Word

_COUNTED = regex(
    r"for\s*\(\(\s*(\w+)\s*=\s*([^;]+?)\s*;\s*\1\s*(<=?)\s*([^;]+?)\s*;"
    r"\s*(?:\1\+\+|\+\+\1|\1\s*\+=\s*(\d+)|\1\s*=\s*\1\s*\+\s*(\d+))\s*\)\)"
)
_MOST_ROUNDS = 256


def listed(words: list[Word]) -> list[str] | None:
    """The items of `for X in …`; None where one of them is open, or a pattern for file names."""
    if len(words) > _MOST_ROUNDS or any(word.spread or set(word.raw) & set("*?") for word in words):
        return None
    return [word.raw for word in words]


def counted(text: str, scope: Scope) -> tuple[str, list[str] | None]:
    """The variable and its values of `for ((i=0; i<8; i++))`; None where the bounds are open."""
    match = _COUNTED.match(text)
    if match is None:
        return "", None
    first, last = calculated(match[2], scope), calculated(match[4], scope)
    step = int(match[5] or match[6] or 1)
    if not (first.lstrip("-").isdecimal() and last.lstrip("-").isdecimal() and step):
        return match[1], None
    numbers = range(int(first), int(last) + (match[3] == "<="), step)
    return match[1], [str(number) for number in numbers] if len(numbers) <= _MOST_ROUNDS else None


def assigned_names(body: Node, text_of: Callable[[Node], str]) -> set[str]:
    """The variables that a piece of script gives values to."""
    names, stack = set(), [body]
    while stack:
        node = stack.pop()
        if node.type == "variable_assignment":
            names.add(text_of(node.children[0]).partition("[")[0])
        stack.extend(node.named_children)
    return names
