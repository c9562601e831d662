"""Whole numbers that a script counts with: `$((i * 2 + 1))`."""

from __future__ import annotations

import ast
import operator
import re
from typing import TYPE_CHECKING, Any

from npudoctor.gate.shell.word import hole
from npudoctor.regex import regex

if TYPE_CHECKING:
    from npudoctor.gate.shell.scope import Scope

_NAME = regex(r"\$?\{?([A-Za-z_]\w*)\}?|\$\{?(\d+)\}?")
_PLAIN = regex(r"[\d\s()+*/%<>=!&|-]{1,200}")
_OPERATORS: dict[type[Any], Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_LARGEST = 10**12


def calculated(text: str, scope: Scope) -> str:
    """The number that an expression gives; a hole where it holds what is not known."""
    names: list[str] = []

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        variable = scope.variables.get(name)
        if variable is not None and re.fullmatch(r"-?\d{1,12}", variable.scalar):
            return f"({variable.scalar})"
        names.append(name)
        return name

    filled = _NAME.sub(value, text)
    number = None if names else number_of(filled)
    return hole(names[0] if names else f"(({text.strip()}))") if number is None else str(number)


def number_of(text: str) -> int | None:
    """The value of a plain expression of whole numbers; a comparison gives 1 or 0; None for anything else."""
    if not _PLAIN.fullmatch(text):
        return None
    try:
        return _value(ast.parse(text.strip().replace("/", "//"), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _value(node: ast.AST) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _apply(node.op, node.left, node.right)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
        return _apply(node.ops[0], node.left, node.comparators[0])
    raise ValueError("no plain expression")


def _apply(sign: ast.AST, left: ast.AST, right: ast.AST) -> int:
    number = int(_OPERATORS[type(sign)](_value(left), _value(right)))
    if abs(number) > _LARGEST:
        raise ValueError("too large")
    return number
