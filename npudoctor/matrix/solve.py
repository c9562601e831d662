"""Complete sets of versions that go together, around what is wanted and near to what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.matrix.completion import Versions, drivers_for, firmware_for, python_for
from npudoctor.matrix.pattern import any_speaks_of, speaks_of
from npudoctor.matrix.query import Result, query
from npudoctor.matrix.stack import Stack, read_stack
from npudoctor.matrix.stacks import stacks
from npudoctor.matrix.statement import BEST_FIRST, Verdict
from npudoctor.versions import Cann, MindSpore, VllmAscend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from npudoctor.matrix.matrix import Matrix

_HOST_KEYS = ("chip", "arch", "os", "kernel", "glibc", "npu_smi")
_SETS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Solution:
    """One complete set.

    Attributes:
        versions: By component, `{"driver": "25.5.0", "cann": "8.5.0", …}`.
        changes: Components to change, as `(component, installed, wanted)`; installed is empty where none is.
        stack: The name of the stack that it is; empty where it is none.
    """

    versions: Versions
    result: Result
    changes: tuple[tuple[str, str, str], ...]
    stack: str = ""

    def as_json(self) -> dict[str, Any]:
        """The set, its verdict, and what to change."""
        return {
            "stack": self.stack or None,
            "versions": self.versions,
            "verdict": self.result.verdict.value,
            "changes": [
                {"component": name, "from": old or None, "to": new} for name, old, new in self.changes
            ],
            "pairs": [pair.as_json() for pair in self.result.pairs],
        }


def solve(matrix: Matrix, wanted: Mapping[str, str], installed: Mapping[str, str]) -> list[Solution]:
    """Complete sets that hold what is wanted, best first: few changes, then the better verdict, then the
    newest; sets with a pair that no source speaks of come last.

    Raises:
        UsageError: A key or a version that nobody knows.
    """
    asked = read_stack(wanted)
    host = {key: value for key, value in {**installed, **wanted}.items() if key in _HOST_KEYS}
    named = [*_named(matrix, asked, installed, host)]
    for rows in _sources(matrix, asked, installed):
        agreeing = [row for row in rows if all(_agrees(row[key], key, asked) for key in row)]
        found = [*_found(matrix, agreeing, wanted, installed, host)]
        if found:
            return sorted(_distinct([*found, *named]), key=_rank)[:_SETS_SHOWN]
    return sorted(named, key=_rank)[:_SETS_SHOWN]


def _named(matrix: Matrix, asked: Stack, installed: Mapping[str, str], host: Versions) -> Iterator[Solution]:
    """The stacks that hold all that is asked for, on chips and an architecture such as these."""
    family = read_stack(host).family
    for stack in stacks(matrix):
        fits = family in (None, stack.chip) and stack.arch in ("", host.get("arch", stack.arch))
        if not fits or not set(asked.versions) <= set(stack.versions):
            continue
        versions = _ordered(stack.versions)
        if all(_agrees(text, key, asked) for key, text in versions.items()):
            result = query(matrix, {**versions, **host})
            if result.verdict is not Verdict.UNSUPPORTED and "torch_npu" in versions:
                yield Solution(versions, result, _changes(versions, installed), stack.name)


def _found(
    matrix: Matrix,
    rows: Iterable[Versions],
    wanted: Mapping[str, str],
    installed: Mapping[str, str],
    host: Versions,
) -> Iterator[Solution]:
    for row in rows:
        for versions in _completed(matrix, {**row, **wanted}, installed, host):
            result = query(matrix, {**versions, **host})
            if result.verdict is not Verdict.UNSUPPORTED:
                yield Solution(versions, result, _changes(versions, installed))


def _agrees(text: str, key: str, asked: Stack) -> bool:
    version = asked.versions.get(key)
    return version is None or speaks_of(text, version) or str(version) == text


def _sources(matrix: Matrix, asked: Stack, installed: Mapping[str, str]) -> Iterator[Iterable[Versions]]:
    """The sets that sources name around the engine or framework that is asked for.

    Where none is: around the one that is installed, then around vllm-ascend, then around torch.
    """
    names = set(asked.versions)
    if "mindie" in names:
        yield _mindie(matrix)
    elif "mindspore" in names:
        yield _mindspore(matrix, [str(asked.versions["mindspore"])])
    elif names & {"vllm", "vllm_ascend", "triton_ascend"}:
        yield _vllm_ascend(matrix)
    elif names & {"torch", "torch_npu"}:
        yield _torch(matrix)
    else:
        yield from _around_installed(matrix, installed)


def _around_installed(matrix: Matrix, installed: Mapping[str, str]) -> Iterator[Iterable[Versions]]:
    if "mindie" in installed:
        yield _mindie(matrix)
    if "mindspore" in installed:
        yield _mindspore(matrix, [installed["mindspore"]])
        yield _mindspore(matrix, _mindspores(matrix))
    if "torch_npu" not in installed or "vllm_ascend" in installed:
        yield _vllm_ascend(matrix)
    yield _torch(matrix)


def _vllm_ascend(matrix: Matrix) -> Iterator[Versions]:
    keys = ("vllm_ascend", "cann", "torch", "torch_npu", "triton_ascend")
    for row in matrix.section("vllm_ascend"):
        for vllm in row["vllm"]:
            base: Versions = {key: row[key] for key in keys if key in row} | {"vllm": vllm}
            yield base
            yield from _renamed(matrix, base)


def _renamed(matrix: Matrix, base: Versions) -> Iterator[Versions]:
    """The set of a release with the CANN that its pages name beside the matrix."""
    for row in matrix.section("vllm_ascend_also"):
        if row["vllm_ascend"] == base["vllm_ascend"] and row["says"] == "named":
            kept = {key: text for key, text in base.items() if key != "triton_ascend"}
            yield kept | {key: row[key] for key in ("cann", "torch_npu") if key in row}


def _torch(matrix: Matrix) -> Iterator[Versions]:
    for row in matrix.section("torch_npu"):
        if row["says"] in ("table", "note", "downstream"):
            yield {key: row[key] for key in ("torch", "torch_npu", "cann")}


def _mindie(matrix: Matrix) -> Iterator[Versions]:
    for row in matrix.section("mindie"):
        wheels = [wheel for wheel in matrix.section("torch_npu") if wheel.get("line") in row.get("lines", ())]
        for wheel in wheels:
            yield {
                "mindie": row["mindie"],
                "cann": row["cann"],
                "torch": wheel["torch"],
                "torch_npu": wheel["torch_npu"],
            }
        if not wheels and row["says"] == "matched":
            yield {"mindie": row["mindie"], "cann": row["cann"]}


def _mindspore(matrix: Matrix, versions: Iterable[str]) -> Iterator[Versions]:
    for version in versions:
        for row in matrix.section("mindspore"):
            if row["says"] == "matched" and any_speaks_of(row["mindspore"], MindSpore(version)):
                yield from ({"mindspore": version, "cann": str(Cann(text).edition)} for text in row["cann"])


def _mindspores(matrix: Matrix) -> list[str]:
    """The releases that rows name in full."""
    named = [text for row in matrix.section("mindspore") for text in row["mindspore"]]
    return [text for text in dict.fromkeys(named) if not text.endswith(".X")]


def _completed(
    matrix: Matrix, row: Versions, installed: Mapping[str, str], host: Versions
) -> Iterator[Versions]:
    """The row with a driver, its firmware and a Python."""
    versions = {key: text for key, text in row.items() if key not in _HOST_KEYS}
    family = read_stack(host).family
    for driver in drivers_for(matrix, versions, installed, family):
        whole = {**versions, "driver": driver}
        firmware = firmware_for(matrix, whole, installed, family)
        python = python_for(matrix, whole, installed)
        yield _ordered(
            whole | ({"firmware": firmware} if firmware else {}) | ({"python": python} if python else {})
        )


_ORDER = (
    "driver",
    "firmware",
    "cann",
    "torch",
    "torch_npu",
    "python",
    "mindie",
    "mindspore",
    "vllm",
    "vllm_ascend",
    "triton_ascend",
)


def _ordered(versions: Versions) -> Versions:
    return {key: versions[key] for key in _ORDER if key in versions}


def _changes(versions: Versions, installed: Mapping[str, str]) -> tuple[tuple[str, str, str], ...]:
    if not installed:
        return ()
    return tuple(
        (key, installed.get(key, ""), text)
        for key, text in versions.items()
        if not _kept(key, text, installed)
    )


def _kept(key: str, text: str, installed: Mapping[str, str]) -> bool:
    present = installed.get(key)
    if present is None:
        return False
    if key == "python" and present.startswith(f"{text}."):
        return True
    before, after = read_stack({key: present}).versions[key], read_stack({key: text}).versions[key]
    return type(before) is type(after) and before == after


def _distinct(found: list[Solution]) -> list[Solution]:
    """Each set once; a stack in place of the same set without a name."""
    return list({tuple(sorted(_of_release(one.versions).items())): one for one in found}.values())


def _of_release(versions: Versions) -> Versions:
    """Python's patch level is nothing that anything pairs with."""
    return {key: ".".join(text.split(".")[:2]) if key == "python" else text for key, text in versions.items()}


def _rank(solution: Solution) -> tuple[Any, ...]:
    verdict = BEST_FIRST.index(solution.result.verdict)
    cann = Cann(solution.versions["cann"])
    engine = VllmAscend(solution.versions.get("vllm_ascend", "0.0.0"))
    preview = any(rank < 0 for rank, _number, _text in engine.parts)
    newest = tuple(-number for _rank_, number, _text in (*engine.parts, *cann.parts))
    silent = solution.result.verdict is Verdict.UNKNOWN
    whole = "firmware" in solution.versions
    driver_changes = any(name == "driver" for name, _old, _new in solution.changes)
    changes = len(solution.changes) + int(driver_changes and not whole)
    return int(silent), changes, verdict, int(preview), int(not whole), newest, int(not solution.stack)
