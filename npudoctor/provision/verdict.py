"""Whether a host is right after a change: what must pass does, and nothing else got worse."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from npudoctor.finding import Status
from npudoctor.provision.machine import Verdict, group_of, kept
from npudoctor.provision.record import Way
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from npudoctor.provision.record import Record

CORE = ("driver.running_version", "driver.modules", "npu.visible", "npu.health", "driver.firmware_pairing")
"""What no host may be without, known and right, once a run has touched its driver or its firmware."""
_OF_CORE = frozenset({"driver", "firmware"})
"""The components that CORE looks at."""
KERNEL_AREAS = ("driver.*", "firmware.*", "npu.*", "pcie.*", "kernel.*")
PAIRED_LATER = ("*.cann_pairing",)
"""What is judged when the rest is there too: between the driver and CANN the pair may not fit."""
_FAIL = Status.FAIL.value
_BAD = (_FAIL, Status.UNKNOWN.value)
_FINE = (Status.PASS.value, Status.WARN.value)


def verdict(
    record: Record, statuses: Mapping[str, str], roles: Mapping[str, str | None], boot: str
) -> Verdict:
    """What the checks say of a host at this point of its way.

    Args:
        record: Its record, with the baseline.
        statuses: Of the host's checks by id, in this boot.
        roles: By check id: the role that mends it.
        boot: The boot in which they were made.
    """
    judged = {id: status for id, status in statuses.items() if _counts(record, id)}
    bad = [id for id, status in judged.items() if _is_bad(record, id, status, roles.get(id))]
    if not bad:
        return Verdict(True, "", boot, _as_before(record, judged))
    told = [f"{id}: {judged[id]} ({record.baseline.get(id, '–')})" for id in bad]
    return Verdict(
        False,
        f"check:{bad[0]}",
        boot,
        _("checks, as they are (were): {told}").format(told=", ".join(told[:5])),
    )


def _as_before(record: Record, judged: Mapping[str, str]) -> str:
    """What no host should be without, and this one was without before; empty where there is nothing."""
    left = [f"{id}: {judged[id]}" for id in CORE if judged.get(id) in _BAD]
    if record.way is Way.DOWN or not left:
        return ""
    text = _("as bad as before, and not changed by this run: {checks}")
    return text.format(checks=", ".join(left))


def _counts(record: Record, id: str) -> bool:
    """After the first group only what the kernel needs is judged; the rest is still to come."""
    if record.way is Way.DOWN or record.group or not any(map(group_of, record.host.steps)):
        return True
    return _matches(id, KERNEL_AREAS) and not _matches(id, PAIRED_LATER)


def _is_bad(record: Record, id: str, status: str, role: str | None) -> bool:
    before = record.baseline.get(id, Status.SKIP.value)
    changed = {step.component for step in record.host.steps}
    if id in CORE and (record.way is Way.UP or kept(record)):
        as_before = before in (status, _FAIL)
        return status in _BAD and not (as_before and changed.isdisjoint(_OF_CORE))
    if record.way is Way.DOWN:
        return status == _FAIL and before in _FINE
    return status == _FAIL and (role in changed or before != _FAIL)


def _matches(id: str, globs: Iterable[str]) -> bool:
    return any(fnmatchcase(id, pattern) for pattern in globs)
