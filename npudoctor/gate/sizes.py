"""Sizes as Docker, Compose and Kubernetes write them."""

from __future__ import annotations

from npudoctor.regex import regex

_SIZE = regex(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]*)")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def size_of(text: str) -> int | None:
    """Bytes of `16gb`, `8g`, `16Gi`, `67108864`; None for anything else."""
    match = _SIZE.fullmatch(text.strip())
    power = _POWERS.get(match[2].lower().removesuffix("b").removesuffix("i")) if match else None
    return int(float(match[1]) * 1024**power) if match and power is not None else None
