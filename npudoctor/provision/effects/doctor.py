"""Read a host as `check` does, and judge it: before a change, and in the boot that it will serve in."""

from __future__ import annotations

import time
from dataclasses import field, replace
from typing import TYPE_CHECKING

from npudoctor.checks.registry import all_checks
from npudoctor.collect.connect import Connection
from npudoctor.collect.fleet import TIME
from npudoctor.collect.local import Running
from npudoctor.collect.script import render
from npudoctor.collect.ssh import read_ssh
from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError
from npudoctor.host import load_areas
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.plan.ports import are_back
from npudoctor.provision.plan.serving import SERVING, is_back
from npudoctor.provision.plan.survey import surveyed
from npudoctor.provision.plan.wanted import wanted_of
from npudoctor.provision.planned import HostPlan  # noqa: TC001 (dataclasses read it)
from npudoctor.provision.record import Way

if TYPE_CHECKING:
    from npudoctor.collect.inventory import Target
    from npudoctor.collect.jumps import Jumps
    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.collect.ssh_config import SshConfig
    from npudoctor.matrix import Matrix
    from npudoctor.provision.plan.make import Planner
    from npudoctor.provision.plan.survey import Surveyed
    from npudoctor.provision.record import Record

_BOOT = "/proc/sys/kernel/random/boot_id"


@dataclass(frozen=True, slots=True)
class Survey:
    """What a reading of a host says.

    Attributes:
        plan: What a plan made now would hold for it.
        statuses: Of all checks of one host, by id.
        boot: The boot in which it was read.
        back: Of a host that goes back: whether each component that the inventory decides is as it was.
    """

    plan: HostPlan
    statuses: dict[str, str]
    boot: str
    back: dict[str, bool] = field(default_factory=dict)


class Doctor:
    """Reads hosts for a run; one for all of them."""

    def __init__(
        self,
        config: SshConfig,
        jumps: Jumps,
        matrix: Matrix,
        planner: Planner,
        seconds: float | None = None,
    ) -> None:
        """`planner`: makes the plan of one host, the same way as the plan of this run was made."""
        load_areas()
        self._config, self._jumps, self._matrix = config, jumps, matrix
        self._planner, self._seconds = planner, seconds or TIME
        self.roles = {check.id: check.role for check in all_checks()}

    def survey(self, target: Target, domain: str, record: Record | None) -> Survey:
        """Read a host and judge it; raises `IncompleteError` where it cannot be read as a whole.

        `record`: what it is in the middle of, where it is: the plan made now is for that stack.
        """
        snapshot = self.read(target, render(provisioning=True))
        if snapshot.problems:
            raise IncompleteError(snapshot.problems[0])
        boot = snapshot.file(_BOOT).or_none() or ""
        seen = surveyed(target.name, snapshot, self._matrix, domain, target.hccn)
        seen = replace(seen, wheels=target.wheels, docker=target.docker, serving=target.serving)
        planner = self._planner if record is None else self._of(record)
        back = _back(record, seen) if record is not None and record.way is Way.DOWN else {}
        return Survey(planner.host(seen), seen.statuses, boot.strip(), back)

    def _of(self, record: Record) -> Planner:
        """Who plans for what a record is about, whatever this run wants of other hosts."""
        stack = load_stack(self._matrix, record.stack)
        wanted = wanted_of(stack, [step.component for step in record.host.steps], ())
        return replace(self._planner, wanted=wanted, run=record.run)

    def read(self, target: Target, script: str) -> Snapshot:
        """Run a script of the collector there."""
        if target.local:
            return replace(Running(script).snapshot(), name=target.name)
        until = time.monotonic() + self._seconds
        connection = Connection(self._config.route(target), until, self._jumps)
        return read_ssh(connection, target.name, script, target.become)


def _back(record: Record, seen: Surveyed) -> dict[str, bool]:
    """By the record: the inventory may want by now what was there before, or something else."""
    assert seen.ground is not None, "a host that was read"
    steps = {step.component: step for step in record.host.steps}
    found = {}
    if SERVING in steps:
        found[SERVING] = is_back(steps[SERVING].changes, seen.serving, seen.ground.served)
    if "hccn" in steps:
        found["hccn"] = are_back(steps["hccn"].changes, seen.ground.ports)
    return found
