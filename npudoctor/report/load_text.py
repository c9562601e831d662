"""A load test for a person: a line a step, where it is too much, the ratio to an earlier test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.report.load_told import told
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.report.style import Style

_HEAD = (
    f"{'rate':>6} {'requests/s':>10} {'tokens/s':>9} {'failed':>7}  {'P50':>8} {'P90':>8} {'P99':>8}  "
    f"{'TTFT P50':>8} {'P99':>8}  {'TPOT':>6} {'CPU':>5} {'NPU':>5}"
)


def to_text(document: Mapping[str, Any], style: Style) -> str:
    """All of it as text."""
    return "\n".join(_lines(document, style)) + "\n"


def _lines(document: Mapping[str, Any], style: Style) -> Iterator[str]:
    model = document["model"] or ""
    (_none, answer), *others = told(document)
    yield style.bold(answer)
    yield f"{document['url']} {model}".rstrip()
    yield style.dim(_HEAD + "   ms, %")
    for step in document["steps"]:
        yield _row(f"{step['rate']:g}", step)
    yield _row(_("all"), document["total"])
    if others:
        yield ""
    for status, said in others:
        yield said if status is None else f"{style.word(status)} {said}"


def _row(name: str, row: Mapping[str, Any]) -> str:
    latency, first, each = row["latency_ms"], row["ttft_ms"], row["tpot_ms"]
    share = row["failure_share"]
    failed = "?" if share is None else f"{100 * share:.1f} %"
    return (
        f"{name:>6} {row['requests_per_second']:>10.1f} {row['tokens_per_second']:>9.0f} {failed:>7}  "
        f"{_ms(latency['p50'])} {_ms(latency['p90'])} {_ms(latency['p99'])}  "
        f"{_ms(first['p50'])} {_ms(first['p99'])}  "
        f"{_number(each['p50'], 6)} {_number(row['cpu_percent'], 5)} {_number(row['npu_percent'], 5)}"
    )


def _ms(value: float | None) -> str:
    return _number(value, 8)


def _number(value: float | None, width: int) -> str:
    return (
        "?".rjust(width)
        if value is None
        else f"{value:{width}.0f}"
        if value >= 100
        else f"{value:{width}.1f}"
    )
