"""An earlier test beside this one: the ratio of each figure, and the limits that are asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SCHEMA = "npudoctor.load/1"
_SPREADS = ("latency_ms", "ttft_ms", "tpot_ms")
_RATES = ("requests_per_second", "tokens_per_second")


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit and what was measured.

    Attributes:
        what: `speedup of latency_ms.p99`, `latency_ms.p99`, ….
        value: None where it could not be measured.
    """

    what: str
    value: float | None
    least: float | None = None
    most: float | None = None

    @property
    def kept(self) -> bool:
        """Whether it holds; what was not measured does not."""
        if self.value is None:
            return False
        return (self.least is None or self.value >= self.least) and (
            self.most is None or self.value <= self.most
        )


def read_baseline(path: Path) -> dict[str, Any]:
    """The JSON of an earlier test.

    Raises:
        UsageError: It is none.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_number)
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or _("no JSON")
        raise UsageError(f"--baseline {path}: {why}", _hint()) from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise UsageError(f"--baseline {path}: " + _("no load test of npudoctor"), _hint())
    try:
        ratios(document, document)
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError):
        raise UsageError(f"--baseline {path}: " + _("it was changed, or is cut off"), _hint()) from None
    return document


def _no_number(word: str) -> None:
    raise ValueError(word)


def _hint() -> str:
    return "npudoctor accept load URL --format json --output before.json"


def ratios(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """How many times better each figure is: of the whole, of the best step, of each step that both have.

    Over 1 is better for every figure: shorter times and higher rates.
    """
    old = {step["rate"]: step for step in before["steps"]}
    return {
        "total": dict(_ratios(before["total"], after["total"])),
        "peak": {name: _ratio(_peak(after, name), _peak(before, name)) for name in _RATES},
        "steps": [
            {"rate": step["rate"], **dict(_ratios(old[step["rate"]], step))}
            for step in after["steps"]
            if step["rate"] in old
        ],
    }


def _ratios(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in _SPREADS:
        yield name, {key: _ratio(old[name][key], new[name][key]) for key in ("p50", "p90", "p99")}
    for name in _RATES:
        yield name, _ratio(new[name], old[name])


def _ratio(left: float | None, right: float | None) -> float | None:
    return left / right if left is not None and right else None


def _peak(document: Mapping[str, Any], name: str) -> float:
    return max((step[name] for step in document["steps"]), default=0.0)


def limits(
    document: Mapping[str, Any], compared: Mapping[str, Any] | None, speedup: float | None, p99: float | None
) -> list[Limit]:
    """Those that were asked for: the speed-up of P99 and of the best throughput, and every step's P99."""
    found = []
    if speedup is not None and compared is not None:
        latency, throughput = compared["total"]["latency_ms"]["p99"], compared["peak"]["requests_per_second"]
        found.append(Limit("speedup of latency_ms.p99", latency, least=speedup))
        found.append(Limit("speedup of requests_per_second", throughput, least=speedup))
    if p99 is not None:
        measured = [step["latency_ms"]["p99"] for step in document["steps"]]
        worst = None if not measured or None in measured else max(measured)
        found.append(Limit("latency_ms.p99", worst, most=p99))
    return found
