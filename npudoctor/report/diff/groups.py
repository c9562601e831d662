"""What is the same on many hosts or of many NPUs, as one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.finding import Finding
    from npudoctor.report.diff.difference import Change, FactChange

_NUMBER = regex(r"(?<=[\[./])[0-9]+(?=[\]./]|$)")


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """The same change on one host or more; `hosts` are their names, empty for the fleet."""

    change: Change
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FactGroup:
    """The same difference in one fact or more; `name` has `*` where the names have their numbers."""

    name: str
    change: FactChange
    count: int


def group_changes(changes: Iterable[Change]) -> list[ChangeGroup]:
    """Changes that read the same on several hosts, in the order in which they come."""
    groups: dict[tuple[object, ...], list[Change]] = {}
    for change in changes:
        key = (change.id, not change.host, _said(change.before), _said(change.after))
        groups.setdefault(key, []).append(change)
    return [
        ChangeGroup(group[0], tuple(each.host for each in group if each.host)) for group in groups.values()
    ]


def group_facts(facts: Iterable[FactChange]) -> list[FactGroup]:
    """Facts whose names differ in a number only and whose values do not, in the order in which they come."""
    groups: dict[tuple[str, str | None, str | None], list[FactChange]] = {}
    for fact in facts:
        groups.setdefault((_NUMBER.sub("*", fact.name), fact.before, fact.after), []).append(fact)
    return [
        FactGroup(key[0] if len(group) > 1 else group[0].name, group[0], len(group))
        for key, group in groups.items()
    ]


def _said(finding: Finding | None) -> tuple[str, str] | None:
    return None if finding is None else (finding.status.value, finding.actual)
