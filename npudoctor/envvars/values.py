"""Values that the reader does not take, and what it does with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.envvars.judgement import Judgement, Kind, Severity, Variables, Versions, readable
from npudoctor.envvars.reading import is_read, table_chip
from npudoctor.envvars.rules import Wrong, wrong, wrong_pair
from npudoctor.envvars.table import Row, table
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.fact import Evidence

_QUOTES = "\"'“”‘’`"


def judge_values(variables: Variables, versions: Versions) -> Iterator[Judgement]:
    """Judge the values that are set, of variables that this stack reads. Empty counts as unset."""
    for name, value, evidence in readable(variables):
        row = table().rows.get(name)
        if row is None or not value or not is_read(row, versions):
            continue
        found = wrong(row["rule"], value, table_chip(versions)) if "rule" in row else None
        if found:
            yield _judgement(row, value, evidence, found)


def _judgement(row: Row, value: str, evidence: Evidence, found: Wrong) -> Judgement:
    name = row["name"]
    message = _what(row, value, found)
    effect = _effect(row, found)
    return Judgement(
        Kind.VALUE,
        name,
        value,
        _severity(row, found),
        _("{what}; {effect}").format(what=message, effect=effect) if effect else message,
        (evidence,),
        _fix(row, value),
        tuple(row["source"]),
    )


def _what(row: Row, value: str, found: Wrong) -> str:
    if found == "off":
        return _("{name}={value} does not switch it on").format(name=row["name"], value=value)
    if found == "on":
        return _("{name}={value} does not switch it off").format(name=row["name"], value=value)
    if value[:1] in _QUOTES and value[-1:] in _QUOTES:
        return _("the quotes are part of the value {name}={value}").format(name=row["name"], value=value)
    part = wrong_pair(row["rule"], value) if "keys" in row["rule"] else None
    if part is not None:
        return _("{name} takes no {part}").format(name=row["name"], part=part or '""')
    return _("{name}={value}, and it takes {values}").format(
        name=row["name"], value=value, values=row.get("values", "")
    )


def _effect(row: Row, found: Wrong) -> str:
    invalid = row.get("invalid")
    if found in ("off", "on") or not invalid:
        return ""
    effect = _applies(invalid, found)
    words = {
        "fails": _("the reader stops"),
        "default": _("the default {default} is used")
        .format(default=row.get("default", ""))
        .replace("  ", " "),
        "ignored": _("it is ignored"),
        "off": _("it counts as off"),
        "zero": _("text counts as 0, any other number as on"),
    }[effect]
    says = invalid.get("says", "")
    if not says or effect != invalid["effect"]:
        return words
    return _("{what} ({says})").format(what=words, says=_(says))


def _applies(invalid: Row, found: Wrong) -> str:
    """The effect; a reader that stops for one sort of value only reads the other sort as a number."""
    effect: str = invalid["effect"]
    if effect == "fails" and invalid.get("for", found) != found:
        return "zero"
    return effect


def _severity(row: Row, found: Wrong) -> Severity:
    invalid = row.get("invalid")
    stops = invalid is not None and found not in ("off", "on") and _applies(invalid, found) == "fails"
    return "fail" if stops else "warn"


def _fix(row: Row, value: str) -> tuple[str, ...]:
    bare = value.strip(_QUOTES)
    if bare != value and wrong(row["rule"], bare) is None:
        return (f"export {row['name']}={bare}",)
    return (f"unset {row['name']}",)
