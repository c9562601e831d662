"""What a parser returns, as JSON: dataclasses become objects, tuples and sets become lists."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import Any


def as_json(value: Any) -> str:
    """The value as indented JSON text, keys in the order of the fields."""
    return json.dumps(value, default=_plain, ensure_ascii=False, indent=2)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)
