"""Texts of two models over the same prompts: BLEU-4, and the names that both must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.accept.compare.result import Comparison, Limit, missing
from npudoctor.accept.compare.texts import read_texts
from npudoctor.errors import UsageError
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from npudoctor.accept.compare.texts import Text

BLEU_RATIO = 0.995
"""BLEU-4 of what was made of a model, by that of the original (founding report A)."""
_CHINESE = regex("[\u4e00-\u9fff]")
_NAMES = regex(r"\b[A-Z][\w&-]*(?: [A-Z][\w&-]*)*|\b\w*\d[\w.,:%-]*|《[^》]+》")
_SENTENCE_ENDS = (".", "!", "?", ":", "。", "！", "？")


def compare_texts(
    first: Path,
    second: Path,
    ratio: float = BLEU_RATIO,
    recall: float | None = None,
    names: Sequence[str] = (),
    shown: int = 5,
) -> Comparison:
    """Compare two files of texts over the same prompts.

    With references in the rows of the first file, the ratio is BLEU-4 of the second by that of the first,
    both against them; without, it is BLEU-4 of the second against the first, of 100.

    Args:
        first: Texts of the original.
        second: Texts of what was made of it.
        ratio: The least ratio.
        recall: The least share of entities of the original that are still there; None: shown, not judged.
        names: Entities to look for; else those the rows list, else what looks like a name or a number.
        shown: How many of the worst texts are told.

    Raises:
        UsageError: The prompts differ, or sacrebleu is not installed.
    """
    before, after = _paired(read_texts(first), read_texts(second))
    score = _scorer([one.text for one in before])
    against = [one.reference if one.reference is not None else one.text for one in before]
    referred = all(one.reference is not None for one in before)
    if not referred:
        against = [one.text for one in before]
    old = score([one.text for one in before], against) if referred else 100.0
    new = score([one.text for one in after], against)
    rows = [_row(one, two, score, names) for one, two in zip(before, after, strict=True)]
    limits = [Limit("bleu_ratio", ratio, True)]
    if recall is not None:
        limits.append(Limit("entity_recall", recall, True))
    figures = {
        "texts": len(rows),
        "bleu_before": old,
        "bleu_after": new,
        "bleu_ratio": new / old if old else None,
        **_recall(rows),
        "same_texts": sum(one.text == two.text for one, two in zip(before, after, strict=True)),
    }
    differ = [row for row in rows if row["before"] != row["after"]]
    worst = sorted(differ, key=lambda row: (-len(row["lost"]), row["bleu"]))
    return Comparison("text", figures, tuple(limits), tuple(worst[:shown]))


def entities(text: str) -> list[str]:
    """What looks like a name, a number or a title in a text, each once, in order."""
    found = (_entity(text, one.start(), one.group()) for one in _NAMES.finditer(text))
    return list(dict.fromkeys(filter(None, found)))


def _entity(text: str, start: int, words: str) -> str:
    """Without a first word that is capitalised for the sake of its sentence."""
    before = text[:start].rstrip()
    if (
        (not before or before.endswith(_SENTENCE_ENDS))
        and words.isascii()
        and words.replace(" ", "").isalpha()
    ):
        words = words.partition(" ")[2]
    return words.rstrip(".,:")


def _paired(before: list[Text], after: list[Text]) -> tuple[list[Text], list[Text]]:
    """Both in the order of the first: by prompt where all rows have one of their own, else by place."""
    asked, answered = [one.prompt for one in before], {one.prompt: one for one in after}
    if None not in asked and None not in answered and len(set(asked)) == len(asked) == len(answered):
        lacking = next((prompt for prompt in asked if prompt not in answered), None)
        if lacking is None and len(answered) == len(after):
            return before, [answered[prompt] for prompt in asked]
        raise UsageError(
            _("the second file has no answer to: {prompt}").format(prompt=str(lacking or "")[:60]),
            _("ask both models the same"),
        )
    if len(before) != len(after):
        raise UsageError(
            _("the files hold {one} and {two} texts").format(one=len(before), two=len(after)),
            _("ask both models the same"),
        )
    return before, after


def _scorer(texts: list[str]) -> Callable[[list[str], list[str]], float]:
    """BLEU-4 over a corpus, 0 to 100; Chinese is cut into characters."""
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise missing("sacrebleu") from None
    whole = "".join(texts)
    chinese = len(_CHINESE.findall(whole)) * 3 > len(whole)
    metric = BLEU(tokenize="zh" if chinese else "13a")
    single = BLEU(tokenize="zh" if chinese else "13a", effective_order=True)

    def score(candidates: list[str], references: list[str]) -> float:
        if candidates == references:
            return 100.0  # sacrebleu gives 0 where no text has four words
        chosen = metric if len(candidates) > 1 else single
        return float(chosen.corpus_score(candidates, [references]).score)

    return score


def _row(
    before: Text, after: Text, score: Callable[[list[str], list[str]], float], names: Sequence[str]
) -> dict[str, Any]:
    wanted = [name for name in (names or before.entities or entities(before.text)) if name in before.text]
    lost = [name for name in wanted if name not in after.text]
    return {
        "prompt": before.prompt,
        "bleu": 100.0 if after.text == before.text else score([after.text], [before.text]),
        "before": before.text,
        "after": after.text,
        "entities": len(wanted),
        "lost": lost,
    }


def _recall(rows: list[dict[str, Any]]) -> dict[str, float | int | None]:
    wanted = sum(row["entities"] for row in rows)
    lost = sum(len(row["lost"]) for row in rows)
    return {"entities": wanted, "entity_recall": (wanted - lost) / wanted if wanted else None}
