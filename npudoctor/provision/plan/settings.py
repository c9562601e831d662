"""Components without a version: the checks of the doctor say what differs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.finding import Finding, Status
from npudoctor.provision.plan.difference import CONFIGURE, REPAIR, SAME, Difference, same
from npudoctor.provision.planned import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from npudoctor.provision.plan.wanted import Wanted

_BAD = (Status.FAIL, Status.WARN)
_UNCHECKED = "host_tuning.hugepages"
"""A setting of the role that no check listens to."""


@cache
def _rows() -> dict[str, list[dict[str, str]]]:
    content: dict[str, Any] = load(Path(__file__).with_suffix(".yaml")).content
    return content


def checks() -> frozenset[str]:
    """Ids of the checks that a plan listens to."""
    return frozenset(row["check"] for rows in _rows().values() for row in rows)


def settings() -> list[str]:
    """What `--skip` may name beside components: `host_tuning.thp`."""
    named = {f"{row['component']}.{row['setting']}" for row in _rows()["settings"]}
    return sorted(named | {_UNCHECKED})


def setting_difference(component: str, findings: Iterable[Finding], wanted: Wanted) -> Difference:
    """What the role of that name would set."""
    changes = tuple(_changes(component, {finding.id: finding for finding in findings}, wanted))
    return Difference(CONFIGURE, "", changes) if changes else same("")


def _changes(component: str, by_id: Mapping[str, Finding], wanted: Wanted) -> Iterator[Change]:
    for row in _rows()["settings"]:
        name, finding = f"{component}.{row['setting']}", by_id.get(row["check"])
        if row["component"] != component or name in wanted.left_out or finding is None:
            continue
        if finding.status in _BAD:
            why = finding.fix.summary if finding.fix else finding.title
            yield Change(name, finding.actual, finding.expected, why)


def with_repair(component: str, difference: Difference, findings: Iterable[Finding]) -> Difference:
    """The right version that is not whole, as a check says: installed again."""
    if difference.action not in (SAME, "reboot"):
        return difference
    wanted_ids = {row["check"] for row in _rows()["repairs"] if row["component"] == component}
    bad = [one for one in findings if one.id in wanted_ids and one.status in _BAD]
    if not bad:
        return difference
    changes = tuple(Change(f"{component}.{one.id}", one.actual, one.expected, one.title) for one in bad)
    return Difference(REPAIR, difference.before, changes)
