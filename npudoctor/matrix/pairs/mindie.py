"""MindIE with CANN, torch_npu, torch, the driver and the C library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.matrix.pattern import any_speaks_of, is_exact, speaks_of
from npudoctor.matrix.statement import Statement, Verdict, Weight, decide
from npudoctor.versions import Cann, Glibc, Mindie, Torch, TorchNpu, TorchNpuLine
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stack import Stack

_ABI_SINCE = Mindie("2.1.RC1")
_ABI_ROWS = ("needs-mindie-2.1.rc1-abi0", "needs-mindie-2.1.rc1-abi1")


def judge_cann(matrix: Matrix, stack: Stack) -> Statement | None:
    """MindIE and CANN."""
    mindie, cann = stack.get("mindie", Mindie), stack.get("cann", Cann)
    if mindie is None or cann is None:
        return None
    rows = _of(matrix, mindie)
    said = [_pair(matrix, row) for row in rows if speaks_of(row["cann"], cann)]
    return decide(said or [*_another(matrix, rows, cann)])


def _of(matrix: Matrix, mindie: Mindie) -> list[dict[str, Any]]:
    rows = matrix.section("mindie")
    return [row for row in rows if is_exact(row["mindie"], mindie.released())]


def _pair(matrix: Matrix, row: dict[str, Any]) -> Statement:
    weight = Weight.PAIR if row["says"] == "matched" else Weight.SEEN
    return matrix.says(row, Verdict.SUPPORTED, weight, "")


def _another(matrix: Matrix, rows: list[dict[str, Any]], cann: Cann) -> Iterator[Statement]:
    """Not the CANN of the page: wrong where the page demands the match, or asks for a newer one."""
    for row in rows:
        if row.get("exact"):
            note = _("MindIE {mindie} has to have CANN {cann}.")
        elif row.get("needs") and cann < Cann(row["cann"]):
            note = _("MindIE {mindie} needs CANN {cann}, and this one is older.")
        else:
            continue
        text = note.format(mindie=row["mindie"], cann=row["cann"])
        yield matrix.says(row, Verdict.UNSUPPORTED, Weight.FAILS, text)


def judge_torch_npu(matrix: Matrix, stack: Stack) -> Statement | None:
    """MindIE and torch_npu, by the product line of the wheel."""
    mindie, wheel = stack.get("mindie", Mindie), stack.get("torch_npu", TorchNpu)
    if mindie is None or wheel is None:
        return None
    lines = [
        row["line"]
        for row in matrix.section("torch_npu")
        if "line" in row and is_exact(row["torch_npu"], wheel)
    ]
    said = []
    for row in _of(matrix, mindie):
        wanted = row.get("lines", [])
        if any(any_speaks_of(wanted, TorchNpuLine(line)) for line in lines):
            note = _("TorchNPU {line} goes with it.").format(line=", ".join(wanted))
            said.append(matrix.says(row, Verdict.SUPPORTED, Weight.PAIR, note))
    return decide(said)


def judge_torch(matrix: Matrix, stack: Stack) -> Statement | None:
    """MindIE and torch."""
    mindie, torch = stack.get("mindie", Mindie), stack.get("torch", Torch)
    if mindie is None or torch is None:
        return None
    rows = [row for row in _of(matrix, mindie) if "torch" in row]
    said = [
        matrix.says(row, Verdict.SUPPORTED, Weight.PAIR, "")
        for row in rows
        if any(is_exact(text, torch) for text in row["torch"])
    ]
    return decide(said or [_other_torch(matrix, row) for row in rows])


def _other_torch(matrix: Matrix, row: dict[str, Any]) -> Statement:
    note = _("MindIE {mindie} goes with torch {torch}.")
    text = note.format(mindie=row["mindie"], torch=_(" or ").join(row["torch"]))
    return matrix.says(row, Verdict.UNSUPPORTED, Weight.FAILS, text)


def judge_driver(matrix: Matrix, stack: Stack) -> Statement | None:
    """MindIE and the driver: the range of a release, and the floor of all."""
    mindie, driver = stack.get("mindie", Mindie), stack.driver
    if mindie is None or driver is None:
        return None
    said = []
    for row in _of(matrix, mindie):
        if "driver" in row and any_speaks_of(row["driver"], driver):
            said.append(matrix.says(row, Verdict.SUPPORTED, Weight.RANGE))
    for row in matrix.section("mindie_driver"):
        below = row["driver"].replace(">=", "<")
        if speaks_of(below, driver):
            said.append(matrix.says(row, Verdict.UNSUPPORTED, Weight.FAILS))
        elif speaks_of(row["better"].replace(">=", "<"), driver):
            said.append(matrix.says(row, Verdict.CAUTION, Weight.SEEN))
    return decide(said)


def judge_glibc(matrix: Matrix, stack: Stack) -> Statement | None:
    """MindIE and the C library: the package with the new C++ ABI asks for more than the one with the old."""
    mindie, glibc = stack.get("mindie", Mindie), stack.get("glibc", Glibc)
    if mindie is None or glibc is None or mindie.released() < _ABI_SINCE:
        return None
    rows = [row for row in matrix.section("requirements") if row["id"] in _ABI_ROWS]
    needed = [row for row in rows if _abi_is_used(matrix, row, stack)] or rows
    met = [row for row in needed if speaks_of(row["needs"]["glibc"], glibc)]
    missed = [row for row in needed if row not in met]
    if not missed:
        return decide([matrix.says(row, Verdict.SUPPORTED, Weight.RANGE) for row in met])
    verdict = Verdict.CAUTION if met else Verdict.UNSUPPORTED
    return decide([_missed(matrix, row, verdict) for row in missed])


def _missed(matrix: Matrix, row: dict[str, Any], verdict: Verdict) -> Statement:
    note = _("The package {name} asks for glibc {glibc}.").format(
        name=row["version"], glibc=row["needs"]["glibc"]
    )
    return matrix.says(row, verdict, Weight.FAILS, f"{note} {row.get('note', '')}".strip())


def _abi_is_used(matrix: Matrix, row: dict[str, Any], stack: Stack) -> bool:
    """Whether the torch that is given goes with the package of this ABI."""
    torch = stack.get("torch", Torch)
    pairs = [text.split(": ") for other in matrix.section("mindie") for text in other.get("torch_by_abi", ())]
    return torch is not None and any(abi in row["version"] and is_exact(text, torch) for abi, text in pairs)


def fixes_cann(matrix: Matrix, stack: Stack) -> list[str]:
    """The CANN of this MindIE, and the MindIE of this CANN."""
    mindie, cann = stack.get("mindie", Mindie), stack.get("cann", Cann)
    if mindie is None or cann is None:
        return []
    matched = [row for row in matrix.section("mindie") if row["says"] == "matched"]
    wanted = [f"cann {row['cann']}" for row in matched if is_exact(row["mindie"], mindie.released())]
    others = [f"mindie {row['mindie']}" for row in matched if speaks_of(row["cann"], cann)]
    return list(dict.fromkeys(wanted + others))


def fixes_torch(matrix: Matrix, stack: Stack) -> list[str]:
    """The torch of this MindIE."""
    mindie = stack.get("mindie", Mindie)
    rows = _of(matrix, mindie) if mindie is not None else []
    return list(dict.fromkeys(f"torch {text}" for row in rows for text in row.get("torch", ())))


def fixes_driver(matrix: Matrix, _stack: Stack) -> list[str]:
    """The driver that MindIE recommends."""
    return [f"driver{row['better']}" for row in matrix.section("mindie_driver")]


def fixes_glibc(matrix: Matrix, _stack: Stack) -> list[str]:
    """The C library for the package with the new C++ ABI."""
    return [
        f"glibc{row['needs']['glibc']}" for row in matrix.section("requirements") if row["id"] == _ABI_ROWS[1]
    ]
