"""A load test as JSON (`npudoctor.load/1`). Times in milliseconds, rates per second."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.accept.load.baseline import SCHEMA
from npudoctor.accept.load.figures import saturated
from npudoctor.accept.load.sampling import mean_within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from npudoctor.accept.load.baseline import Limit
    from npudoctor.accept.load.figures import Figures, Spread
    from npudoctor.accept.load.run import Test
    from npudoctor.accept.load.sampling import Sample


def document_of(
    test: Test, steps: Sequence[Figures], total: Figures, samples: Sequence[Sample], began: float
) -> dict[str, Any]:
    """The figures, before ratios and limits. `began`: when the first request was sent, by the clock."""
    too_much = saturated(steps)
    return {
        "schema": SCHEMA,
        "url": test.service.url,
        "model": test.service.model or None,
        "max_tokens": test.max_tokens,
        "step_seconds": test.seconds,
        "saturated_at": too_much.rate if too_much else None,
        "total": {**_figures(total), **_use(samples, 0, float("inf"))},
        "steps": [
            {
                "rate": step.rate,
                **_figures(step),
                **_use(samples, began + number * test.seconds, began + (number + 1) * test.seconds),
            }
            for number, step in enumerate(steps)
        ],
    }


def with_verdict(
    document: dict[str, Any], compared: dict[str, Any] | None, limits: Sequence[Limit]
) -> dict[str, Any]:
    """The document with the ratios to an earlier test and the limits."""
    held = [
        {
            "what": limit.what,
            "value": _round(limit.value),
            "least": limit.least,
            "most": limit.most,
            "kept": limit.kept,
        }
        for limit in limits
    ]
    return {
        **document,
        "ratio": _rounded(compared),
        "limits": held,
        "pass": all(limit.kept for limit in limits),
    }


def to_json(document: dict[str, Any]) -> str:
    """As indented text."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "requests": figures.requests,
        "failures": figures.failures,
        "failure_share": _round(figures.failure_share),
        "failure_reasons": dict(figures.reasons),
        "latency_ms": _spread(figures.latency),
        "ttft_ms": _spread(figures.ttft),
        "tpot_ms": _spread(figures.tpot),
        "requests_per_second": _round(figures.requests_per_second),
        "tokens_per_second": _round(figures.tokens_per_second),
        "sent_late_ms": _spread(figures.late),
    }


def _spread(spread: Spread) -> dict[str, float | None]:
    return {"p50": _round(spread.p50), "p90": _round(spread.p90), "p99": _round(spread.p99)}


def _use(samples: Sequence[Sample], start: float, end: float) -> dict[str, float | None]:
    names = ("cpu_percent", "npu_percent")
    return {name: _round(mean_within(samples, start, end, name)) for name in names}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return round(value, 3) if isinstance(value, float) else value
