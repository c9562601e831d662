"""What `pip install` lines and lists of requirements install."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.gate.unit import Requirement
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.unit import Command, Where

_PIP = regex(r"(?:.*/)?pip(?:3(?:\.\d+)?)?")
_PYTHON = regex(r"(?:.*/)?python(?:3(?:\.\d+)?)?")
_NAME = regex(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)", re.DOTALL)
_INDEX = ("-i", "--index-url", "--extra-index-url", "-f", "--find-links")
_VALUED = frozenset(
    (*_INDEX, "-t", "--target", "--prefix", "--root", "--src", "--platform", "--python-version", "--python",
     "-p", "--implementation", "--abi", "--no-binary", "--only-binary", "--progress-bar", "--trusted-host",
     "--proxy", "--retries", "--timeout", "--default-timeout", "--log", "--cache-dir", "--cert", "--report",
     "--no-build-isolation-package", "--upgrade-strategy", "--config-settings", "-C", "--global-option",
     "--exists-action", "--index-strategy", "--root-user-action", "--index", "--default-index", "--group")
)  # fmt: skip
_LISTS = ("-r", "--requirement", "--requirements")
_CONSTRAINTS = ("-c", "--constraint", "--constraints")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Install:
    """One `pip install` (or `uninstall`) line.

    Attributes:
        removes: Whether it uninstalls.
        words: Requirements as they are written, each with its place.
        files: Lists of requirements that it reads (`-r`), each with its place.
        constraints: Lists of constraints (`-c`).
        indexes: URLs of indexes that it names.
    """

    removes: bool
    words: tuple[tuple[str, Where], ...]
    files: tuple[tuple[str, Where], ...]
    constraints: tuple[str, ...]
    indexes: tuple[str, ...]
    unresolved: tuple[str, ...]


def install_of(command: Command) -> Install | None:
    """What a command installs; None for any other command."""
    start = _arguments(command.words)
    if start is None:
        return None
    removes = command.words[start - 1] == "uninstall"
    found: dict[str, list[tuple[str, Where]]] = {"words": [], "-r": [], "-c": [], "index": []}
    index = start
    while index < len(command.words):
        index = _take(command, index, found)
    return Install(
        removes=removes,
        words=tuple(found["words"]),
        files=tuple(found["-r"]),
        constraints=tuple(path for path, _where in found["-c"]),
        indexes=tuple(url for url, _where in found["index"]),
        unresolved=command.unresolved,
    )


def _arguments(words: Sequence[str]) -> int | None:
    """Where the arguments of `pip install`, `python -m pip install` or `uv pip install` start."""
    at = 0
    while at < len(words) and (words[at] in ("sudo", "-E", "env", "time", "exec") or "=" in words[at][1:]):
        at += 1
    rest = list(words[at : at + 4])
    if not rest:
        return None
    if rest[:2] == ["uv", "pip"]:
        at += 2
    elif _PIP.fullmatch(rest[0]):
        at += 1
    elif _PYTHON.fullmatch(rest[0]) and rest[1:3] == ["-m", "pip"]:
        at += 3
    else:
        return None
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _VALUED else 1
    return at + 1 if at < len(words) and words[at] in ("install", "uninstall", "download") else None


def _take(command: Command, index: int, found: dict[str, list[tuple[str, Where]]]) -> int:
    """Sort one argument (and its value) in; the index of the next."""
    word, where = command.words[index], command.place(index)
    option, equals, value = word.partition("=")
    short = word[:2] if word[:2] in ("-r", "-c", "-i", "-f") and len(word) > 2 and not equals else ""
    if short and not word.startswith("--"):
        option, value, equals = short, word[2:], "="
    if not word.startswith("-"):
        found["words"].append((word, where))
        return index + 1
    taken = 1
    if not equals and option in (
        *_VALUED,
        "-r",
        "--requirement",
        "--requirements",
        "-c",
        "--constraint",
        "-e",
        "--editable",
    ):
        value, taken = (command.words[index + 1] if index + 1 < len(command.words) else ""), 2
    if option in _LISTS:
        found["-r"].append((value, where))
    elif option in _CONSTRAINTS:
        found["-c"].append((value, where))
    elif option in (*_INDEX, "--index", "--default-index"):
        found["index"].append((value, where))
    return index + taken


def requirement(
    text: str, where: Where, indexes: Sequence[str] = (), unresolved: Sequence[str] = ()
) -> Requirement | None:
    """One requirement as pip reads it; None for a path, a URL without a name, or an unmet marker.

    A marker that this cannot decide (of a platform) is taken as met where an Ascend host would meet it.
    """
    text, _semicolon, marker = text.partition(";")
    text = text.partition(" #")[0].strip()
    if not text or text[0] in "./-" or (marker and not _met(marker)):
        return None
    wheel = _of_wheel(text)
    if wheel:
        return Requirement(wheel[0], f"=={wheel[1]}", where, tuple(unresolved), ("wheel",), text)
    if "://" in text and "@" not in text.partition("://")[0]:
        return None
    match = _NAME.fullmatch(text)
    if match is None or "/" in match[1]:
        return None
    name = re.sub(r"[-_.]+", "-", match[1]).lower()
    rest = match[2].strip()
    if rest.startswith("@"):
        return Requirement(name, "", where, tuple(unresolved), ("url",), text)
    specifier = rest.strip("()").replace(" ", "")
    holes = tuple(hole for hole in unresolved if hole in text)
    return Requirement(name, specifier, where, holes, tuple(indexes), text)


def _of_wheel(text: str) -> tuple[str, str] | None:
    """Name and version of a wheel's file name or URL."""
    file = text.rpartition("/")[2]
    if not file.endswith(".whl"):
        return None
    parts = file.removesuffix(".whl").split("-")
    if len(parts) < 5 or "$" in file:
        return None
    return re.sub(r"[-_.]+", "-", parts[0]).lower(), parts[1].replace("%2B", "+")


