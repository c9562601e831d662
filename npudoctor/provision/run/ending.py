"""What is told of a host that has not come to its stack: why, what stopped it on its way back, what stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.machine import kept
from npudoctor.provision.planned import Undo
from npudoctor.provision.record import Phase
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.provision.planned import Step
    from npudoctor.provision.record import Record


def ending(record: Record, cause: str, last: str) -> str:
    """One line.

    Args:
        record: Its last one.
        cause: What failed first: the line of the step, or of the checks.
        last: What failed on the way back; empty where nothing did.
    """
    parts = [cause, _stopped(record, last), _stays(record)]
    told = "; ".join(dict.fromkeys(part for part in parts if part))
    return told or _("journal.jsonl in the folder of the run tells more")


def _stopped(record: Record, last: str) -> str:
    if record.phase not in (Phase.STUCK, Phase.BLOCKED):
        return ""
    key, _colon, component = record.reason.partition(":")
    words = _words().get(key, "").format(component=component)
    if key == "undo-failed":
        return ": ".join((words, last or _("it is not as it was before")))
    return words or last


def _words() -> dict[str, str]:
    return {
        "no-way-back": _("{component} cannot be taken back"),
        "undo-failed": _("taking back {component} failed"),
        "half-changed": _("{component} is not as it was verified, and cannot be taken back"),
        "no-reboot": _("it was asked three times to reboot, and did not"),
        "boots-by-itself": _("it booted three times although nobody had asked for it"),
        "npu-in-use": _("its NPUs are still in use"),
    }


def _stays(record: Record) -> str:
    if record.phase is not Phase.ROLLED_BACK or not kept(record):
        return ""
    return _("kept, as it verified: {what}").format(what=", ".join(map(_kept, kept(record))))


def _kept(step: Step) -> str:
    version = next((one.after for one in step.changes if one.what == step.component), "")
    alone = f"({_('no way back')})" if step.undo is Undo.FORWARD else ""
    return " ".join(filter(None, (step.component, version, alone)))
