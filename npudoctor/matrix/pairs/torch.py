"""torch, torch_npu and CANN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.matrix.pairs.near import asked_near
from npudoctor.matrix.pattern import any_speaks_of, is_exact, speaks_of
from npudoctor.matrix.statement import Grade, Statement, Verdict, Weight, decide
from npudoctor.versions import Cann, Torch, TorchNpu, TorchNpuLine
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stack import Stack

_NAME_RULE = "name-torch-npu"


def judge_torch(matrix: Matrix, stack: Stack) -> Statement | None:
    """torch and torch_npu: a wheel is built for one torch, which its name begins with."""
    torch, wheel = stack.get("torch", Torch), stack.get("torch_npu", TorchNpu)
    if torch is None or wheel is None:
        return None
    return decide([*_torch_rows(matrix, torch, wheel)] or [*_by_name(matrix, torch, wheel)])


def _torch_rows(matrix: Matrix, torch: Torch, wheel: TorchNpu) -> Iterator[Statement]:
    for row in _of_wheel(matrix, wheel):
        likely = row.get("torch_likely")
        if is_exact(likely or row["torch"], torch):
            yield matrix.says(row, Verdict.SUPPORTED, Weight.PAIR, row.get("note") if likely else "")
        elif likely and is_exact(row["torch"], torch):
            yield matrix.says(row, Verdict.CAUTION, Weight.PAIR)
        else:
            note = _("torch_npu {wheel} is built for torch {torch}.").format(
                wheel=wheel, torch=likely or row["torch"]
            )
            yield matrix.says(row, Verdict.UNSUPPORTED, Weight.PAIR, note)


def _by_name(matrix: Matrix, torch: Torch, wheel: TorchNpu) -> Iterator[Statement]:
    """A wheel that no table lists: its name says which torch it is for."""
    for row in matrix.section("naming"):
        if row["id"] != _NAME_RULE:
            continue
        if Torch(wheel.torch) == torch:
            note = _("The name of the wheel fits this torch; no table lists the build.")
            yield matrix.says(row, Verdict.CAUTION, Weight.NEIGHBOUR, note, Grade.INFERRED)
        else:
            note = _("torch_npu {wheel} is built for torch {torch}.").format(wheel=wheel, torch=wheel.torch)
            yield matrix.says(row, Verdict.UNSUPPORTED, Weight.FAILS, note)


def _of_wheel(matrix: Matrix, wheel: TorchNpu) -> list[dict[str, Any]]:
    """Rows of this very wheel, in the table and in the matrix of vllm-ascend."""
    rows = [*matrix.section("torch_npu"), *matrix.section("vllm_ascend")]
    return [row for row in rows if is_exact(row["torch_npu"], wheel)]


def judge_cann(matrix: Matrix, stack: Stack) -> Statement | None:
    """torch_npu and CANN."""
    wheel, cann = stack.get("torch_npu", TorchNpu), stack.get("cann", Cann)
    if wheel is None or cann is None:
        return None
    said = [*_direct(matrix, wheel, cann)]
    if not said:
        said = asked_near(cann, _named(matrix), lambda other: [*_direct(matrix, wheel, other)])
    one = decide(said)
    return _with_notes(matrix, one, wheel, cann) if one else None


def _direct(matrix: Matrix, wheel: TorchNpu, cann: Cann) -> Iterator[Statement]:
    yield from _defects(matrix, wheel, cann)
    yield from _pairs(matrix, wheel, cann)
    if not wheel.is_exact_build:
        yield from _ranges(matrix, wheel, cann)


def _defects(matrix: Matrix, wheel: TorchNpu, cann: Cann) -> Iterator[Statement]:
    for row in matrix.section("torch_npu_defects"):
        if row["verdict"] == "unsupported" and _is_pair(row, wheel, cann):
            yield matrix.says(row, Verdict.UNSUPPORTED, Weight.EXPLICIT_NO)


def _with_notes(matrix: Matrix, said: Statement, wheel: TorchNpu, cann: Cann) -> Statement:
    """Add what is known to go wrong beside the pair itself."""
    notes = [row["note"] for row in matrix.section("torch_npu_defects")
             if row["verdict"] == "note" and _is_pair(row, wheel, cann)]  # fmt: skip
    if not notes:
        return said
    note = " ".join([said.note, *notes]).strip()
    return Statement(said.verdict, said.grade, said.weight, said.rows, said.sources, note)


def _is_pair(row: dict[str, Any], wheel: TorchNpu, cann: Cann) -> bool:
    return is_exact(row["torch_npu"], wheel) and speaks_of(row["cann"], cann)


def _pairs(matrix: Matrix, wheel: TorchNpu, cann: Cann) -> Iterator[Statement]:
    for row in _of_wheel(matrix, wheel):
        if not speaks_of(row["cann"], cann):
            continue
        if row.get("says") == "third-party":
            yield matrix.says(row, Verdict.CAUTION, Weight.SEEN)
        else:
            yield matrix.says(row, Verdict.SUPPORTED, Weight.PAIR, row.get("note", ""))


def _ranges(matrix: Matrix, wheel: TorchNpu, cann: Cann) -> Iterator[Statement]:
    for text, sure in _lines(matrix, wheel):
        line = TorchNpuLine(text)
        for row in matrix.section("torch_npu_ranges"):
            if speaks_of(row["line"], line) and any_speaks_of(row["cann"], cann):
                yield from _in_range(matrix, row, text, sure)


def _in_range(matrix: Matrix, row: dict[str, Any], line: str, sure: bool) -> Iterator[Statement]:
    if component := row.get("component"):
        note = _("{component} takes this CANN with TorchNPU {line}.").format(component=component, line=line)
        yield matrix.says(row, Verdict.CAUTION, Weight.COMPONENT, note)
        return
    note = _("TorchNPU {line} runs on it, though it is not the matched CANN.").format(line=line)
    said = matrix.says(row, Verdict.SUPPORTED, Weight.RANGE, note)
    inferred = _("That the wheel is of this line is inferred.")
    yield said if sure else said.weaker(Weight.COMPONENT, inferred)


def _lines(matrix: Matrix, wheel: TorchNpu) -> list[tuple[str, bool]]:
    """Product lines of the wheel, and whether a source states it; else those of its CANN line."""
    rows = _of_wheel(matrix, wheel)
    stated = {row["line"] for row in rows if "line" in row}
    if stated:
        return [(line, True) for line in sorted(stated)]
    families = {Cann(row["cann"]).family for row in rows if row.get("says") != "third-party"}
    beside = {
        row["line"]
        for row in matrix.section("torch_npu")
        if "line" in row and Cann(row["cann"]).family in families
    }
    return [(line, False) for line in sorted(beside)]


def _named(matrix: Matrix) -> Iterator[str]:
    for row in matrix.section("torch_npu"):
        yield row["cann"]
    for row in matrix.section("torch_npu_ranges"):
        yield from (text.upper().removesuffix(".X") for text in row["cann"])


def fixes_torch(matrix: Matrix, stack: Stack) -> list[str]:
    """The torch of this wheel, and the wheels of this torch.

    Where CANN is given: the wheels for it, and these first if the present wheel is for another CANN.
    """
    torch, wheel = stack.get("torch", Torch), stack.get("torch_npu", TorchNpu)
    if torch is None or wheel is None:
        return []
    rows = [row for row in matrix.section("torch_npu") if is_exact(row["torch"], torch)]
    cann = stack.get("cann", Cann)
    matched = [row for row in rows if cann is not None and speaks_of(row["cann"], cann)]
    wheels = [f"torch_npu {row['torch_npu']}" for row in matched or rows[:1]]
    same = [f"torch {wheel.torch}"]
    return wheels + same if matched and not _released_for(matrix, wheel, cann) else same + wheels


def _released_for(matrix: Matrix, wheel: TorchNpu, cann: Cann | None) -> bool:
    return cann is not None and any(speaks_of(row["cann"], cann) for row in _of_wheel(matrix, wheel))


def fixes_cann(matrix: Matrix, stack: Stack) -> list[str]:
    """Wheels of the same torch for this CANN, and the CANN that the wheel was released for."""
    wheel, cann = stack.get("torch_npu", TorchNpu), stack.get("cann", Cann)
    if wheel is None or cann is None:
        return []
    named = [
        row["use"]
        for row in matrix.section("torch_npu_defects")
        if "use" in row and _is_pair(row, wheel, cann)
    ]
    rows = matrix.section("torch_npu")
    same = [
        row["torch_npu"]
        for row in rows
        if _same_torch(row, wheel) and speaks_of(row["cann"], cann.edition.released())
    ]
    home = [row["cann"] for row in _of_wheel(matrix, wheel) if row.get("says") != "third-party"]
    wheels = [*named, *same] or _of_nearest_torch(matrix, wheel, cann)
    fixes = [*(f"torch_npu {text}" for text in wheels), *(f"cann {text}" for text in home)]
    return list(dict.fromkeys(fixes))


def _of_nearest_torch(matrix: Matrix, wheel: TorchNpu, cann: Cann) -> list[str]:
    """Where this torch has no wheel for the CANN: that of the next newer torch, else the newest."""
    released = cann.edition.released()
    rows = [row for row in matrix.section("torch_npu")
            if row["says"] != "third-party" and speaks_of(row["cann"], released)]  # fmt: skip
    ordered = sorted(rows, key=lambda row: Torch(row["torch"]))
    newer = [row["torch_npu"] for row in ordered if Torch(row["torch"]) > Torch(wheel.torch)][:1]
    return newer or [row["torch_npu"] for row in ordered][-1:]


def _same_torch(row: dict[str, Any], wheel: TorchNpu) -> bool:
    return row["says"] != "third-party" and TorchNpu(row["torch_npu"]).torch == wheel.torch
