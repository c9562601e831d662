"""Commands that run other commands: `sudo`, `bash -c`, `ssh HOST`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from npudoctor.gate.shell.word import Word

_SHELLS = frozenset(("bash", "sh", "/bin/bash", "/bin/sh", "/usr/bin/bash", "dash", "zsh", "ash"))
_WITH_VALUE = {
    "sudo": ("-u", "-g", "-h", "-p", "-C", "-r", "-t"),
    "timeout": ("-s", "-k", "--signal", "--kill-after"),
    "nice": ("-n",),
    "env": ("-u", "-C", "-S"),
    "numactl": (),
    "taskset": (),
    "nohup": (),
    "exec": ("-a",),
    "time": ("-f", "-o"),
    "command": (),
    "stdbuf": ("-i", "-o", "-e"),
    "xargs": ("-I", "-n", "-P", "-L", "-d"),
    "setsid": (),
}
_FIRST_ARGUMENTS = {"timeout": 1, "taskset": 1}


def unwrapped(words: Sequence[Word]) -> Sequence[Word]:
    """The command that is really run: without `sudo`, `nohup`, `env X=1` and the like in front."""
    rest = list(words)
    while rest and rest[0].raw.rpartition("/")[2] in _WITH_VALUE:
        name = rest[0].raw.rpartition("/")[2]
        inner = _behind_options(rest[1:], name)[_FIRST_ARGUMENTS.get(name, 0) :]
        if not inner:
            break
        rest = inner
    return rest


def inner_script(words: Sequence[Word]) -> Word | None:
    """The script text that a command runs: of `bash -c TEXT`, `ssh HOST TEXT`; None where there is none."""
    rest = unwrapped(words)
    name = rest[0].raw if rest else ""
    if name in _SHELLS:
        return script_of_shell(rest)
    if name == "ssh" and len(rest) > 2 and " " in rest[-1].raw:
        return rest[-1]
    return None


def script_of_shell(words: Sequence[Word]) -> Word | None:
    """The text behind `-c` of a shell."""
    for index, word in enumerate(words[1:-1], start=1):
        if not word.raw.startswith("-"):
            return None
        if not word.raw.startswith("--") and word.raw.endswith("c"):
            return words[index + 1]
    return None


def _behind_options(words: list[Word], name: str) -> list[Word]:
    index = 0
    while index < len(words):
        raw = words[index].raw
        if raw.startswith("-"):
            index += 2 if raw in _WITH_VALUE[name] else 1
        elif name == "env" and "=" in raw:
            index += 1
        else:
            break
    return words[index:]
