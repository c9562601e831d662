"""vllm-ascend: its release matrix names the one set of each release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.matrix.pairs.driver_cann_fixes import numbered
from npudoctor.matrix.pattern import any_speaks_of, is_exact, speaks_of
from npudoctor.matrix.statement import Statement, Verdict, Weight, decide
from npudoctor.versions import Version, VllmAscend
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stack import Stack

_NAMES = {"cann": "CANN", "python": "Python", "vllm": "vLLM"}


def judge(component: str, matrix: Matrix, stack: Stack) -> Statement | None:
    """The stack's vllm-ascend with one other component of its matrix."""
    release, version = stack.get("vllm_ascend", VllmAscend), stack.versions.get(component)
    if release is None or version is None:
        return None
    rows = [row for row in matrix.section("vllm_ascend") if is_exact(row["vllm_ascend"], release)]
    said = [_of_row(matrix, row, component, version) for row in rows if component in row]
    return decide([*said, *_also(matrix, component, release, version, stack)])


def _of_row(matrix: Matrix, row: dict[str, Any], component: str, version: Version) -> Statement:
    note = _("vllm-ascend {release} goes with {name} {version}.").format(
        release=row["vllm_ascend"], name=_NAMES.get(component, component), version=_shown(row[component])
    )
    covered = _covers(row[component], component, version)
    if covered:
        return matrix.says(row, Verdict.SUPPORTED, Weight.PAIR, note)
    return matrix.says(row, Verdict.UNSUPPORTED, Weight.LIST, note)


def _covers(wanted: Any, component: str, version: Version) -> bool:
    if isinstance(wanted, list):
        return any(is_exact(text, version) for text in wanted)
    return speaks_of(wanted, version) if component in ("python", "cann") else is_exact(wanted, version)


def _shown(wanted: Any) -> str:
    return ", ".join(wanted) if isinstance(wanted, list) else str(wanted)


def _also(
    matrix: Matrix, component: str, release: Version, version: Version, stack: Stack
) -> Iterator[Statement]:
    for row in matrix.section("vllm_ascend_also"):
        if component in row and is_exact(row["vllm_ascend"], release) and _on_this_host(row, stack):
            yield from _beside(matrix, row, speaks_of(row[component], version))


def _beside(matrix: Matrix, row: dict[str, Any], covered: bool) -> Iterator[Statement]:
    says = row["says"]
    if covered:
        if says == "floor":
            yield matrix.says(row, Verdict.CAUTION, Weight.FAILS)
        else:
            yield matrix.says(row, Verdict.SUPPORTED, Weight.PAIR)
    elif says == "better":
        yield matrix.says(row, Verdict.CAUTION, Weight.EXPLICIT_NO)
    elif says in ("needed", "floor"):
        yield matrix.says(row, Verdict.UNSUPPORTED, Weight.EXPLICIT_NO)


def _on_this_host(row: dict[str, Any], stack: Stack) -> bool:
    """A row of one chip or architecture speaks only where the host is known to have it."""
    return row.get("arch") in (None, stack.arch) and ("chips" not in row or stack.family in row["chips"])


def judge_driver(matrix: Matrix, stack: Stack) -> Statement | None:
    """vllm-ascend and the driver, where an install page or a checker speaks of it."""
    release, driver = stack.get("vllm_ascend", VllmAscend), stack.driver
    if release is None or driver is None:
        return None
    said: list[Statement] = []
    for row in matrix.section("vllm_ascend_driver"):
        if is_exact(row["vllm_ascend"], release) and row["says"] != "silent":
            said.extend(_of_driver(matrix, row, any_speaks_of(row["driver"], driver), _excluded(row, driver)))
    return decide(said)


def fixes_driver(matrix: Matrix, stack: Stack) -> list[str]:
    """The drivers that rows of this release name, the newest line first."""
    release = stack.get("vllm_ascend", VllmAscend)
    rows = [row for row in matrix.section("vllm_ascend_driver") if row["says"] != "silent"]
    named = [
        text
        for row in rows
        if release is not None and is_exact(row["vllm_ascend"], release)
        for text in row["driver"]
    ]
    newest = sorted(dict.fromkeys(named), key=lambda text: numbered(text.lstrip(">=")), reverse=True)
    return [_fix("driver", text) for text in newest]


def judge_chip(matrix: Matrix, stack: Stack) -> Statement | None:
    """vllm-ascend and the chip, where its own pages name hardware that it does not support."""
    if "vllm_ascend" not in stack.versions or stack.family is None:
        return None
    rows = [row for row in matrix.section("products") if "vllm_ascend" in row.get("without", ())]
    return decide(
        [
            matrix.says(row, Verdict.UNSUPPORTED, Weight.EXPLICIT_NO)
            for row in rows
            if row["family"] == stack.family
        ]
    )


def _excluded(row: dict[str, Any], driver: Version) -> bool:
    return any_speaks_of(row.get("excluded", ()), driver)


def _of_driver(matrix: Matrix, row: dict[str, Any], covered: bool, excluded: bool) -> Iterator[Statement]:
    if excluded:
        yield matrix.says(row, Verdict.UNSUPPORTED, Weight.FAILS)
    elif covered:
        yield matrix.says(row, Verdict.SUPPORTED, Weight.RANGE)
    elif row["says"] == "recommended":
        yield matrix.says(row, Verdict.CAUTION, Weight.SEEN)
    elif row["says"] == "list":
        floor = all(text.startswith(">") for text in row["driver"])
        yield matrix.says(row, Verdict.UNSUPPORTED if floor else Verdict.CAUTION, Weight.SEEN)


def fixes(component: str, matrix: Matrix, stack: Stack) -> list[str]:
    """The component that this release goes with, and the releases that go with this component."""
    release, version = stack.get("vllm_ascend", VllmAscend), stack.versions.get(component)
    if release is None or version is None:
        return []
    rows = [row for row in matrix.section("vllm_ascend") if component in row]
    named = [row[component] for row in _rows_for_host(matrix, stack) if component in row]
    wanted = named or [row[component] for row in rows if is_exact(row["vllm_ascend"], release)]
    fitting = [VllmAscend(row["vllm_ascend"]) for row in rows if _covers(row[component], component, version)]
    others = sorted((other for other in fitting if other != release), key=_is_candidate)
    return [
        *(_fix(component, text) for text in wanted[:1]),
        *(f"vllm_ascend {text}" for text in others[:1]),
    ]


def _is_candidate(release: VllmAscend) -> bool:
    """Whether this is a release candidate: a final release is the better advice."""
    return any(rank < 0 for rank, _number, _text in release.parts)


def _fix(component: str, wanted: Any) -> str:
    text = _shown(wanted)
    return f"{component}{text}" if text[0] in "<>" else f"{component} {text}"


def _rows_for_host(matrix: Matrix, stack: Stack) -> list[dict[str, Any]]:
    """What this chip or architecture needs beside the matrix."""
    release = stack.versions["vllm_ascend"]
    rows = [row for row in matrix.section("vllm_ascend_also") if row["says"] in ("needed", "better")]
    return [row for row in rows if is_exact(row["vllm_ascend"], release) and _on_this_host(row, stack)]
