"""Templates of Helm, as far as `values.yaml` alone renders them: plain look-ups; the rest stays open."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from npudoctor.gate.files import File
from npudoctor.gate.shell.word import cleaned, hole
from npudoctor.gate.unit import Unreadable
from npudoctor.gate.yaml_nodes import Yaml, documents
from npudoctor.regex import regex

if TYPE_CHECKING:
    from npudoctor.gate.files import Repository

_ACTION = regex(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_ALONE = regex(r"[ \t]*\{\{-?\s*([^{}]*?)\s*-?\}\}[ \t]*")
_CONTROL = regex(
    r"(?:if|else|end|with|range|define|template|block|/\*|\$\w+\s*:?=|include|toYaml|tpl|nindent)\b.*|.*\bn?indent\b.*",
    re.DOTALL,
)
_LOOKED_UP = regex(
    r"(?:required\s+(?:\"[^\"]*\"|'[^']*'|`[^`]*`)\s+)?\.Values\.([\w.]+)((?:\s*\|\s*[^|]+)*)", re.DOTALL
)
_DEFAULT = regex(r"default\s+(?:\"([^\"]*)\"|'([^']*)'|([\w.-]+))")


def rendered(file: File, repository: Repository) -> File:
    """The file with plain values put in and all control lines empty; each line stays where it was."""
    values = _values(file, repository)
    text = _ACTION.sub(
        lambda found: found[0] if "\n" not in found[0] else _lines(found[0]), cleaned(file.text)
    )
    lines = [_line(line, values) for line in text.split("\n")]
    return File(file.path, "\n".join(lines))


def _lines(text: str) -> str:
    """An action over several lines: nothing but its line ends."""
    return "\n" * text.count("\n")


def _line(line: str, values: Yaml | None) -> str:
    alone = _ALONE.fullmatch(line)
    if alone and not _LOOKED_UP.fullmatch(alone[1]):
        return ""
    return _ACTION.sub(lambda found: _value(found[1], values), line)


def _value(action: str, values: Yaml | None) -> str:
    match = _LOOKED_UP.fullmatch(action)
    if match is None:
        return "" if _CONTROL.fullmatch(action) else hole(action.strip("() "))
    text = values.get(*match[1].split(".")).text if values is not None else None
    default = _DEFAULT.search(match[2])
    if not text and default:
        text = default[1] or default[2] or default[3]
    value = text or hole(f".Values.{match[1]}")
    return f'"{value}"' if "quote" in match[2] else value


def _values(file: File, repository: Repository) -> Yaml | None:
    """The `values.yaml` of the chart around a template."""
    folder = file.folder
    while posixpath.basename(folder) not in ("templates", ""):  # "" ends it at the root, and without a folder
        folder = posixpath.dirname(folder)
    found = repository.at(posixpath.join(posixpath.dirname(folder) or ".", "values.yaml"))
    try:
        content = documents(found) if found else []
    except Unreadable:
        return None
    return content[0] if content else None
