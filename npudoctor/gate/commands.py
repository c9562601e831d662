"""Commands of scripts and containers as units hold them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from npudoctor.gate.shell import Word, hole, read_script
from npudoctor.gate.shell.word import holes, shown
from npudoctor.gate.shell.wrapped import script_of_shell
from npudoctor.gate.unit import Command, Setting, Where

if TYPE_CHECKING:
    from npudoctor.gate import shell
    from npudoctor.gate.unit import Scope

Place = Callable[[str, int], Where]
"""A file and a line to the place with its text."""


def setting_of(raw: str, where: Where) -> Setting:
    """A raw text with its place."""
    return Setting(shown(raw), where, holes(raw))


def command_of(
    found: shell.Command, place: Place, seen: dict[int, dict[str, Setting]] | None = None
) -> Command:
    """A command of a script; `seen` keeps variables that several commands share."""
    raw = [word.raw for word in found.words]
    return Command(
        words=tuple(map(shown, raw)),
        where=place(found.file, found.line),
        unresolved=_open(raw),
        environment=_shared(found.environment, place, {} if seen is None else seen),
        lines=tuple(place(found.file, word.line) for word in found.words),
        sure=found.sure,
    )


def _shared(
    exported: Mapping[str, shell.Exported], place: Place, seen: dict[int, dict[str, Setting]]
) -> dict[str, Setting]:
    if id(exported) not in seen:
        seen[id(exported)] = exported_of(exported, place)
    return seen[id(exported)]


def exported_of(exported: Mapping[str, shell.Exported], place: Place) -> dict[str, Setting]:
    """Variables of a script by name."""
    return {name: setting_of(one.value.raw, place(one.file, one.line)) for name, one in exported.items()}


def container_commands(words: Sequence[Word], environment: Scope, path: str, place: Place) -> list[Command]:
    """What a container starts: its command, and the commands of the script in it (`bash -c "…"`)."""
    if not words:
        return []
    raw = [word.raw for word in words]
    lines = tuple(place(path, word.line) for word in words)
    whole = Command(tuple(map(shown, raw)), lines[0], _open(raw), environment, lines)
    script = _script(words)
    if script is None:
        return [whole]
    return [whole, *_inner(script, environment, path, place)]


def _inner(script: Word, environment: Scope, path: str, place: Place) -> list[Command]:
    given = {name: hole(name) if not one.known else one.text for name, one in environment.items()}
    read = read_script(script.raw, path, first_line=script.line, variables=given)
    return [_with_places(command_of(found, place), environment) for found in read.commands]


def _with_places(command: Command, environment: Scope) -> Command:
    """Variables that come from outside the script are set where the container sets them."""
    from dataclasses import replace

    seen = {
        name: environment[name] if name in environment and environment[name].text == one.text else one
        for name, one in command.environment.items()
    }
    return replace(command, environment=seen)


def _script(words: Sequence[Word]) -> Word | None:
    names = ("bash", "sh", "dash", "ash", "zsh")
    for index, word in enumerate(words):
        if word.raw.rpartition("/")[2] in names:
            return script_of_shell(words[index:])
    return None


def split_command(text: str, line: int) -> list[Word]:
    """A command line that is one text (Compose's `command: vllm serve /m`) in its words."""
    try:
        parts = shlex.split(text.replace("\\\n", " "))
    except ValueError:
        parts = text.split()
    return [Word(part, line) for part in parts]


def _open(raw: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for text in raw for name in holes(text)))
