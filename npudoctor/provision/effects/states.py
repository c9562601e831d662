"""Where each component of a plan is, by a plan that is made now and by what the agent sees.

What counts only from the next boot on is judged by what is on the disk: the versions of the driver and the
firmware, and the word for ASPM on the kernel's command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.provision.machine import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.provision.planned import HostPlan, Step
    from npudoctor.provision.record import Record

ASPM = "host_tuning.aspm"


def states(
    plan: HostPlan, now: HostPlan, answer: Mapping[str, Any], back: Mapping[str, bool]
) -> dict[str, State]:
    """Where each component of a plan is.

    Args:
        plan: The plan that is carried out.
        now: One that is made now. Nothing left to do (but a reboot): as wanted. The same to do: as before.
        answer: The agent's.
        back: On the way back: whether components are as before, of which the plan made now cannot tell.
    """
    left = {step.component: step for step in now.steps}
    return {step.component: _state(step, left.get(step.component), answer, back) for step in plan.steps}


def _state(step: Step, left: Step | None, answer: Mapping[str, Any], back: Mapping[str, bool]) -> State:
    if step.component in answer["half"]:  # its installer was cut off, or failed on its way
        return State.OTHER
    if step.component in back:
        return State.BEFORE if back[step.component] else State.OTHER
    before, after, found = _versions(step, answer["disk"])
    if found is not None and found != after:
        return State.BEFORE if found == before else State.OTHER
    if left is not None and left.action == "reboot":
        return State.WANTED
    whats = _whats(step, left, answer["aspm"]["written"])
    if not whats:
        return State.WANTED
    planned = {change.what for change in step.changes}
    if step.component in planned:
        return State.BEFORE if left is not None and _differences(step) == _differences(left) else State.OTHER
    return State.BEFORE if whats == planned else State.OTHER


def _whats(step: Step, left: Step | None, aspm_is_off: bool) -> set[str]:
    """What is left to do of what a step was to do; what came up since is for another plan."""
    planned = {change.what for change in step.changes}
    found = {change.what for change in left.changes} if left is not None else set()
    if step.component in planned:
        return found
    if ASPM in planned:
        found = found - {ASPM} if aspm_is_off else found | {ASPM}
    return found & planned


def _versions(step: Step, disk: Mapping[str, str]) -> tuple[str, str, str | None]:
    """As it was, as it will be, and as it is on the disk; that is None where the disk does not decide."""
    change = next((one for one in step.changes if one.what == step.component), None)
    if change is None or change.before == change.after or step.component not in disk:
        return "", "", None
    return change.before.lower(), change.after.lower(), disk[step.component].lower()


def _differences(step: Step) -> set[tuple[str, str, str]]:
    return {(change.what, change.before, change.after) for change in step.changes}


def reboot_reasons(record: Record | None, answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Why the host has to boot; for what somebody else has written on the command line we do not boot it."""
    ours = record is not None and record.tries.get("host_tuning")
    aspm = answer["aspm"]
    more = (ASPM,) if ours and aspm["written"] != aspm["runs"] else ()
    return (*answer["reboot"], *more)
