"""Lists of visible devices: order, doubles, what cuts them short, and numbers of another place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.envvars.judgement import (
    Judgement,
    Kind,
    Severity,
    Variables,
    Versions,
    evidence_of,
    hidden,
    value_of,
)
from npudoctor.envvars.reading import at_least
from npudoctor.envvars.table import table
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "ASCEND_RT_VISIBLE_DEVICES"
_RAY = "RAY_EXPERIMENTAL_NOSET_ASCEND_RT_VISIBLE_DEVICES"
_NUMBER = regex(r"[0-9]{1,6}")
_ORDER_MATTERS_SINCE = "8.0.RC3"


def read_list(value: str) -> tuple[list[int], str | None]:
    """The device numbers that the runtime reads, and the item that it stops at (None where it reads all).

    A blank, a range, a letter or an empty item ends the list: `1, 2` is device 1 only.
    Source: hicann/runtime:docs/zh/env_vars/ASCEND_RT_VISIBLE_DEVICES.md@681ef7610.
    """
    numbers: list[int] = []
    for item in value.split(","):
        if not _NUMBER.fullmatch(item):
            return numbers, item
        numbers.append(int(item))
    return numbers, None


def judge_devices(variables: Variables, versions: Versions) -> Iterator[Judgement]:
    """Judge ASCEND_RT_VISIBLE_DEVICES by itself and against its neighbours."""
    if NAME not in variables or hidden(value_of(variables, NAME)):
        return
    value = value_of(variables, NAME)
    if not value.strip():
        yield _judgement(variables, "warn", _("the list is set and empty, so torch_npu sees no device"))
        return
    numbers, stop = read_list(value)
    yield from _bad_list(variables, versions, numbers, stop)
    if stop is None and numbers != list(range(len(numbers))):
        yield from _other_numbering(variables, numbers)


def _bad_list(
    variables: Variables, versions: Versions, numbers: list[int], stop: str | None
) -> Iterator[Judgement]:
    if stop is not None:
        yield _cut_short(variables, numbers, stop)
    in_order = sorted(set(numbers))
    if len(in_order) < len(numbers):
        message = _("a device is listed twice; the runtime refuses the list (EE2002)")
        yield _judgement(variables, "fail", message, in_order)
    elif in_order != numbers and at_least("cann", _ORDER_MATTERS_SINCE, versions) is not False:
        message = _("the numbers do not rise; the runtime refuses the list (EE2002)")
        yield _judgement(variables, "fail", message, in_order)


def _cut_short(variables: Variables, numbers: list[int], stop: str) -> Judgement:
    whole = value_of(variables, NAME)
    if not stop and whole.endswith(",") and len(numbers) == whole.count(","):
        return _judgement(variables, "warn", _("the list ends with a comma"), numbers)
    message = _("the runtime stops reading at “{item}” and sees the devices [{numbers}] only").format(
        item=stop, numbers=",".join(map(str, numbers))
    )
    return _judgement(variables, "fail", message, _all_numbers(whole))


def _all_numbers(value: str) -> list[int]:
    """What was probably meant: ranges spelt out, blanks gone."""
    found: set[int] = set()
    for first, last in re.findall(r"(\d{1,4})(?:\s*-\s*(\d{1,4}))?", value):
        end = int(last or first)
        found.update(range(int(first), min(end, int(first) + 256) + 1))
    return sorted(found)


def _other_numbering(variables: Variables, numbers: list[int]) -> Iterator[Judgement]:
    """For lists that do not start at 0 or have gaps: who might count otherwise."""
    if value_of(variables, "ASCEND_VISIBLE_DEVICES") == value_of(variables, NAME):
        message = _("the numbers of the host are used inside a container, where devices count from 0")
        yield _judgement(variables, "warn", message, list(range(len(numbers))), "ASCEND_VISIBLE_DEVICES")
    if value_of(variables, _RAY) == "1":
        message = _("Ray hands out physical numbers, while torch_npu counts inside the list")
        yield _judgement(variables, "warn", message, None, _RAY)
    device = value_of(variables, "ASCEND_DEVICE_ID")
    if _NUMBER.fullmatch(device) and int(device) >= len(numbers):
        message = _("ASCEND_DEVICE_ID={device} is an index into the list, which has {count}").format(
            device=device, count=len(numbers)
        )
        yield _judgement(variables, "fail", message, None, "ASCEND_DEVICE_ID")


def _judgement(
    variables: Variables, severity: Severity, message: str, numbers: list[int] | None = None, *others: str
) -> Judgement:
    fix = f"export {NAME}={','.join(map(str, numbers))}" if numbers else f"unset {NAME}"
    source = tuple(table().rows[NAME]["source"])
    evidence = evidence_of(variables, NAME, *others)
    value = value_of(variables, NAME)
    return Judgement(
        Kind.COMBINATION, NAME, value, severity, message, evidence, (fix,), source, "visible-devices"
    )
