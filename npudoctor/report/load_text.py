"""A load test for a person: a line a step, where it is too much, the ratio to an earlier test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.finding import Status
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.report.style import Style

_HEAD = (
    f"{'rate':>6} {'requests/s':>10} {'tokens/s':>9} {'failed':>7}  {'P50':>8} {'P90':>8} {'P99':>8}  "
    f"{'TTFT P50':>8} {'P99':>8}  {'TPOT':>6} {'CPU':>5} {'NPU':>5}"
)
_LATE_MS = 50


def to_text(document: Mapping[str, Any], style: Style) -> str:
    """All of it as text."""
    return "\n".join(_lines(document, style)) + "\n"


def _lines(document: Mapping[str, Any], style: Style) -> Iterator[str]:
    model = document["model"] or ""
    yield style.bold(f"{document['url']} {model}".rstrip())
    yield style.dim(_HEAD + "   ms, %")
    for step in document["steps"]:
        yield _row(f"{step['rate']:g}", step)
    yield _row(_("all"), document["total"])
    yield ""
    yield _saturation(document)
    yield from _reasons(document["total"]["failure_reasons"])
    late = document["total"]["sent_late_ms"]["p99"]
    if late is not None and late > _LATE_MS:
        what = _("the sending machine was late by {ms} ms itself (P99): use --processes, or more machines")
        yield style.word(Status.WARN) + " " + what.format(ms=round(late))
    yield from _ratio(document.get("ratio"))
    for limit in document.get("limits", ()):
        yield _limit(limit, style)


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


def _saturation(document: Mapping[str, Any]) -> str:
    rate = document["saturated_at"]
    if rate is None:
        return _("It kept up with every rate.")
    return _("It no longer keeps up at {rate} requests a second.").format(rate=f"{rate:g}")


def _reasons(reasons: Mapping[str, int]) -> Iterator[str]:
    if reasons:
        yield _("Failures: {reasons}").format(
            reasons=", ".join(f"{count} × {why}" for why, count in reasons.items())
        )


def _ratio(ratio: Mapping[str, Any] | None) -> Iterator[str]:
    if not ratio:
        return
    total, peak = ratio["total"], ratio["peak"]
    yield _("Against the baseline: P50 {p50}, P90 {p90}, P99 {p99}, best throughput {rps}.").format(
        p50=_times(total["latency_ms"]["p50"]),
        p90=_times(total["latency_ms"]["p90"]),
        p99=_times(total["latency_ms"]["p99"]),
        rps=_times(peak["requests_per_second"]),
    )


def _times(value: float | None) -> str:
    return "?" if value is None else f"{value:.2f} ×"


def _limit(limit: Mapping[str, Any], style: Style) -> str:
    word = style.word(Status.PASS if limit["kept"] else Status.FAIL)
    value = "?" if limit["value"] is None else f"{limit['value']:g}"
    bound = f"≥ {limit['least']:g}" if limit["least"] is not None else f"≤ {limit['most']:g}"
    return f"{word} {limit['what']}: {value} ({bound})"