def _met(marker: str) -> bool:
    """Whether a Linux host with an NPU meets a marker; so it is taken where it cannot be known."""
    from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName

    try:
        parsed = Marker(marker.partition(" #")[0].strip())
        return any(parsed.evaluate({**one}) for one in _ENVIRONMENTS)
    except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName):
        return True


_ENVIRONMENTS: tuple[dict[str, str | AbstractSet[str]], ...] = tuple(
    {
        "python_version": version,
        "python_full_version": f"{version}.0",
        "platform_machine": machine,
        "sys_platform": "linux",
        "platform_system": "Linux",
        "os_name": "posix",
        "extra": "",
    }
    for version in ("3.9", "3.10", "3.11", "3.12")
    for machine in ("aarch64", "x86_64")
)


@dataclass(frozen=True, slots=True)
class Listed:
    """What a list of requirements installs, with the lists that it names."""

    requirements: tuple[Requirement, ...]
    constraints: tuple[Requirement, ...]
    indexes: tuple[str, ...]
    missing: tuple[str, ...]


def read_list(file: File, repository: Repository, depth: int = 0) -> Listed:
    """Read `requirements.txt`, and what it names with `-r` and `-c`."""
    wanted: list[Requirement] = []
    bound: list[Requirement] = []
    indexes: list[str] = []
    missing: list[str] = []
    for text, where in _logical_lines(file):
        option, value = _option(text)
        if option in (*_LISTS, *_CONSTRAINTS) and depth < _DEEPEST:
            other = repository.near(file, value)
            if other is None:
                missing.append(value)
                continue
            listed = read_list(other, repository, depth + 1)
            (wanted if option in _LISTS else bound).extend(listed.requirements)
            bound += listed.constraints
            indexes += listed.indexes
            missing += listed.missing
        elif option in _INDEX:
            indexes.append(value)
        elif not option and (one := requirement(text, where, (), _names(text))):
            wanted.append(one)
    return Listed(tuple(wanted), tuple(bound), tuple(indexes), tuple(missing))


def _names(text: str) -> list[str]:
    return re.findall(r"\$\{(\w+)\}", text)


def _logical_lines(file: File) -> Iterator[tuple[str, Where]]:
    from npudoctor.gate.unit import Where

    number, lines = 1, file.lines
    while number <= len(lines):
        first, text = number, lines[number - 1]
        while text.endswith("\\") and number < len(lines):
            number += 1
            text = text[:-1] + " " + lines[number - 1].strip()
        number += 1
        bare = re.sub(r"(^|\s)#.*", "", text).strip()
        bare = re.sub(r"\s--(hash|config-settings|global-option)[= ]\S+", "", bare)
        if bare:
            yield bare, Where(file.path, first, file.line(first))


def _option(text: str) -> tuple[str, str]:
    if not text.startswith("-"):
        return "", ""
    match = re.match(r"(--[\w-]+|-[a-zA-Z])[=\s]*(.*)", text)
    return (match[1], match[2].strip()) if match else ("-", "")
