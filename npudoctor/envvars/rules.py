"""Whether a value is one that the reader of a variable takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal

from npudoctor.regex import regex

Rule = Mapping[str, Any]
Wrong = Literal["text", "number", "value", "off", "on"]
"""What is wrong with a value: `text` where a number is wanted, a `number` out of range, another `value`,
meant as on but silently `off`, meant as off but silently `on`."""

OFF_WORDS = frozenset(("", "0", "false", "off", "no", "none", "n", "f", "disable", "disabled"))
_INTEGER = regex(r"[+-]?\d{1,30}")
_DECIMAL = regex(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})")
_PORTS = regex(r"(\d{1,9})(?:-(\d{1,9}))?")


def wrong(rule: Rule, value: str, chip: str | None = None) -> Wrong | None:
    """What is wrong with `value`, None where it may stand.

    Args:
        rule: The `rule` of a row in `variables.yaml`.
        value: The value as it is set, not empty.
        chip: `A1`, `A2`, `A3`, `310P` or `950`; None where it is not known.
    """
    chips = rule.get("by_chip")
    if chips and chip in chips:
        return _plain(chips[chip], value)
    if "keys" in rule:
        return None if wrong_pair(rule, value) is None else "value"
    return _switch(rule, value) or _plain(rule, value)


def wrong_pair(rule: Rule, value: str) -> str | None:
    """The first `key:value` pair that the reader does not take; None where all are right."""
    for part in _pairs(value, rule["sep"]):
        key, found, text = part.partition(rule["pair"])
        if rule.get("blanks"):
            key, text = key.strip(), text.strip()
        key = _fold(rule, key)
        allowed = rule["keys"].get(key)
        if allowed is None and rule.get("open_keys"):
            continue
        if not found or allowed is None or not _allowed(allowed, text):
            return part.strip()
    return None


def switched_on(rule: Rule, value: str) -> bool:
    """Whether the reader counts `value` as on."""
    if "true_only" in rule:
        return bool(value == rule["true_only"])
    if "true_any" in rule:
        return _fold(rule, value) in {_fold(rule, word) for word in rule["true_any"]}
    if "true_first_letter" in rule:
        return value[:1] in tuple(rule["true_first_letter"])
    if rule.get("any_text_is_on"):
        return value != ""
    return value.lower() not in OFF_WORDS


def _switch(rule: Rule, value: str) -> Wrong | None:
    """For readers that take every text: whether on and off are what the person meant."""
    if "false_only" in rule:
        return "on" if value.lower() in OFF_WORDS and value != rule["false_only"] else None
    if not rule.keys() & {"true_only", "true_any", "true_first_letter", "any_text_is_on"}:
        return None
    meant = value.lower() not in OFF_WORDS
    if switched_on(rule, value) == meant:
        return None
    return "off" if meant else "on"


def _plain(rule: Rule, value: str) -> Wrong | None:
    if "set" in rule:
        return _in_set(rule, value)
    if "pattern" in rule:
        return _like(rule, value)
    if rule.keys() & {"min", "max", "min_exclusive", "max_exclusive"}:
        return _in_range(rule, value)
    return None


def _in_set(rule: Rule, value: str) -> Wrong | None:
    allowed = {_fold(rule, word) for word in rule["set"]}
    if _fold(rule, value) in allowed or _also_number(rule, value):
        return None
    if all(word.isdigit() for word in allowed):
        return "number" if _INTEGER.fullmatch(value) else "text"
    return "value"


def _also_number(rule: Rule, value: str) -> bool:
    """A rule may name words and a range: 0, or 20 to 7200."""
    return "min" in rule and _in_range(rule, value) is None


def _like(rule: Rule, value: str) -> Wrong | None:
    if not re.fullmatch(rule["pattern"], value, re.IGNORECASE if rule.get("ignore_case") else 0):
        return "value"
    if "port_max" in rule and value != "auto":
        return _ports(rule, value)
    return None


def _in_range(rule: Rule, value: str) -> Wrong | None:
    shape = _DECIMAL if rule.get("decimal") else _INTEGER
    if not shape.fullmatch(value):
        return "text"
    number = float(value) if rule.get("decimal") else int(value)
    inside = (
        number >= rule.get("min", number)
        and number <= rule.get("max", number)
        and ("min_exclusive" not in rule or number > rule["min_exclusive"])
        and ("max_exclusive" not in rule or number < rule["max_exclusive"])
        and ("multiple_of" not in rule or number % rule["multiple_of"] == 0)
    )
    return None if inside else "number"


def port_ranges(value: str) -> list[tuple[int, int]]:
    """`60000,60050-60100` as pairs of first and last port; parts that are no ports are left out."""
    found = [_PORTS.fullmatch(part.strip()) for part in value.split(",")]
    return [(int(part[1]), int(part[2] or part[1])) for part in found if part]


def _ports(rule: Rule, value: str) -> Wrong | None:
    ranges = sorted(port_ranges(value))
    inside = all(rule["port_min"] <= first <= last <= rule["port_max"] for first, last in ranges)
    apart = all(before[1] < after[0] for before, after in pairwise(ranges))
    return None if inside and apart else "number"


def _allowed(rule: Rule, text: str) -> bool:
    return rule.get("text", False) or _plain({"decimal": True, **rule}, text) is None


def _pairs(value: str, sep: str) -> list[str]:
    """Split at `sep`, but not inside brackets: `roundup_power2_divisions:[256:1,512:2]` is one pair."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(value):
        depth += (letter == "[") - (letter == "]")
        if letter == sep and depth <= 0:
            parts.append(value[start:at])
            start = at + 1
    return [*parts, value[start:]]


def _fold(rule: Rule, text: str) -> str:
    return text.lower() if rule.get("ignore_case") else text
