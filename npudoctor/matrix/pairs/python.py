"""Python with CANN, with torch, and with the serving engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.matrix.pattern import any_speaks_of, is_exact, speaks_of
from npudoctor.matrix.statement import Grade, Statement, Verdict, Weight, decide, joined, worst
from npudoctor.versions import Cann, MindSpore, Python, Torch, TorchNpu
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stack import Stack


def judge_cann(matrix: Matrix, stack: Stack) -> Statement | None:
    """Python and CANN: the range that CANN states, and the Python that its own images bring."""
    python, cann = stack.get("python", Python), stack.get("cann", Cann)
    if python is None or cann is None:
        return None
    said = [*_stated(matrix, python, cann), *_imaged(matrix, python, cann)]
    return decide(said or [*_between(matrix, python, cann)])


def _stated(matrix: Matrix, python: Python, cann: Cann) -> Iterator[Statement]:
    for row in matrix.section("cann_host"):
        if speaks_of(row["cann"], cann):
            yield _of_range(matrix, row, python)


def _of_range(matrix: Matrix, row: dict[str, Any], python: Python) -> Statement:
    note = _("CANN {cann} asks for Python {python}.").format(cann=row["cann"], python=row["python"])
    if _within(row["python"], python):
        return matrix.says(row, Verdict.SUPPORTED, Weight.RANGE, note)
    if _same_minor(row["python"], python):
        above = note + " " + _("This patch level is above the cap, which newer images of CANN pass too.")
        return matrix.says(row, Verdict.CAUTION, Weight.RANGE, above)
    return matrix.says(row, Verdict.UNSUPPORTED, Weight.RANGE, note)


def _within(text: str, python: Python) -> bool:
    """`3.7-3.11.4`, `3.7.0-3.7.11, 3.8.0-3.8.11` or `>=3.7`: an end without a patch level takes them all."""
    return any(_in_span(span.strip(), python) for span in text.split(","))


def _in_span(span: str, python: Python) -> bool:
    low, dash, high = span.partition("-")
    if not dash:
        return speaks_of(span, python) or python.family == span
    return python >= Python(low) and (
        python <= Python(high) or (high.count(".") == 1 and python.family == high)
    )


def _same_minor(text: str, python: Python) -> bool:
    ends = [end for span in text.split(",") for end in span.strip().lstrip("<>=").split("-")]
    return any(Python(end).family == python.family for end in ends)


def _imaged(matrix: Matrix, python: Python, cann: Cann) -> Iterator[Statement]:
    """An official image of this CANN with this Python."""
    for row in matrix.section("images"):
        if speaks_of(row["tag"], cann) and python.family in row["python"]:
            note = _("Official images of CANN {cann} come with Python {python}.")
            text = note.format(cann=row["tag"], python=python.family)
            yield matrix.says(row, Verdict.SUPPORTED, Weight.RANGE, text)
            return


def _between(matrix: Matrix, python: Python, cann: Cann) -> Iterator[Statement]:
    """A CANN that states no range: what the releases before and after it state, where they agree."""
    rows = sorted(matrix.section("cann_host"), key=lambda row: Cann(row["cann"]))
    before = [row for row in rows if Cann(row["cann"]) < cann][-1:]
    after = [row for row in rows if Cann(row["cann"]) > cann][:1]
    said = [_of_range(matrix, row, python) for row in (*before, *after)]
    refused = {statement.verdict is Verdict.UNSUPPORTED for statement in said}
    if not before or len(refused) != 1:
        return
    note = _("No Python range was found for CANN {cann}; these are of its neighbours.").format(cann=cann)
    yield said[0].weaker(Weight.NEIGHBOUR, note) if not after else _inferred(said, note)


def _inferred(said: list[Statement], note: str) -> Statement:
    rows = tuple(row for statement in said for row in statement.rows)
    sources = tuple(source for statement in said for source in statement.sources)
    text = joined([note, *(statement.note for statement in said)])
    verdict = worst(statement.verdict for statement in said)
    return Statement(verdict, Grade.INFERRED, Weight.NEIGHBOUR, rows, sources, text)


def judge_torch(matrix: Matrix, stack: Stack) -> Statement | None:
    """Python and torch: the versions that wheels exist for."""
    python, torch = stack.get("python", Python), _torch(stack)
    if python is None or torch is None:
        return None
    return decide([*_wheels(matrix, python, torch, stack.get("cann", Cann))])


def _torch(stack: Stack) -> Torch | None:
    wheel = stack.get("torch_npu", TorchNpu)
    return stack.get("torch", Torch) or (Torch(wheel.torch) if wheel is not None else None)


def _wheels(matrix: Matrix, python: Python, torch: Torch, cann: Cann | None) -> Iterator[Statement]:
    rows = [row for row in matrix.section("torch_python") if is_exact(row["torch"], torch)]
    narrow = [row for row in rows if "cann" in row and cann is not None and any_speaks_of(row["cann"], cann)]
    for row in narrow or [row for row in rows if "cann" not in row] or rows:
        note = _("Wheels of torch {torch} exist for Python {python}.")
        text = note.format(torch=row["torch"], python=", ".join(row["python"]))
        fits = python.family in row["python"] and not _below_patch(row, python)
        yield matrix.says(row, Verdict.SUPPORTED if fits else Verdict.UNSUPPORTED, Weight.RANGE, text)


def _below_patch(row: dict[str, Any], python: Python) -> bool:
    """Below the patch level that the row starts from. A `3.7` that names none is not."""
    floor = row.get("patch_from")
    named = str(python).count(".") > 1
    return floor is not None and named and python.family == Python(floor).family and python < Python(floor)


def judge_mindspore(matrix: Matrix, stack: Stack) -> Statement | None:
    """Python and MindSpore: the range that its install page states."""
    python, mindspore = stack.get("python", Python), stack.get("mindspore", MindSpore)
    if python is None or mindspore is None:
        return None
    said = []
    for row in matrix.section("mindspore"):
        if "python" in row and row["says"] == "matched" and any_speaks_of(row["mindspore"], mindspore):
            note = _("The install page asks for Python {python}.").format(python=row["python"])
            verdict = Verdict.SUPPORTED if _within(row["python"], python) else Verdict.UNSUPPORTED
            said.append(matrix.says(row, verdict, Weight.RANGE, note))
    return decide(said)


def fixes_torch(matrix: Matrix, stack: Stack) -> list[str]:
    """Python versions that wheels of this torch exist for."""
    torch = _torch(stack)
    rows = matrix.section("torch_python")
    named = [row for row in rows if torch is not None and "cann" not in row and is_exact(row["torch"], torch)]
    return [f"python {text}" for row in named for text in row["python"]]


def fixes_cann(matrix: Matrix, stack: Stack) -> list[str]:
    """The Python range of this CANN, or of the nearest one before it that states one."""
    python, cann = stack.get("python", Python), stack.get("cann", Cann)
    if python is None or cann is None:
        return []
    rows = sorted(matrix.section("cann_host"), key=lambda row: Cann(row["cann"]))
    before = [row["python"] for row in rows if Cann(row["cann"]) <= cann][-1:]
    after = [row["python"] for row in rows if Cann(row["cann"]) > cann][:1]
    named = [text for text in (*before, *after) if not _within(text, python)]
    return [f"python {text}" for text in named[:1]]
