"""triton-ascend with CANN and with the chip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.matrix.pattern import any_speaks_of, is_exact, speaks_of
from npudoctor.matrix.statement import Statement, Verdict, Weight, decide
from npudoctor.versions import Cann, TritonAscend
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stack import Stack


def judge_cann(matrix: Matrix, stack: Stack) -> Statement | None:
    """triton-ascend and CANN go one to one."""
    triton, cann = stack.get("triton_ascend", TritonAscend), stack.get("cann", Cann)
    if triton is None or cann is None:
        return None
    said = []
    for row in [*_rows(matrix), *matrix.section("vllm_ascend")]:
        named = row["cann"] if isinstance(row["cann"], list) else [row["cann"]]
        if "triton_ascend" in row and is_exact(row["triton_ascend"], triton) and any_speaks_of(named, cann):
            said.append(matrix.says(row, Verdict.SUPPORTED, Weight.PAIR, ""))
    return decide(said or _another(matrix, cann))


def _rows(matrix: Matrix) -> list[dict[str, Any]]:
    return [row for row in matrix.section("triton_ascend") if row["says"] == "matched"]


def _another(matrix: Matrix, cann: Cann) -> list[Statement]:
    """This CANN has a triton-ascend of its own, and it is not this one."""
    said = []
    for row in _of_cann(matrix, cann):
        if "triton_ascend" in row:
            note = _("triton-ascend goes one to one with CANN; {version} is the one of CANN {cann}.")
            text = note.format(version=row["triton_ascend"], cann=cann)
            said.append(matrix.says(row, Verdict.UNSUPPORTED, Weight.FAILS, text))
    return said


def _of_cann(matrix: Matrix, cann: Cann) -> list[dict[str, Any]]:
    """Rows that name the triton-ascend of this CANN: its own first, else those of vllm-ascend."""
    own = [row for row in _rows(matrix) if any_speaks_of(row["cann"], cann)]
    finals = [row for row in matrix.section("vllm_ascend") if speaks_of(row["cann"], cann)]
    return own or [row for row in finals if "dev" not in row.get("triton_ascend", "dev")]


def judge_chip(matrix: Matrix, stack: Stack) -> Statement | None:
    """triton-ascend and the chip."""
    if stack.get("triton_ascend", TritonAscend) is None or stack.family is None:
        return None
    rows = [row for row in matrix.section("triton_ascend") if row["says"] == "unsupported"]
    return decide(
        [
            matrix.says(row, Verdict.UNSUPPORTED, Weight.EXPLICIT_NO)
            for row in rows
            if stack.family in row["chips"]
        ]
    )


def fixes(matrix: Matrix, stack: Stack) -> list[str]:
    """The triton-ascend of this CANN."""
    cann = stack.get("cann", Cann)
    rows = _of_cann(matrix, cann) if cann is not None else []
    return list(dict.fromkeys(f"triton_ascend {row['triton_ascend']}" for row in rows))


def fixes_chip(_matrix: Matrix, _stack: Stack) -> list[str]:
    """There is no version for this chip."""
    return ["no triton_ascend"]
