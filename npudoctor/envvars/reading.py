"""Whether this stack reads a variable at all: removed, not there yet, another chip, on its way out."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from npudoctor.envvars.judgement import Judgement, Kind, Severity, Variables, Versions, readable
from npudoctor.envvars.table import Row, table
from npudoctor.versions import (
    Cann,
    Hdk,
    MindCluster,
    Mindie,
    MindSpore,
    Torch,
    TorchNpuLine,
    Version,
    VersionError,
    VllmAscend,
)
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

_SERIES: dict[str, type[Version]] = {
    "cann": Cann, "driver": Hdk, "torch": Torch, "torch_npu": TorchNpuLine, "vllm_ascend": VllmAscend,
    "mindie": Mindie, "mindspore": MindSpore, "mindcluster": MindCluster,
}  # fmt: skip
_NAMES = {
    "cann": "CANN", "driver": "driver", "torch": "torch", "torch_npu": "torch_npu",
    "vllm_ascend": "vllm-ascend", "mindie": "MindIE", "mindspore": "MindSpore", "mindcluster": "MindCluster",
}  # fmt: skip
_FAMILIES = {"910": "A1", "910B": "A2", "A3": "A3", "310P": "310P", "950": "950"}


def judge_reading(variables: Variables, versions: Versions) -> Iterator[Judgement]:
    """Judge the variables of the table, whatever their values."""
    for name, value, evidence in readable(variables):
        row = table().rows.get(name)
        if row is None or not value:
            continue
        found = first_reason(row, value, versions)
        if found:
            kind, severity, message = found
            fix = (f"unset {name}",)
            yield Judgement(kind, name, value, severity, message, (evidence,), fix, tuple(row["source"]))


def is_read(row: Row, versions: Versions) -> bool:
    """Whether this stack reads a variable at all, as far as is known; else its value says nothing."""
    whole = [entry for entry in row.get("since", ()) if "value" not in entry]
    return _removed(row, versions) is None and _not_yet({**row, "since": whole}, "", versions) is None


def first_reason(row: Row, value: str, versions: Versions) -> tuple[Kind, Severity, str] | None:
    """Why this stack does not read a variable (or soon will not); None where it does."""
    return (
        _removed(row, versions)
        or _not_yet(row, value, versions)
        or _other_chip(row, versions)
        or _deprecated(row, versions)
    )


def table_chip(versions: Versions) -> str | None:
    """The chip family by the letters of the table: A1, A2, A3, 310P, 950; None for any other."""
    return _FAMILIES.get(versions.chip or "")


def at_least(component: str, floor: str, versions: Versions) -> bool | None:
    """Whether a component is at `floor` or behind it; None where that cannot be known."""
    have = _version(component, versions)
    if have is None:
        return None
    wanted = _SERIES[component](floor)
    if have.is_preview and have.released() == wanted and have < wanted:
        return None
    return have >= wanted


def component_name(component: str) -> str:
    """What people call it."""
    return _NAMES[component]


def _removed(row: Row, versions: Versions) -> tuple[Kind, Severity, str] | None:
    entry = row.get("removed")
    if not entry:
        return None
    component = entry["component"]
    if "version" not in entry:
        if getattr(versions, component) is None:
            return None
    elif not _is_past(entry, versions):
        return None
    message = _("{component} {version} does not read it any more").format(
        component=component_name(component), version=getattr(versions, component)
    )
    return Kind.REMOVED, "warn" if entry["firm"] else "info", _with_use(message, row)


def _is_past(entry: Row, versions: Versions) -> bool:
    reached = at_least(entry["component"], entry["version"], versions)
    if not entry.get("after"):
        return reached is True
    have = _version(entry["component"], versions)
    return reached is True and have != type(have)(entry["version"])  # type: ignore[misc]


def _not_yet(row: Row, value: str, versions: Versions) -> tuple[Kind, Severity, str] | None:
    for entry in row.get("since", ()):
        if not _concerns(entry, value, versions):
            continue
        if at_least(entry["component"], entry["version"], versions) is not False:
            continue
        severity: Severity = "info" if entry["basis"] == "page" else "warn"
        return Kind.NOT_YET, severity, _not_yet_message(entry, versions)
    return None


def _not_yet_message(entry: Row, versions: Versions) -> str:
    if "value" in entry:
        return _("this value needs {component} {floor}, and {have} is here").format(
            component=component_name(entry["component"]),
            have=getattr(versions, entry["component"]),
            floor=entry["version"],
        )
    firm = _("{component} {have} does not read it yet, {floor} does")
    soft = _("{component} {have} probably does not read it, the first manual that lists it is {floor}")
    return (firm if entry["basis"] == "stated" else soft).format(
        component=component_name(entry["component"]),
        have=getattr(versions, entry["component"]),
        floor=entry["version"],
    )


def _concerns(entry: Row, value: str, versions: Versions) -> bool:
    chips = entry.get("chips")
    if chips and table_chip(versions) not in chips:
        return False
    return "value" not in entry or bool(re.fullmatch(entry["value"], value, re.DOTALL))


def _other_chip(row: Row, versions: Versions) -> tuple[Kind, Severity, str] | None:
    chips, chip = row.get("chips"), table_chip(versions)
    if not chips or chip is None or chip in chips:
        return None
    message = _("the manual lists it for {chips} only").format(chips=", ".join(chips))
    return Kind.CHIP, "warn" if len(chips) == 1 else "info", message


def _deprecated(row: Row, versions: Versions) -> tuple[Kind, Severity, str] | None:
    entry = row.get("deprecated")
    if not entry or getattr(versions, entry["component"]) is None:
        return None
    if "version" in entry and at_least(entry["component"], entry["version"], versions) is not True:
        return None
    message = _("{component} is to drop it").format(component=component_name(entry["component"]))
    return Kind.DEPRECATED, "info", _with_use(message, row)


def _with_use(message: str, row: Row) -> str:
    return message + (_("; use {name}").format(name=row["use"]) if "use" in row else "")


def _version(component: str, versions: Versions) -> Version | None:
    text = getattr(versions, component)
    if component == "torch_npu" and text is not None:
        text = table().lines.get(text.partition("+")[0])
    return _parsed(component, text) if text else None


@lru_cache(maxsize=64)
def _parsed(component: str, text: str) -> Version | None:
    try:
        return _SERIES[component](text)
    except VersionError:
        return None
