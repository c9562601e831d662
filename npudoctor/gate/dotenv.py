"""Files of variables: the dotenv form of Compose and its kin, and the plainer one of `docker run`."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from npudoctor.gate.interpolate import interpolate
from npudoctor.gate.shell.word import cleaned, holes, shown
from npudoctor.gate.unit import Setting, Where
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from npudoctor.gate.files import File

_SHELL = regex(
    r"(?m)^\s*(?:export\s+[A-Za-z_]\w*(?:\s|=)|source\s|\.\s+\S|if\s|for\s|function\s|\w+\(\)|declare\s)"
)
_NAME = regex(r"(?i)\.env(?:\..+)?|.*\.env|env\.[\w-]+|.*\.env\.\w+")
_TEMPLATE = regex(
    r"(?i)(?:.*[._-])?(?:example|sample|template|tpl|tmpl)s?(?:[._-].*)?|.*\.(?:dist|j2|in|defaults?)(?:\..*)?"
)


def is_variables_file(file: File) -> bool:
    """Whether a file is one of variables, by its name: `.env`, `cluster.env`, `env.example`, `.env.local`."""
    return _NAME.fullmatch(file.name) is not None


def is_shell_file(file: File) -> bool:
    """Whether a file of variables is written for the shell: it exports, sources or asks."""
    return is_variables_file(file) and _SHELL.search(file.text) is not None


def is_template(name: str) -> bool:
    """Whether a file is there to be copied and filled in: `env.example`, `.env.template`."""
    return _TEMPLATE.fullmatch(name) is not None


def variables(file: File, outside: Callable[[str], str | None] = lambda _name: None) -> dict[str, Setting]:
    """The variables of a dotenv file: quotes, comments, `export`, and `${NAME:-default}` of earlier lines.

    Args:
        file: The file.
        outside: What the environment of the program that reads it holds.
    """
    found: dict[str, Setting] = {}
    raw: dict[str, str] = {}
    for name, text, number, plain in _assignments(file):
        value = text if plain else interpolate(text, lambda name: raw.get(name, outside(name)), "\\$")
        raw[name] = value
        found[name] = Setting(shown(value), Where(file.path, number, file.line(number)), holes(value))
    return found


def engine_variables(file: File) -> dict[str, Setting]:
    """The variables of `docker run --env-file`: everything behind the `=` counts, quotes and all."""
    found = {}
    for number, line in enumerate(file.lines, start=1):
        name, equals, value = line.lstrip().partition("=")
        if equals and name and not name.startswith("#"):
            found[name] = Setting(cleaned(value), Where(file.path, number, line))
    return found


def _assignments(file: File) -> Iterator[tuple[str, str, int, bool]]:
    """Name, text, 1-based line and whether it is taken as it stands: in single quotes nothing is put in."""
    from dotenv.parser import parse_stream

    for one in parse_stream(io.StringIO(cleaned(file.text))):
        if one.key is not None and not one.error:
            first = one.original.line + _lines_before(one.original.string)
            _name, _equals, text = one.original.string.partition("=")
            yield one.key, one.value or "", first, text.lstrip().startswith("'")


def _lines_before(text: str) -> int:
    """Empty lines that the parser counts to the assignment behind them."""
    return text[: len(text) - len(text.lstrip())].count("\n")
