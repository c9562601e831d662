"""One question: which pairs of the given components are supported, and by whose word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.matrix.pairs import (
    driver_cann,
    driver_cann_fixes,
    driver_firmware,
    host,
    mindie,
    mindspore,
    python,
    torch,
    triton_ascend,
    vllm_ascend,
)
from npudoctor.matrix.stack import Stack, read_stack
from npudoctor.matrix.statement import Grade, Statement, Verdict, joined, worst
from npudoctor.versions import TorchNpu
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.matrix.matrix import Matrix

Judge = Callable[["Matrix", Stack], Statement | None]
Fixes = Callable[["Matrix", Stack], list[str]]
_FIXES_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of pair.

    Attributes:
        decides: Whether a stack cannot be called good while no source speaks of it.
        silence: What is worth knowing where no source speaks of it.
    """

    left: str
    right: str
    judge: Judge
    fixes: Fixes = lambda _matrix, _stack: []
    decides: bool = False
    silence: Callable[[Matrix, Stack], str] = lambda _matrix, _stack: ""


def _vllm(component: str, decides: bool = False) -> Kind:
    judge, fixes = partial(vllm_ascend.judge, component), partial(vllm_ascend.fixes, component)
    return Kind("vllm_ascend", component, judge, fixes, decides)


KINDS = (
    Kind("driver", "firmware", driver_firmware.judge, driver_firmware.fixes, decides=True),
    Kind(
        "driver",
        "cann",
        driver_cann.judge,
        driver_cann_fixes.fixes,
        decides=True,
        silence=driver_cann_fixes.silence,
    ),
    Kind("cann", "torch_npu", torch.judge_cann, torch.fixes_cann, decides=True),
    Kind("torch", "torch_npu", torch.judge_torch, torch.fixes_torch, decides=True),
    Kind("python", "cann", python.judge_cann, python.fixes_cann, decides=True),
    Kind("python", "torch", python.judge_torch, python.fixes_torch, decides=True),
    _vllm("cann", decides=True),
    _vllm("torch_npu", decides=True),
    _vllm("python", decides=True),
    _vllm("torch"),
    _vllm("vllm"),
    _vllm("triton_ascend"),
    Kind("vllm_ascend", "driver", vllm_ascend.judge_driver, vllm_ascend.fixes_driver),
    Kind("vllm_ascend", "chip", vllm_ascend.judge_chip),
    Kind("mindie", "cann", mindie.judge_cann, mindie.fixes_cann, decides=True),
    Kind("mindie", "torch_npu", mindie.judge_torch_npu),
    Kind("mindie", "torch", mindie.judge_torch, mindie.fixes_torch),
    Kind("mindie", "driver", mindie.judge_driver, mindie.fixes_driver),
    Kind("mindie", "glibc", mindie.judge_glibc, mindie.fixes_glibc),
    Kind("mindspore", "cann", mindspore.judge_cann, mindspore.fixes_cann, decides=True),
    Kind("mindspore", "driver", mindspore.judge_driver),
    Kind("python", "mindspore", python.judge_mindspore),
    Kind("triton_ascend", "cann", triton_ascend.judge_cann, triton_ascend.fixes),
    Kind("triton_ascend", "chip", triton_ascend.judge_chip, triton_ascend.fixes_chip),
    Kind("os", "chip", host.judge_os_chip),
    Kind("os", "driver", host.judge_os_driver, host.fixes_os_driver),
    Kind("os", "kernel", host.judge_kernel),
    Kind("glibc", "cann", host.judge_glibc_cann),
    Kind("npu_smi", "driver", host.judge_tool),
)


@dataclass(frozen=True, slots=True)
class Member:
    """One side of a pair."""

    component: str
    version: str


@dataclass(frozen=True, slots=True)
class Pair:
    """The verdict on one pair.

    Attributes:
        rows: Ids of the matrix rows that it rests on; `explain` shows them.
        fix: Versions to take: `driver>=25.2`, `cann 9.0.X`.
    """

    left: Member
    right: Member
    verdict: Verdict
    grade: Grade
    sources: tuple[str, ...]
    note: str
    fix: tuple[str, ...]
    rows: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The pair as the command line's contract writes it."""
        return {
            "left": {"component": self.left.component, "version": self.left.version},
            "right": {"component": self.right.component, "version": self.right.version},
            "verdict": self.verdict.value,
            "grade": self.grade.value,
            "sources": list(self.sources),
            "note": self.note,
            "fix": list(self.fix),
            "rows": list(self.rows),
        }


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on all that was given: the worst of its pairs."""

    verdict: Verdict
    pairs: tuple[Pair, ...]

    def pair(self, left: str, right: str) -> Pair | None:
        """The pair of two components, in whichever order."""
        names = {left, right}
        return next(
            (pair for pair in self.pairs if {pair.left.component, pair.right.component} == names), None
        )

    def as_json(self) -> dict[str, Any]:
        """The result as the command line's contract writes it."""
        return {"verdict": self.verdict.value, "pairs": [pair.as_json() for pair in self.pairs]}


def query(matrix: Matrix, given: Mapping[str, str]) -> Result:
    """Judge every pair of the given components.

    Raises:
        UsageError: A key, a version, a chip or an architecture that nobody knows.
    """
    stack = read_stack(given)
    pairs = tuple(pair for kind in KINDS if (pair := _judged(matrix, stack, kind, given)))
    return Result(worst(pair.verdict for pair in pairs), pairs)


def _judged(matrix: Matrix, stack: Stack, kind: Kind, given: Mapping[str, str]) -> Pair | None:
    said = kind.judge(matrix, stack)
    if said is None:
        asked = kind.decides and {kind.left, kind.right} <= set(given)
        return _silent(matrix, stack, kind) if asked else None
    left, right = _member(stack, kind.left), _member(stack, kind.right)
    fix = () if said.verdict is Verdict.SUPPORTED else _fix(matrix, stack, kind)
    return Pair(left, right, said.verdict, said.grade, said.sources, said.note, fix, said.rows)


def _fix(matrix: Matrix, stack: Stack, kind: Kind) -> tuple[str, ...]:
    """What to take, without what is there already."""
    there = [_member(stack, name) for name in (kind.left, kind.right)]
    same = {f"{member.component} {member.version}" for member in there}
    return tuple(text for text in kind.fixes(matrix, stack) if text not in same)[:_FIXES_SHOWN]


def _silent(matrix: Matrix, stack: Stack, kind: Kind) -> Pair:
    left, right = _member(stack, kind.left), _member(stack, kind.right)
    fix = _fix(matrix, stack, kind)
    note = joined([_("No source speaks of this pair."), kind.silence(matrix, stack)])
    return Pair(left, right, Verdict.UNKNOWN, Grade.INFERRED, (), note, fix, ())


def _member(stack: Stack, component: str) -> Member:
    """One side as it was given. The torch that nobody gave is the one of the torch_npu wheel."""
    wheel = stack.get("torch_npu", TorchNpu)
    if component == "torch" and "torch" not in stack.versions and wheel is not None:
        return Member(component, wheel.torch)
    return Member(component, stack.shown(component))
