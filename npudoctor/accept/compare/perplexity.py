"""Perplexity of two models over the same text: given, or out of the log probabilities of its tokens."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from npudoctor.accept.compare.result import Comparison, Limit
from npudoctor.accept.compare.tensors import SUFFIXES, arrays
from npudoctor.accept.compare.texts import read_rows
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from pathlib import Path

CHANGE = 0.03
"""The most by which it may rise."""
_LEAST = -0.001  # of a rounding; below it they are losses, of which the higher is the worse model's
_MOST = 500.0
"""Of the mean of a text; that of a guess among a million tokens is 14, and no float holds e to the 710."""
_LISTS = ("logprobs", "log_probs", "token_logprobs")


def compare_perplexity(first: Path, second: Path, change: float = CHANGE, shown: int = 5) -> Comparison:
    """Compare two perplexities.

    A file holds a number, a JSON object with a key that names a perplexity (at any depth), log probabilities
    of tokens as an array (JSON, `.npy`, `.npz`, `.safetensors`), or JSON lines with `logprobs` or
    `perplexity` for each text.

    Args:
        first: The original's.
        second: That of what was made of it.
        change: The most by which it may rise, as a share.
        shown: How many of the worst texts are told.

    Raises:
        UsageError: There is no perplexity in a file, or the files hold different numbers of texts.
    """
    before, after = _Measured(first), _Measured(second)
    if len(before.parts) != len(after.parts):
        raise UsageError(
            _("the files hold {one} and {two} texts").format(one=len(before.parts), two=len(after.parts)),
            _("measure both models over the same texts"),
        )
    one, two = before.whole(), after.whole()
    figures = {
        "texts": len(before.parts),
        "perplexity_before": one,
        "perplexity_after": two,
        "perplexity_change": two / one - 1,
    }
    rows = [
        {"text": at, "before": _one(old), "after": _one(new), "change": _one(new) / _one(old) - 1}
        for at, (old, new) in enumerate(zip(before.parts, after.parts, strict=True))
    ]
    worst = sorted(rows, key=lambda row: -row["change"])[:shown] if len(rows) > 1 else []
    return Comparison("perplexity", figures, (Limit("perplexity_change", change, False),), tuple(worst))


Part = tuple[float, int]
"""The mean of the negative log probabilities of a text, and how many tokens it has (1: not known)."""
_NONE: Part = (math.nan, 1)


class _Measured:
    """The texts of one file."""

    def __init__(self, file: Path) -> None:
        self.parts: list[Part] = _parts(file)
        if not self.parts or not all(_LEAST < mean < _MOST for mean, _count in self.parts):
            raise UsageError(
                _("{file}: holds no perplexity").format(file=file),
                _("give a number, JSON with perplexity or logprobs, or an array of log probabilities"),
            )

    def whole(self) -> float:
        """The perplexity over all tokens."""
        tokens = sum(count for _mean, count in self.parts)
        return math.exp(sum(mean * count for mean, count in self.parts) / tokens)


def _one(part: Part) -> float:
    return math.exp(part[0])


def _parts(file: Path) -> list[Part]:
    if file.suffix in SUFFIXES:
        with arrays(file) as several:
            return [_of_tokens(several[name].astype("float64").ravel().tolist()) for name in several]
    rows = [row for row in read_rows(file) if row not in (None, "")]  # the first token has none
    if rows and all(isinstance(row, (int, float)) and not isinstance(row, bool) for row in rows):
        return [_of_tokens(rows)]
    return [part for row in rows for part in _of_row(row) or [_NONE]]


def _of_row(row: Any) -> list[Part]:
    if isinstance(row, str):
        return _of_value(row)
    if isinstance(row, list):
        return [_of_tokens(row)]
    if not isinstance(row, dict):
        return []
    tokens = next((row[name] for name in _LISTS if isinstance(row.get(name), list)), None)
    if tokens is not None:
        return [_of_tokens([one for one in tokens if one is not None])]  # the first token has none
    for key, value in row.items():
        if "perplexity" in key.lower() and "stderr" not in key.lower():
            return _of_value(value)
        if isinstance(value, dict) and (found := _of_row(value)):
            return found
    return []


def _of_value(value: Any) -> list[Part]:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return []
    return [(math.log(number), 1)] if number > 0 and math.isfinite(number) else []


def _of_tokens(tokens: list[Any]) -> Part:
    if not tokens or not all(isinstance(one, (int, float)) and abs(one) < 1e9 for one in tokens):
        return _NONE
    return -sum(tokens) / len(tokens), len(tokens)
