"""What to take where a driver and a CANN do not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.matrix.pattern import any_speaks_of, speaks_of
from npudoctor.versions import Cann, Driver, DriverLabel, Hdk
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stack import Stack


def fixes(matrix: Matrix, stack: Stack) -> list[str]:
    """Drivers that this CANN takes, and CANN releases that this driver takes."""
    driver, cann = stack.driver, stack.get("cann", Cann)
    if driver is None or cann is None:
        return []
    return [
        *_drivers_for(matrix, driver, cann, stack.family),
        *_canns_for(matrix, driver, cann, stack.family),
    ]


def _drivers_for(matrix: Matrix, driver: Driver, cann: Cann, family: str | None) -> list[str]:
    labels = [*_labels_for(matrix, driver, cann)] if isinstance(driver, DriverLabel) else []
    for row in matrix.section("driver_cann_lists"):
        if speaks_of(row["cann"], cann.edition.released()):
            return labels + _of_list(row["driver"], driver)
    rows = [row for row in _matched(matrix, family) if speaks_of(row["cann"], cann.edition.released())]
    return labels + [f"driver {row['driver']}" for row in rows]


def _of_list(listed: list[str], driver: Driver) -> list[str]:
    """The lowest driver of the list for an older one; else the listed ones, the nearest first."""
    ordered = sorted(listed, key=numbered)
    if not isinstance(driver, Hdk) or driver < numbered(ordered[0]):
        return [f"driver>={ordered[0].upper().removesuffix('.X')}"]
    others = [text for text in ordered if not speaks_of(text, driver)]
    above = [text for text in others if numbered(text) > driver]
    below = [text for text in reversed(others) if numbered(text) <= driver]
    near = sorted([*above, *below], key=lambda text: numbered(text).family != driver.family)
    return [f"driver {text}" for text in near[:3]]


def numbered(text: str) -> Hdk:
    """The number that a driver pattern begins with: `25.5` of `25.5.X`."""
    return Hdk(text.upper().removesuffix(".X"))


def _labels_for(matrix: Matrix, driver: Driver, cann: Cann) -> Iterator[str]:
    """Within the old label series, as the founding report names them."""
    for row in matrix.section("driver_labels"):
        if not speaks_of(row["cann"], cann) or speaks_of(row["driver"], driver):
            continue
        if row["says"] in ("validated", "floor"):
            yield "driver" + (row["driver"] if row["says"] == "floor" else f" {row['driver']}")


def silence(matrix: Matrix, stack: Stack) -> str:
    """A floor that is met proves nothing, but is worth a word."""
    driver, cann = stack.driver, stack.get("cann", Cann)
    if driver is None or cann is None:
        return ""
    for row in matrix.section("driver_labels"):
        if row["says"] == "floor" and speaks_of(row["cann"], cann) and speaks_of(row["driver"], driver):
            return _("It meets a floor, which is no proof: {note}").format(
                note=row.get("note", row["driver"])
            )
    return ""


def _canns_for(matrix: Matrix, driver: Driver, cann: Cann, family: str | None) -> list[str]:
    """The nearest CANN that goes with the driver: the next older one (of a preview: its release), else the
    next newer one.

    A label of the old series has only the CANN that it was validated with: the packages of that number are
    matched to a CANN that nobody should go back to.
    """
    if isinstance(driver, DriverLabel):
        rows = [row for row in matrix.section("driver_labels") if row["says"] == "validated"]
    else:
        rows = [*_matched(matrix, family), *matrix.section("driver_cann_lists")]
    found = {_cann_of(row["cann"]): row["cann"] for row in rows if _takes(row, driver)}
    others = {version: text for version, text in found.items() if not speaks_of(text, cann)}
    if cann.edition.is_preview and (release := others.get(cann.edition.released())):
        return [f"cann {release}"]
    older = sorted(version for version in others if version < cann)[-1:]
    newer = sorted(version for version in others if version > cann)[:1]
    return [f"cann {others[version]}" for version in older or newer]


def _takes(row: dict[str, Any], driver: Driver) -> bool:
    listed = row["driver"] if isinstance(row["driver"], list) else [row["driver"]]
    return any_speaks_of(listed, driver)


def _cann_of(text: str) -> Cann:
    return Cann(text.upper().removesuffix(".X"))


def _matched(matrix: Matrix, family: str | None) -> list[dict[str, Any]]:
    rows = [
        row for row in matrix.section("driver_cann") if row["says"] in ("matched", "offered", "recommended")
    ]
    return [row for row in rows if not row.get("chips") or family is None or family in row["chips"]]
