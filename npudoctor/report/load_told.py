"""What a load test says in words, beside its figures; for the text and for the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.finding import Status
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LATE_MS = 50
Told = tuple[Status | None, str]


def told(document: Mapping[str, Any]) -> Iterator[Told]:
    """Line by line, with a status where it judges."""
    yield None, _saturation(document)
    reasons = document["total"]["failure_reasons"]
    if reasons:
        listed = ", ".join(f"{count} × {why}" for why, count in reasons.items())
        yield None, _("Failures: {reasons}").format(reasons=listed)
    late = document["total"]["sent_late_ms"]["p99"]
    if late is not None and late > _LATE_MS:
        what = _("the sending machine was late by {ms} ms itself (P99): use --processes, or more machines")
        yield Status.WARN, what.format(ms=round(late))
    if document.get("ratio"):
        yield from _ratio(document["ratio"], document["saturated_at"])
    yield from map(_limit, document.get("limits", ()))


def _saturation(document: Mapping[str, Any]) -> str:
    rate, total = document["saturated_at"], document["total"]
    if total["failures"] == total["requests"]:
        return _("No request was answered.")
    if rate is None:
        return _("It kept up with every rate.")
    return _("It no longer keeps up at {rate} requests a second.").format(rate=f"{rate:g}")


def _ratio(ratio: Mapping[str, Any], saturated_at: float | None) -> Iterator[Told]:
    total, peak = ratio["total"], ratio["peak"]
    said = _("Against the baseline: P50 {p50}, P90 {p90}, P99 {p99}, best throughput {rps}.")
    shares = {share: _times(total["latency_ms"][share]) for share in ("p50", "p90", "p99")}
    yield None, said.format(**shares, rps=_times(peak["requests_per_second"]))
    if saturated_at is None:
        yield None, _("How much it bears at most is not known: give higher --rates to compare that.")


def _times(value: float | None) -> str:
    return "?" if value is None else f"{value:.2f} ×"


def _limit(limit: Mapping[str, Any]) -> Told:
    value = "?" if limit["value"] is None else f"{limit['value']:g}"
    bound = f"≥ {limit['least']:g}" if limit["least"] is not None else f"≤ {limit['most']:g}"
    return Status.PASS if limit["kept"] else Status.FAIL, f"{limit['what']}: {value} ({bound})"
