"""Generated texts on disk: a line each, JSON lines, or a JSON array, of texts or of objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from pathlib import Path

_TEXT = ("text", "output", "generated_text", "response", "completion", "answer", "prediction")
_PROMPT = ("id", "prompt", "input", "question", "instruction")
_REFERENCE = ("reference", "target", "expected")


@dataclass(frozen=True, slots=True)
class Text:
    """One generated text.

    Attributes:
        prompt: What it answers, or its id; None where the file does not say it.
        text: What was generated.
        reference: What a person would say, where given.
        entities: Names that it must hold, where given.
    """

    prompt: str | None
    text: str
    reference: str | None
    entities: tuple[str, ...]


def read_texts(file: Path) -> list[Text]:
    """Read a file of texts.

    Raises:
        UsageError: It cannot be read, is empty, or a row has no text.
    """
    rows = read_rows(file)
    if not rows:
        raise UsageError(
            _("{file}: holds no text").format(file=file), _("give one text a line, or JSON lines")
        )
    return [_text(row, f"{file}:{number}") for number, row in enumerate(rows, 1)]


def read_rows(file: Path) -> list[Any]:
    """The rows of a file: of a JSON array or object, of JSON lines, or its lines."""
    try:
        content = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", _("give a file that can be read")) from None
    except UnicodeDecodeError:
        raise UsageError(f"{file}: " + _("it is not UTF-8"), f"iconv -f GB18030 -t UTF-8 {file}") from None
    if content.lstrip()[:1] == "[":
        whole = _json(content)
        if isinstance(whole, list):
            return whole
    if content.lstrip()[:1] == "{":
        return _objects(content, [line for line in content.split("\n") if line.strip()], file)
    return _lines(content)


def _lines(content: str) -> list[str]:
    """An empty line is an empty answer; marks such as U+2028 are part of one. A file of blanks has none."""
    return content.removesuffix("\n").split("\n") if content.strip() else []


def _objects(content: str, lines: list[str], file: Path) -> list[Any]:
    whole = _json(content)
    if whole is not None:
        return [whole]
    rows = [_json(line) for line in lines]
    if None in rows:
        place = f"{file}:{rows.index(None) + 1}"
        raise UsageError(_("{file}: is no JSON").format(file=place), _("give one object a line"))
    return rows


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text(row: Any, place: str) -> Text:
    if isinstance(row, str):
        return Text(None, row, None, ())
    text = _first(row, _TEXT) if isinstance(row, dict) else None
    if text is None:
        raise UsageError(
            _("{file}: has no text").format(file=place), _("name it one of: ") + ", ".join(_TEXT)
        )
    entities = row.get("entities")
    named = tuple(map(str, entities)) if isinstance(entities, list) else ()
    return Text(_first(row, _PROMPT), text, _first(row, _REFERENCE), named)


def _first(row: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((str(row[name]) for name in names if row.get(name) is not None), None)
