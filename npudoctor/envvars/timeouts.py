"""Time-outs that must be longer than each other, and other pairs of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.envvars.judgement import Judgement, Kind, Severity, Variables, evidence_of, hidden, value_of
from npudoctor.envvars.table import table
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBER = regex(r"\d{1,12}(\.\d{1,6})?")
_RETRY_UNIT_MS = 0.004096
"""An RDMA retry waits 4.096 us times 2 to the power of HCCL_RDMA_TIMEOUT."""
_RETRIES = 7


def judge_timeouts(variables: Variables) -> Iterator[Judgement]:
    """Judge pairs of numbers; a pair with a number left at its default is not judged."""
    yield from _event_before_execution(variables)
    yield from _transfer_before_retries(variables)
    yield from _two_rank_tables(variables)
    yield from _retry_interval(variables)
    yield from _certificate_period(variables)


def _event_before_execution(variables: Variables) -> Iterator[Judgement]:
    event, execution = _number(variables, "HCCL_EVENT_TIMEOUT"), _number(variables, "HCCL_EXEC_TIMEOUT")
    if event is None or execution is None or event == 0:
        return
    if execution == 0 or event <= execution:
        message = _("the event times out before the collective call does, which hides the cause")
        yield _judgement(variables, "warn", message, "HCCL_EVENT_TIMEOUT", "HCCL_EXEC_TIMEOUT")


def _transfer_before_retries(variables: Variables) -> Iterator[Judgement]:
    limit, exponent = _number(variables, "ASCEND_TRANSFER_TIMEOUT"), _number(variables, "HCCL_RDMA_TIMEOUT")
    if limit is None or exponent is None or exponent > 31:
        return
    retries = _number(variables, "HCCL_RDMA_RETRY_CNT") or _RETRIES
    needed = _RETRY_UNIT_MS * 2**exponent * retries
    if limit < needed:
        message = _("a transfer gives up after {limit:.0f} ms, while RDMA still retries for {needed:.0f} ms")
        names = ("ASCEND_TRANSFER_TIMEOUT", "HCCL_RDMA_TIMEOUT", "HCCL_RDMA_RETRY_CNT")
        fix = f"export ASCEND_TRANSFER_TIMEOUT={int(needed) + 1}"
        yield _judgement(variables, "warn", message.format(limit=limit, needed=needed), *names, fix=fix)


def _two_rank_tables(variables: Variables) -> Iterator[Judgement]:
    service, hccl = value_of(variables, "RANKTABLEFILE"), value_of(variables, "RANK_TABLE_FILE")
    if service and hccl and service != hccl and not hidden(service) and not hidden(hccl):
        message = _("the MindIE service and HCCL read different rank tables")
        fix = f"export RANKTABLEFILE={hccl}"
        yield _judgement(variables, "warn", message, "RANKTABLEFILE", "RANK_TABLE_FILE", fix=fix)


def _retry_interval(variables: Variables) -> Iterator[Judgement]:
    names = ("MS_RETRY_INTERVAL_LOWER", "MS_RETRY_INTERVAL_UPPER")
    lower, upper = (_number(variables, name) for name in names)
    if lower is not None and upper is not None and lower > upper:
        yield _judgement(variables, "warn", _("the lower limit is above the upper one"), *names)


def _certificate_period(variables: Variables) -> Iterator[Judgement]:
    names = ("TTP_ACCLINK_CERT_CHECK_AHEAD_DAYS", "TTP_ACCLINK_CHECK_PERIOD_HOURS")
    days, hours = (_number(variables, name) for name in names)
    if days is not None and hours is not None and days * 24 < hours:
        message = _("certificates are checked less often than the days ahead; MindIO refuses that")
        yield _judgement(variables, "fail", message, *names)


def _number(variables: Variables, name: str) -> float | None:
    value = value_of(variables, name)
    return float(value) if _NUMBER.fullmatch(value) else None


def _judgement(
    variables: Variables, severity: Severity, message: str, *names: str, fix: str = ""
) -> Judgement:
    evidence = evidence_of(variables, *names)
    source = tuple(table().rows[names[0]]["source"])
    value = value_of(variables, names[0])
    fixes = (fix,) if fix else ()
    return Judgement(Kind.COMBINATION, names[0], value, severity, message, evidence, fixes, source, "numbers")
