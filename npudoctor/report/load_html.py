"""A load test as one page that needs no network: the figures as charts over the rate, and the table below."""

from __future__ import annotations

from html import escape
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.report.load_told import told
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from npudoctor.finding import Status

_CSS = Path(__file__).parent / "page" / "load.css"
_HEADS = (
    "rate",
    "requests",
    "failed %",
    "P50 ms",
    "P90 ms",
    "P99 ms",
    "TTFT P50",
    "TPOT P50",
    "req/s",
    "tokens/s",
    "CPU %",
    "NPU %",
)
_WIDE, _HIGH, _LEFT, _BELOW = 460, 220, 52, 30


def to_html(document: Mapping[str, Any]) -> Iterator[str]:
    """The whole page."""
    title = escape(f"{document['url']} {document['model'] or ''}".rstrip())
    yield f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<style>{_CSS.read_text(encoding='utf-8')}</style></head>\n<body><main>\n<h1>{title}</h1>\n"
    yield from (_told(status, said) for status, said in told(document))
    yield '<div class="charts">\n'
    for name, unit, lines in _charts():
        yield _chart(name, unit, lines, document["steps"])
    yield "</div>\n"
    yield from _table(document)
    yield "</main></body></html>\n"


def _told(status: Status | None, said: str) -> str:
    if status is None:
        return f"<p>{escape(said)}</p>\n"
    return f'<p class="{status.value}"><b>{status.value.upper()}</b> {escape(said)}</p>\n'


def _charts() -> list[tuple[str, str, list[Any]]]:
    return [
        (_("Latency"), "ms", [(key, _of("latency_ms", key)) for key in ("p50", "p90", "p99")]),
        (_("Time to the first token"), "ms", [(key, _of("ttft_ms", key)) for key in ("p50", "p90", "p99")]),
        (_("Time per output token"), "ms", [(key, _of("tpot_ms", key)) for key in ("p50", "p90", "p99")]),
        (
            _("Requests a second"),
            "/s",
            [(_("sent"), _of("rate")), (_("answered"), _of("requests_per_second"))],
        ),
        (_("Tokens a second"), "/s", [(_("tokens"), _of("tokens_per_second"))]),
        (_("Use of the host"), "%", [("CPU", _of("cpu_percent")), ("NPU", _of("npu_percent"))]),
    ]


def _of(name: str, key: str | None = None) -> Callable[[Mapping[str, Any]], float | None]:
    def value(step: Mapping[str, Any]) -> float | None:
        found: float | None = step[name] if key is None else step[name][key]
        return found

    return value


def _chart(name: str, unit: str, lines: Sequence[Any], steps: Sequence[Mapping[str, Any]]) -> str:
    """One chart: a line a figure; a step where it is not known is left out."""
    rates = [step["rate"] for step in steps]
    drawn = [(key, [(step["rate"], value(step)) for step in steps]) for key, value in lines]
    drawn = [(key, points) for key, points in drawn if _known(points)]
    known = [value for _key, points in drawn for _rate, value in points if value is not None]
    if not known:
        return ""
    top = _top(max(known))
    marks = [
        f'<polyline class="line{place}" points="{_points(points, rates, top)}"/>'
        + _dots(points, rates, top, place, key)
        for place, (key, points) in enumerate(drawn)
    ]
    legend = " ".join(
        f'<span class="key{place}">{escape(key)}</span>' for place, (key, _p) in enumerate(drawn)
    )
    head = f"<figcaption>{escape(name)} <small>{escape(unit)}</small> {legend}</figcaption>"
    axes = _axes(rates, top)
    frame = f'<svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-label="{escape(name)}">'
    return f"<figure>{head}{frame}{axes}{''.join(marks)}</svg></figure>\n"


def _top(value: float) -> float:
    """The next number above that divides well."""
    if value <= 0:
        return 1.0
    power = 10 ** floor(log10(value))
    return float(next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= value))


def _place(rate: float, value: float, rates: Sequence[float], top: float) -> tuple[float, float]:
    span = (rates[-1] - rates[0]) or 1.0
    across = (rate - rates[0]) / span if len(rates) > 1 else 0.5
    return _LEFT + across * (_WIDE - _LEFT - 24), (_HIGH - _BELOW) * (1 - value / top) + 8 * value / top


def _known(points: Sequence[tuple[float, float | None]]) -> list[tuple[float, float]]:
    return [(rate, value) for rate, value in points if value is not None]


def _points(points: Sequence[Any], rates: Sequence[float], top: float) -> str:
    return " ".join(
        f"{x:.1f},{y:.1f}" for x, y in (_place(rate, value, rates, top) for rate, value in _known(points))
    )


def _dots(points: Sequence[Any], rates: Sequence[float], top: float, place: int, key: str) -> str:
    found = ""
    for rate, value in _known(points):
        x, y = _place(rate, value, rates, top)
        tip = escape(f"{key} {value:.4g} @ {rate:g}/s")
        found += f'<circle class="dot{place}" cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{tip}</title></circle>'
    return found


def _axes(rates: Sequence[float], top: float) -> str:
    base = _HIGH - _BELOW
    found = f'<line class="axis" x1="{_LEFT}" y1="{base}" x2="{_WIDE}" y2="{base}"/>'
    for share in (0.0, 0.5, 1.0):
        y = _place(rates[0], top * share, rates, top)[1]
        found += f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDE}" y2="{y:.1f}"/>'
        found += f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{top * share:.4g}</text>'
    for rate in dict.fromkeys((rates[0], rates[len(rates) // 2], rates[-1])):
        x = _place(rate, 0, rates, top)[0]
        found += f'<text x="{x:.1f}" y="{_HIGH - 8}" text-anchor="middle">{rate:g}/s</text>'
    return found


def _table(document: Mapping[str, Any]) -> Iterator[str]:
    yield (
        "<table><thead><tr>"
        + "".join(f"<th>{escape(head)}</th>" for head in _HEADS)
        + "</tr></thead><tbody>\n"
    )
    for step in (*document["steps"], {"rate": None, **document["total"]}):
        yield "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in _values(step)) + "</tr>\n"
    yield "</tbody></table>\n"


def _values(step: Mapping[str, Any]) -> list[Any]:
    latency, share = step["latency_ms"], step["failure_share"]
    return [
        step["rate"] or _("all"),
        step["requests"],
        None if share is None else 100 * share,
        latency["p50"],
        latency["p90"],
        latency["p99"],
        step["ttft_ms"]["p50"],
        step["tpot_ms"]["p50"],
        step["requests_per_second"],
        step["tokens_per_second"],
        step["cpu_percent"],
        step["npu_percent"],
    ]


def _cell(value: float | str | None) -> str:
    return "?" if value is None else f"{value:.4g}" if isinstance(value, float) else escape(str(value))
