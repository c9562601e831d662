"""One turn of one host: look, decide, do. Nothing is kept from one turn to the next."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.provision.effects.protocol import StepFailed
from npudoctor.provision.machine import Effect, Look, Verb, Wait, Write, next_ops
from npudoctor.provision.record import Record  # noqa: TC001 (dataclasses read it)

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from npudoctor.provision.effects.protocol import Effects
    from npudoctor.provision.machine import Op

Begin = "Callable[[Record | None, Look], Record | None]"
"""Gives the record that a run begins with, where what lies on the host is not to be gone on with."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of a turn.

    Attributes:
        record: The host's record at its end.
        seconds: When to look again.
        why: What is waited for; empty where the next turn can follow at once.
    """

    record: Record
    seconds: float = 0.0
    why: str = ""


def turn(
    effects: Effects,
    begin: Callable[[Record | None, Look], Record | None],
    told: Callable[[Op, StepFailed | None], None] = lambda _op, _error: None,
    during: Callable[[Op], AbstractContextManager[None]] = lambda _op: nullcontext(),
) -> Turn:
    """Bring a host one action further; raises what `Effects` raises. `during`: open while an action runs."""
    record, look = effects.look()
    first = begin(record, look)
    if first is not None:
        effects.write(first)
        told(Write(first), None)
        return Turn(first)
    assert record is not None, "a run begins with a record"
    for op in next_ops(record, look):
        if isinstance(op, Wait):
            told(op, None)
            return Turn(record, op.seconds, op.why)
        with during(op):
            failed = _do(effects, op, record)
        told(op, failed)
        if failed and not _may_fail(op):
            break
        record = op.record if isinstance(op, Write) else record
    return Turn(record)


def _do(effects: Effects, op: Write | Effect, record: Record) -> StepFailed | None:
    try:
        if isinstance(op, Write):
            effects.write(op.record)
        else:
            effects.perform(op, record)
    except StepFailed as error:
        return error
    return None


def _may_fail(op: Op) -> bool:
    """A support bundle is worth having, but not worth a host."""
    return isinstance(op, Effect) and op.verb is Verb.BUNDLE
