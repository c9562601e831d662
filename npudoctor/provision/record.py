"""The durable record of one host: what is being done there, how often it was tried, and in which boot."""

from __future__ import annotations

import json
from dataclasses import field, fields, replace
from enum import Enum
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError
from npudoctor.provision.planned import Change, HostPlan, Outcome, Reboot, Step, Undo
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = 1


class Phase(str, Enum):
    """Where a host is. The last four are the end: only a person leads out of them."""

    OPEN = "open"
    DRAIN = "drain"
    APPLY = "apply"
    UNDO = "undo"
    REBOOT = "reboot"
    SETTLE = "settle"
    VERIFY = "verify"
    VERIFIED = "verified"
    DONE = "done"
    ROLLED_BACK = "rolled-back"
    STUCK = "stuck"
    BLOCKED = "blocked"


TERMINAL = frozenset({Phase.DONE, Phase.ROLLED_BACK, Phase.STUCK, Phase.BLOCKED})


class Way(str, Enum):
    """Whether the host is on its way to the wanted stack, or back."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Record:
    """What lies on the host as `record.json`.

    Attributes:
        run: The run that is at it.
        stack: Where the host is brought to.
        host: The host's part of the plan, with what was there before.
        phase: Where it is.
        way: Up, or back.
        group: Which group of steps it is at: 0 for those of the kernel, 1 for the rest.
        foreign: Whether it was out of service before we came: then it stays so.
        tries: How often each component was begun; crashed attempts count.
        undone: Likewise on the way back.
        boot: The boot in which it was seen last.
        since: The host's uptime, in seconds, when it came into this phase.
        boot_before: The boot in which a reboot was decided; only another one counts as done.
        asks: How often that reboot was asked for.
        asked: The host's uptime at the last of them.
        boots: Boots that nobody asked for.
        verified: The boot in which all checks passed.
        reason: Stable key of why it turned back or stopped: `step-failed:driver`, `check:npu.health`.
        baseline: Status by check id, before anything was changed.
        files: Name and size in bytes of each package, by its SHA-256.
        origin: The run that first changed it for this plan: under its name lie the backups.
    """

    run: str
    stack: str
    host: HostPlan
    phase: Phase = Phase.OPEN
    way: Way = Way.UP
    group: int = 0
    foreign: bool = False
    tries: dict[str, int] = field(default_factory=dict)
    undone: dict[str, int] = field(default_factory=dict)
    boot: str = ""
    since: float = 0.0
    boot_before: str = ""
    asks: int = 0
    asked: float = 0.0
    boots: int = 0
    verified: str = ""
    reason: str = ""
    baseline: dict[str, str] = field(default_factory=dict)
    files: dict[str, tuple[str, int]] = field(default_factory=dict)
    origin: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing is left to do."""
        return self.phase in TERMINAL

    def step(self, component: str) -> Step:
        """The plan's step for a component."""
        return next(step for step in self.host.steps if step.component == component)


def as_text(record: Record, fence: int) -> str:
    """The file: the record with its schema, the fence number of who wrote it, and its own digest."""
    body = json.dumps(_plain(record), sort_keys=True, ensure_ascii=False)
    outer = {"schema": SCHEMA, "fence": fence, "sha256": sha256(body.encode()).hexdigest(), "record": body}
    return json.dumps(outer, sort_keys=True)


def of_text(text: str) -> Record:
    """The record in a file.

    Raises:
        IncompleteError: It is cut off, changed by hand, or of another version.
    """
    try:
        outer = json.loads(text)
        body = outer["record"]
        if outer["schema"] != SCHEMA or sha256(body.encode()).hexdigest() != outer["sha256"]:
            raise ValueError
        return _record(json.loads(body))
    except (ValueError, KeyError, TypeError, AttributeError):
        what = _("the record of an earlier run cannot be read")
        mend = _("look at /var/lib/npudoctor/record.json there; move it away to begin anew")
        raise IncompleteError(what, mend) from None


def _plain(value: Any) -> Any:
    """A dataclass as what JSON knows."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "__dataclass_fields__"):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value


def _record(plain: Mapping[str, Any]) -> Record:
    made = Record(**{**plain, "host": host_plan(plain["host"])})
    files = {sha256: (str(name), int(size)) for sha256, (name, size) in made.files.items()}
    return replace(made, phase=Phase(made.phase), way=Way(made.way), files=files)


def host_plan(plain: Mapping[str, Any]) -> HostPlan:
    """One host of a plan, out of a record; its blockers have been answered by then."""
    steps = tuple(_step(step) for step in plain["steps"])
    more = {"outcome": Outcome(plain["outcome"]), "accepted": tuple(plain["accepted"]), "blockers": ()}
    return HostPlan(**{**plain, **more, "steps": steps})


def _step(plain: Mapping[str, Any]) -> Step:
    changes = tuple(Change(**change) for change in plain["changes"])
    kinds = {"reboot": Reboot(plain["reboot"]), "undo": Undo(plain["undo"])}
    lists = {name: tuple(plain[name]) for name in ("packages", "previous")}
    return Step(**{**plain, "changes": changes, **kinds, **lists})
