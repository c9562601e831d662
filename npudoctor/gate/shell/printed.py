"""What a few commands print inside `$(…)`: numbers, words, folders."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from npudoctor.gate.shell.word import hole, is_hole
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from npudoctor.gate.shell.events import Command
    from npudoctor.gate.shell.scope import Scope

SCRIPT_FOLDER = "."
"""What stands for the folder of the script: paths from there are found beside it."""
_OWN_PATH = (hole("0"), hole("BASH_SOURCE"))
_NUMBER = regex(r"-?\d{1,5}")


def printed(commands: Sequence[Command], scope: Scope) -> str | None:
    """The text that commands print; None where it is not known."""
    if scope.ended or not commands or any(one.damaged for one in commands):
        return None
    words = [word.raw for word in commands[-1].words]
    if len(commands) == 1 and words[0] == "seq":
        return _numbers(words[1:])
    if len(commands) == 1 and words[0] == "echo" and "-e" not in words:
        return " ".join(word for word in words[1:] if word != "-n")
    return _folder([[word.raw for word in one.words] for one in commands])


def _folder(commands: list[list[str]]) -> str | None:
    """`dirname "$0"`, `pwd` and `cd "$(dirname "$0")" && pwd`."""
    last = commands[-1]
    if last[0] == "pwd":
        target = commands[0][-1] if commands[0][0] == "cd" and len(commands) == 2 else SCRIPT_FOLDER
        return target if len(commands) <= 2 and not is_hole(target) else None
    path = last[-1]
    if last[0] == "dirname" and len(last) >= 2:
        if path in _OWN_PATH or (is_hole(path) and "BASH_SOURCE" in path):
            return SCRIPT_FOLDER
        return None if "\ue000" in path else posixpath.dirname(path) or "."
    if last[0] in ("realpath", "readlink"):
        return path
    if last[0] == "basename" and len(last) == 2 and "\ue000" not in path:
        return posixpath.basename(path)
    return None


def _numbers(arguments: list[str]) -> str | None:
    separator = "\n"
    values: list[int] = []
    rest = iter(arguments)
    for word in rest:
        if word == "-s":
            separator = next(rest, "\n")
        elif word.startswith("-s"):
            separator = word[2:].removeprefix("=")
        elif _NUMBER.fullmatch(word):
            values.append(int(word))
        else:
            return None
    if not 1 <= len(values) <= 3:
        return None
    first, step, last = _bounds(values)
    if step == 0 or abs(last - first) > 4096:
        return None
    return separator.join(map(str, range(first, last + (1 if step > 0 else -1), step)))


def _bounds(values: list[int]) -> tuple[int, int, int]:
    """First, step and last of `seq LAST`, `seq FIRST LAST` and `seq FIRST STEP LAST`."""
    if len(values) == 1:
        return 1, 1, values[0]
    return (values[0], 1, values[1]) if len(values) == 2 else (values[0], values[1], values[2])
