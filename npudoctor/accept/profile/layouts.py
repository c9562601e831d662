"""What `layouts.yaml` says: the names of files, columns and tasks over the versions."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load

if TYPE_CHECKING:
    from re import Pattern


@cache
def layouts() -> dict[str, Any]:
    """The whole file, as plain Python."""
    content: dict[str, Any] = load(Path(__file__).with_name("layouts.yaml")).content
    return content


@cache
def pattern(section: str, name: str) -> Pattern[str]:
    """The compiled pattern `name` of the section `files` or `operators`."""
    import re

    return re.compile(layouts()[section][name])


@cache
def cores() -> dict[str, str]:
    """What a task runs on, by the word of any version in lower case: `ai_vector_core` → `vector`."""
    return {word.lower(): kind for kind, words in layouts()["cores"].items() for word in words}


def kind_of_file(name: str) -> str | None:
    """Which part of a profile a file is, by its name; None for a file that is read by nobody."""
    return next((kind for kind in layouts()["files"] if pattern("files", kind).fullmatch(name)), None)


def kind_of_task(core: str, type: str) -> str:
    """The kind of work: cube, vector, aicpu, copy, communication, transfer, wait or other.

    Args:
        core: What it runs on, as any version writes it; empty or N/A where a light profile left it out.
        type: The type of the operator.
    """
    place = cores().get(core.lower())
    if place in ("communication", "transfer", "wait"):
        return str(place)
    if pattern("operators", "communication").fullmatch(type):
        return "communication"  # also on the AI CPU, from where A3 drives its collectives
    if place in ("aicpu", "other"):
        return str(place)
    if pattern("operators", "copy").fullmatch(type):
        return "copy"
    if place in ("cube", "vector"):
        return str(place)
    if place is None and core not in ("", "N/A"):
        return "other"
    return "cube" if pattern("operators", "cube").fullmatch(type) else "vector"


def type_of_name(name: str) -> str:
    """The operator's type out of its name: `aclnnMatmul_MatMulV2_MatMulV2_12` → `MatMulV2`."""
    words = name.rpartition("/")[2].partition("@")[0].split("_")
    if words[0].lower() in ("hcom", "hccl"):
        return "_".join(words[:2])
    while len(words) > 1 and (not words[-1] or words[-1].isdigit()):
        words.pop()
    return words[-1] if words[-1][:1].isupper() else "_".join(words)
