"""The host: operating system and kernel, C library, the npu-smi tool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from npudoctor.matrix.pattern import speaks_of
from npudoctor.matrix.statement import Statement, Verdict, Weight, decide
from npudoctor.versions import Cann, Glibc
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stack import Stack

_TOOL_RULE = "name-npu-smi-header"


def judge_os_chip(matrix: Matrix, stack: Stack) -> Statement | None:
    """Operating system and chip: whether a product with this chip lists it. Absence says nothing."""
    if stack.os is None or stack.family is None:
        return None
    return decide([_listed(matrix, row) for row in _listing(matrix, stack)])


def _listed(matrix: Matrix, row: dict[str, Any]) -> Statement:
    note = _("On the list of {product} ({stack}).").format(product=row["product"], stack=row["stack"])
    return matrix.says(row, Verdict.SUPPORTED, Weight.RANGE, note)


def _listing(matrix: Matrix, stack: Stack) -> Iterator[dict[str, Any]]:
    for row in matrix.section("os_support"):
        if stack.family in row["family"] and _fits(row, stack) and _entries(row, stack):
            yield row


def _fits(row: Mapping[str, Any], stack: Stack) -> bool:
    return stack.arch is None or row.get("arch") in (None, stack.arch)


def _entries(row: Mapping[str, Any], stack: Stack) -> list[dict[str, str]]:
    """The row's systems that are the stack's: `Ubuntu 22.04` is also 22.04.3, `Kylin V10 SP3` is not SP2."""
    systems = [{"os": one} if isinstance(one, str) else one for one in row["systems"]]
    return [one for one in systems if same_system(one["os"], stack.os or "") and _fits(one, stack)]


def same_system(listed: str, running: str) -> bool:
    """Whether the running system is the listed one or a point release of it, by name and major.minor."""
    left, right = _words(listed), _words(running)
    return right[: len(left)] == left and (len(left) > 1 or len(right) == 1)


def _words(text: str) -> list[str]:
    """`Ubuntu 22.04.3 LTS` and `Ubuntu 22.04` alike, `Kylin V10 SP3` in three words."""
    spaced = re.sub(r"(?i)(?<=\d)(?=sp\d)|[-_()]", " ", text)
    parts = spaced.lower().replace("lts", " ").split()
    return [re.sub(r"^(\d+\.\d+)\.\d+$", r"\1", part) for part in parts]


def judge_os_driver(matrix: Matrix, stack: Stack) -> Statement | None:
    """Operating system and driver: systems that a product takes only from a driver on."""
    driver = stack.driver
    if stack.os is None or driver is None or stack.family is None:
        return None
    rows = [row for row in matrix.section("os_from_driver") if _is_ours(row, stack)]
    unmet = [row for row in rows if speaks_of(f"<{row['driver']}", driver)]
    if not rows:
        return None
    if not unmet:
        return decide([matrix.says(row, Verdict.SUPPORTED, Weight.RANGE) for row in rows])
    all_too_old = len(unmet) == len(rows) and not _another_product(matrix, stack, rows)
    verdict = Verdict.UNSUPPORTED if all_too_old else Verdict.CAUTION
    return decide([_too_old(matrix, row, verdict) for row in unmet])


def _another_product(matrix: Matrix, stack: Stack, rows: list[dict[str, Any]]) -> bool:
    """Whether another product with this chip lists the system, without a driver that it begins with."""
    ruled = [row["product"] for row in rows]
    return any(not any(name in row["product"] for name in ruled) for row in _listing(matrix, stack))


def _is_ours(row: dict[str, Any], stack: Stack) -> bool:
    ours = row["family"] == stack.family and same_system(row["os"], stack.os or "")
    return ours and (stack.arch is None or stack.arch in row["arch"])


def _too_old(matrix: Matrix, row: dict[str, Any], verdict: Verdict) -> Statement:
    note = _("{product} takes {os} from driver {driver} (firmware {firmware}) on.")
    text = note.format(product=row["product"], os=row["os"], driver=row["driver"], firmware=row["firmware"])
    return matrix.says(row, verdict, Weight.FLOOR, text)


def judge_kernel(matrix: Matrix, stack: Stack) -> Statement | None:
    """Operating system and kernel, where the list names a kernel."""
    if stack.os is None or stack.kernel is None:
        return None
    said = []
    for row in _listing(matrix, stack) if stack.family else ():
        for one in _entries(row, stack):
            if "kernel" in one and stack.kernel.startswith(one["kernel"].split("-")[0]):
                note = _("{os} is listed with kernel {kernel}.").format(os=one["os"], kernel=one["kernel"])
                said.append(matrix.says(row, Verdict.SUPPORTED, Weight.RANGE, note))
    return decide(said)


def judge_glibc_cann(matrix: Matrix, stack: Stack) -> Statement | None:
    """The C library and the NNAL of CANN."""
    glibc, cann = stack.get("glibc", Glibc), stack.get("cann", Cann)
    if glibc is None or cann is None:
        return None
    said = []
    for row in matrix.section("cann_host"):
        if "nnal_glibc" in row and speaks_of(row["cann"], cann):
            note = _("NNAL of CANN {cann} needs glibc {glibc}.").format(
                cann=row["cann"], glibc=row["nnal_glibc"]
            )
            met = speaks_of(row["nnal_glibc"], glibc)
            said.append(
                matrix.says(row, Verdict.SUPPORTED if met else Verdict.UNSUPPORTED, Weight.RANGE, note)
            )
    return decide(said)


def judge_tool(matrix: Matrix, stack: Stack) -> Statement | None:
    """The npu-smi tool and the driver: their numbers may differ, and only the driver's counts."""
    tool, driver = stack.versions.get("npu_smi"), stack.driver
    if tool is None or driver is None:
        return None
    rows = [row for row in matrix.section("naming") if row["id"] == _TOOL_RULE]
    alike = str(tool).lower() == str(driver).lower()
    near = tool.family == driver.family
    note = "" if alike else _("The tool's number may differ from the driver's; the driver's counts.")
    verdict = Verdict.SUPPORTED if near else Verdict.CAUTION
    return decide([matrix.says(row, verdict, Weight.RANGE, note) for row in rows])


def fixes_os_driver(matrix: Matrix, stack: Stack) -> list[str]:
    """The drivers from which this system is taken."""
    rows = [row for row in matrix.section("os_from_driver") if _is_ours(row, stack)]
    return list(dict.fromkeys(f"driver>={row['driver']}" for row in rows))
