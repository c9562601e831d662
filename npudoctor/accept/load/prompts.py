"""The prompts of a load test: from a file, or a mix by length like that of a chat service."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from pathlib import Path

MIX = ((0.1, 16, 127), (0.6, 128, 1024), (0.3, 1025, 2048))
"""Share, fewest and most tokens. The mix is that of a field report (2025): 10 % under 128, 30 % over 1024."""
_WORDS = (
    "service",
    "answers",
    "question",
    "long",
    "host",
    "memory",
    "batch",
    "cache",
    "model",
    "the",
    "of",
    "and",
    "with",
)
_LONGEST = 64_000_000
"""Letters of a file of prompts."""
_TOKENS_A_WORD = 1.1
"""Of plain English words, in the tokenizers of current models, about."""


def built_in(count: int, seed: int = 7) -> list[str]:
    """As many prompts in the mix, the same each time; no two begin alike, so that no prefix cache helps."""
    chosen = random.Random(seed)  # noqa: S311 (no secret)
    return [_prompt(number, chosen) for number in range(count)]


def _prompt(number: int, chosen: random.Random) -> str:
    _share, fewest, most = chosen.choices(MIX, [share for share, _few, _many in MIX])[0]
    words = int(chosen.randint(fewest, most) / _TOKENS_A_WORD)
    return " ".join([f"{number}:", *chosen.choices(_WORDS, k=max(1, words - 1))])


def read_prompts(path: Path) -> list[str]:
    """A prompt a line; or JSON lines or a JSON array of strings, or of objects with `prompt` or `messages`.

    Raises:
        UsageError: It cannot be read, or holds no prompt.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(_LONGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        what = getattr(error, "strerror", None) or _("it is not UTF-8")
        raise UsageError(f"--prompts {path}: {what}", _("give a text file, a prompt a line")) from None
    if len(text) > _LONGEST:
        raise UsageError(f"--prompts {path}: " + _("it is too long"), _("give 64 million letters at most"))
    prompts = [prompt for prompt in map(_of_row, _rows(text, path)) if prompt]
    if not prompts:
        raise UsageError(f"--prompts {path}: " + _("it holds no prompt"), _("write a prompt a line"))
    return prompts


def _rows(text: str, path: Path) -> list[Any]:
    try:
        if text.lstrip().startswith("["):
            rows: list[Any] = json.loads(text)
            return rows
        lines = [line for line in text.split("\n") if line.strip()]
        return [json.loads(line) if line.lstrip().startswith("{") else line for line in lines]
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--prompts {path}: {error}", _("write JSON, or a prompt a line")) from None


def _of_row(row: Any) -> str:
    if isinstance(row, str):
        return row
    if not isinstance(row, dict):
        return ""
    if isinstance(row.get("messages"), list):
        messages = [message for message in row["messages"] if isinstance(message, dict)]
        return "\n".join(str(message.get("content", "")) for message in messages)
    return str(row.get("prompt") or row.get("text") or "")
