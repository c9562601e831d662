"""Which hosts may be begun now: canaries first, never too many at once, and none once too many have failed.

Pure: the same hosts in the same states get the same answer, so a run that is resumed goes on as it was.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from itertools import zip_longest
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.provision.call import Share

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

BRAKES = ("canary-failed", "same-failure", "failures-in-a-row", "too-many-failed")
"""Why no other host is begun; stable keys."""
_SMALL_WAVE, _SMALL_PART = 3, 0.01
_LARGE_PART = 0.10
_FEW = 20
"""Finished hosts under which a share says little: there two failures are enough to stop."""
_IN_A_ROW = 3


class Standing(str, Enum):
    """How a host stands in this run."""

    WAITING = "waiting"
    RUNNING = "running"
    GOOD = "good"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Entry:
    """One host that is to be changed.

    Attributes:
        kind: Hosts of one kind share a canary.
        domain: Rack or supernode; empty where it is not known.
        signature: Of a failed host: the key of what went wrong.
        finished: In which place it came to its end in this run, from 1; 0 as long as it has not.
        out: Of a failed host: whether it stays out of service (stuck, lost) and keeps its slot.
        left: Of a failed host: whether it was left as it is, and so shows nothing of its kind.
    """

    name: str
    kind: str
    domain: str = ""
    standing: Standing = Standing.WAITING
    signature: str = ""
    finished: int = 0
    out: bool = False
    left: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What a call allows.

    Attributes:
        canary: Hosts of each kind that go first; 0 for no waves at all.
        unavailable: How many may be out of service at once, at least one.
        failed: How many failures stop the run, or which part of those finished.
        out_of_service: Hosts that were out of service before: they take slots, but one is always left.
        hosts: Of the inventory: what a share is a share of.
        together: Whether two hosts of one domain may be out of service at once.
    """

    canary: int = 1
    unavailable: Share = Share(part=0.1)
    failed: Share = Share(part=0.1)
    out_of_service: int = 0
    hosts: int = 0
    together: bool = False


@dataclass(frozen=True, slots=True)
class Admission:
    """The answer: hosts to begin now, in order, and why no other is begun any more (a stable key)."""

    begin: tuple[str, ...] = ()
    brake: str = ""


def admit(entries: Sequence[Entry], limits: Limits) -> Admission:
    """Who may be begun now.

    Args:
        entries: All hosts that the run changes, in the order of the inventory.
        limits: What the call allows.
    """
    pulled = brake(entries, limits)
    if pulled:
        return Admission(brake=pulled)
    chosen: list[Entry] = []
    free = _slots(entries, limits)
    for entry in _wave(entries, limits):
        if len(chosen) >= free:
            break
        if limits.together or not _is_near(entry, [*entries, *chosen], chosen):
            chosen.append(entry)
    return Admission(tuple(entry.name for entry in chosen))


def brake(entries: Sequence[Entry], limits: Limits) -> str:
    """Why no other host is begun; empty where all is well."""
    finished = sorted((one for one in entries if one.finished), key=lambda one: one.finished)
    failed = [one for one in finished if one.standing is Standing.FAILED]
    if len(failed) > 1 and _same_among_canaries(entries, limits):
        return "same-failure"
    if any(_has_failed(members, limits) for members in _kinds(entries)):
        return "canary-failed"
    last = [one.standing for one in finished[-_IN_A_ROW:]]
    if last == [Standing.FAILED] * _IN_A_ROW:
        return "failures-in-a-row"
    return "too-many-failed" if _too_many(len(failed), len(finished), limits.failed) else ""


def _too_many(failed: int, finished: int, limit: Share) -> bool:
    """A count is a count; a share counts from `_FEW` finished hosts on, and before that two are enough."""
    if limit.count is not None:
        return failed > 0 and failed >= max(1, limit.count)
    part = limit.part or 0.0
    return failed >= 2 if finished < _FEW and part < 1.0 else failed > part * finished


def _has_failed(members: Sequence[Entry], limits: Limits) -> bool:
    """Whether no canary of a kind came through, while others of the kind wait."""
    canaries = _canaries(members, limits)
    failed = bool(canaries) and all(one.standing is Standing.FAILED for one in canaries)
    return failed and any(one.standing is Standing.WAITING for one in members)


def _same_among_canaries(entries: Iterable[Entry], limits: Limits) -> bool:
    canaries = {one.name for one in _canaries(entries, limits)}
    signatures = Counter(one.signature for one in entries if one.signature and one.name in canaries)
    return any(count > 1 for count in signatures.values())


def _slots(entries: Iterable[Entry], limits: Limits) -> int:
    """Hosts that this run loses keep their slot: a fleet brakes by itself."""
    most = max(1, limits.unavailable.of(limits.hosts) - limits.out_of_service)
    out = sum(one.standing is Standing.RUNNING or one.out for one in entries)
    return max(0, most - out)


def _is_near(entry: Entry, entries: Iterable[Entry], chosen: Sequence[Entry]) -> bool:
    """Whether a host of the same domain is under way, or has just been chosen."""
    running = [one for one in entries if one.standing is Standing.RUNNING]
    return bool(entry.domain) and any(one.domain == entry.domain for one in (*running, *chosen))


def _wave(entries: Sequence[Entry], limits: Limits) -> list[Entry]:
    """Those of the present wave that wait: a wave begins when the one before it has ended well."""
    for wave in _waves(entries, limits):
        if any(one.standing in (Standing.WAITING, Standing.RUNNING) for one in wave):
            return [one for one in wave if one.standing is Standing.WAITING]
    return []


def _waves(entries: Sequence[Entry], limits: Limits) -> Iterator[list[Entry]]:
    """Canaries of each kind, then max(3, 1 %), then 10 %, then the rest."""
    if not limits.canary:
        yield [*_spread(entries)]
        return
    canaries = _canaries(entries, limits)
    yield canaries
    names = {one.name for one in canaries}
    rest = [one for one in _spread(entries) if one.name not in names]
    small = max(_SMALL_WAVE, int(_SMALL_PART * len(entries)))
    large = max(small, int(_LARGE_PART * len(entries)))
    yield rest[:small]
    yield rest[small : small + large]
    yield rest[small + large :]


def _canaries(entries: Iterable[Entry], limits: Limits) -> list[Entry]:
    shown = [entry for entry in entries if not entry.left]
    return [entry for members in _kinds(shown) for entry in members[: limits.canary]]


def _kinds(entries: Iterable[Entry]) -> list[list[Entry]]:
    by_kind: dict[str, list[Entry]] = {}
    for entry in entries:
        by_kind.setdefault(entry.kind, []).append(entry)
    return [*by_kind.values()]


def _spread(entries: Iterable[Entry]) -> Iterator[Entry]:
    """One of each domain after the other, so that no wave lies in one rack."""
    by_domain: dict[str, list[Entry]] = {}
    for entry in entries:
        by_domain.setdefault(entry.domain or entry.name, []).append(entry)
    for row in zip_longest(*by_domain.values()):
        yield from (entry for entry in row if entry is not None)
