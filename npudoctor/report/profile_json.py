"""A judged profile as JSON: schema `npudoctor.profile/1`. Shares are 0 to 1; null: cannot be known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.accept.profile.verdict import ADVICE
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.accept.profile.compare import Change
    from npudoctor.accept.profile.figures import Figures, Operator
    from npudoctor.accept.profile.profile import Device, Profile

SCHEMA = "npudoctor.profile/1"
_SHARES = (
    "cube_share",
    "vector_share",
    "aicpu_share",
    "copy_share",
    "communication_share",
    "communication_exposed_share",
    "free_share",
)


def to_json(profile: Profile, before: Profile | None, change: Change | None) -> str:
    """The whole answer as indented JSON text; with `before` and `change` where two were compared."""
    document = {"schema": SCHEMA, **_profile(profile)}
    if before is not None and change is not None:
        document["before"] = _profile(before)
        document["change"] = _change(change)
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _profile(profile: Profile) -> dict[str, Any]:
    document: dict[str, Any] = {
        "bottleneck": profile.lead.word,
        **_figures(profile.lead.figures),
        "communication_wait_ratio": _rounded(profile.lead.wait_ratio),
        "advice": [_(ADVICE[step]) for step in profile.steps],
        "next_step": profile.next_step,
        "flags": list(profile.flags),
        "problems": list(profile.problems),
    }
    if len(profile.devices) > 1:
        document["judged"] = profile.lead.name
        document["slow_rank"] = profile.slow
        document["ranks"] = [_device(device) for device in profile.devices]
    return document


def _device(device: Device) -> dict[str, Any]:
    return {
        "name": device.name,
        "rank": device.rank,
        "device": device.device,
        "folder": device.folder,
        "bottleneck": device.word,
        **_figures(device.figures),
        "communication_wait_ratio": _rounded(device.wait_ratio),
    }


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "span_us": _rounded(figures.span_us, 3),
        "op_time_us": round(figures.op_time_us, 3),
        "total_device_time_us": round(figures.total_device_time_us, 3),
        "operators": [_operator(operator) for operator in figures.operators],
        **{name: _rounded(getattr(figures, name)) for name in _SHARES},
        "bubble_share": _rounded(figures.bubble_share),
        "copies_us": {way: round(taken, 3) for way, taken in figures.directions.items()},
        "longest_wait_us": _rounded(figures.longest_wait_us, 3),
        "long_waits": figures.long_waits,
    }


def _operator(operator: Operator) -> dict[str, Any]:
    return {
        "name": operator.name,
        "time_us": round(operator.time_us, 3),
        "share": round(operator.share, 4),
        "count": operator.count,
        "kind": operator.kind,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "total_time_ratio": _rounded(change.total),
        "op_time_ratio": _rounded(change.operators_time),
        "speedup": _rounded(1 / change.total) if change.total else None,
        "calls_ratio": _rounded(change.calls),
        "slower": change.slower,
        "operators": [
            {"name": one.name, "before_us": round(one.before_us, 3), "after_us": round(one.after_us, 3)}
            for one in change.operators
        ],
    }


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)
