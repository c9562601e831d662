"""A comparison of two models' output as JSON (`npudoctor.compare/1`) and as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.finding import Status
from npudoctor.report.width import clip
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.accept.compare.result import Comparison
    from npudoctor.report.style import Style

SCHEMA = "npudoctor.compare/1"


def to_json(compared: Comparison) -> str:
    """The whole comparison as indented JSON text."""
    document = {
        "schema": SCHEMA,
        "kind": compared.kind,
        "pass": not compared.failed,
        "failed": [limit.figure for limit in compared.failed],
        **{name: _rounded(value) for name, value in compared.figures.items()},
        "limits": {limit.figure: limit.value for limit in compared.limits},
        "worst": [{key: _rounded(value) for key, value in row.items()} for row in compared.worst],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def to_text(compared: Comparison, style: Style) -> str:
    """The comparison for a person: what it comes to, the figures, and where they differ most."""
    judged = {limit.figure: limit for limit in compared.limits}
    lines = [style.bold(_verdict(compared)), ""]
    for name, value in compared.figures.items():
        limit = judged.get(name)
        told = "" if limit is None else f"  ({'≥' if limit.least else '≤'} {limit.value:g})"
        status = None if limit is None else Status.FAIL if limit in compared.failed else Status.PASS
        word = " " * 7 if status is None else style.word(status)
        lines.append(f"{word} {name:<20} {_value(value)}{told}")
    if compared.worst and (compared.failed or style.verbose):
        lines += ["", style.bold(_("Where they differ most")), *_worst(compared, style)]
    return "\n".join(lines) + "\n"


def _verdict(compared: Comparison) -> str:
    if not compared.failed:
        return _("Both say the same, within the limits.")
    names = ", ".join(limit.figure for limit in compared.failed)
    return _("They do not say the same: {names}.").format(names=names)


def _worst(compared: Comparison, style: Style) -> Iterator[str]:
    for row in compared.worst:
        if compared.kind == "text":
            yield from _text(row, style)
        else:
            yield "  " + "  ".join(f"{key} {_value(value)}" for key, value in row.items())


def _text(row: Mapping[str, Any], style: Style) -> Iterator[str]:
    lost = _("lost: {names}").format(names=", ".join(row["lost"])) if row["lost"] else ""
    yield clip(f"  BLEU {row['bleu']:.1f}  {row['prompt'] or ''}  {lost}".rstrip(), style.width)
    yield clip(f"    - {row['before']}".replace("\n", " "), style.width)
    yield clip(f"    + {row['after']}".replace("\n", " "), style.width)


def _value(value: Any) -> str:
    return "?" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value
