"""What completes a set of versions: a driver, its firmware, a Python."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from npudoctor.matrix.pairs import driver_cann
from npudoctor.matrix.query import query
from npudoctor.matrix.stack import read_stack
from npudoctor.matrix.statement import BEST_FIRST, Grade, Verdict, Weight
from npudoctor.versions import Hdk, driver_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.matrix.matrix import Matrix

Versions = dict[str, str]
_PYTHONS = ("3.11", "3.10", "3.12", "3.13", "3.9", "3.8", "3.7", "3.14")
"""In the order in which serving images take them."""


def drivers_for(matrix: Matrix, row: Versions, installed: Mapping[str, str], family: str | None) -> list[str]:
    """The wanted driver; else the installed one where it will do, and the best that are known."""
    if "driver" in row:
        return [row["driver"]]
    place = partial(_verdict, matrix, cann=row["cann"], family=family)
    present = installed.get("driver")
    kept = [present] if present and place(present)[0] <= 1 else []
    newest = sorted(known_drivers(matrix), key=lambda text: (place(text), _newest(text)))
    best = [text for text in newest if place(text)[0] <= 1]
    named = [text for text in best if _named_firmware(matrix, text, family)]
    whole = [text for text in named if place(text)[0] == place(best[0])[0]]
    return list(dict.fromkeys([*kept, *whole[:1], *best[:1]]))


def _newest(text: str) -> tuple[int, ...]:
    return tuple(-number for _rank_, number, _text in Hdk(text).parts)


def known_drivers(matrix: Matrix) -> list[str]:
    """HDK versions that rows name in full."""
    texts = [row["driver"] for name in ("driver_firmware", "driver_cann") for row in matrix.section(name)]
    texts += [row["version"] for row in matrix.section("declared") if row["component"] == "driver"]
    whole = {
        text.lower() for text in texts if isinstance(driver_version(text.upper().removesuffix(".X")), Hdk)
    }
    return sorted(text for text in whole if not text.endswith(".x") and not Hdk(text).is_preview)


_seen: dict[tuple[str, str, str, str | None], tuple[int, int]] = {}


def _verdict(matrix: Matrix, driver: str, cann: str, family: str | None) -> tuple[int, int]:
    """How a driver goes with a CANN: the verdict's place from the best, then how directly it is said."""
    key = (matrix.sha256, driver, cann, family)
    if key not in _seen:
        said = driver_cann.judge(matrix, read_stack({"driver": driver, "cann": cann} | _chip(family)))
        verdict = said.verdict if said else Verdict.UNKNOWN
        direct = 0 if said and said.weight >= Weight.PAIR and said.grade is Grade.VENDOR else 1
        _seen[key] = (BEST_FIRST.index(verdict), direct)
    return _seen[key]


@cache
def _chip(family: str | None) -> dict[str, str]:
    names = {"910B": "910B1", "310P": "310P3", "310B": "310B1"}
    return {"chip": names.get(family, family)} if family else {}


def firmware_for(
    matrix: Matrix, row: Versions, installed: Mapping[str, str], family: str | None
) -> str | None:
    """The wanted firmware, the installed one where the driver stays, else the one of this driver."""
    if "firmware" in row:
        return row["firmware"]
    if row["driver"] == installed.get("driver") and "firmware" in installed:
        return installed["firmware"]
    return _named_firmware(matrix, row["driver"], family)


def _named_firmware(matrix: Matrix, driver: str, family: str | None) -> str | None:
    for row in matrix.section("driver_firmware"):
        if "firmware" in row and row["driver"].lower() == driver.lower() and family in (None, *row["chips"]):
            return str(row["firmware"])
    return None


def python_for(matrix: Matrix, row: Versions, installed: Mapping[str, str]) -> str | None:
    """The installed Python where it goes with the rest, else the first of the usual ones that does."""
    if "python" in row:
        return row["python"]
    asked = {key: text for key, text in row.items() if key in ("cann", "torch", "vllm_ascend", "mindspore")}
    present = [installed["python"]] if "python" in installed else []
    for text in (*present, *_PYTHONS):
        pairs = [
            pair
            for pair in query(matrix, {**asked, "python": text}).pairs
            if "python" in (pair.left.component, pair.right.component)
        ]
        if pairs and all(pair.verdict in (Verdict.SUPPORTED, Verdict.CAUTION) for pair in pairs):
            return text
    return None
