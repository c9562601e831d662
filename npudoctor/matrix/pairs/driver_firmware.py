"""Driver and firmware: one firmware line a chip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.matrix.pattern import is_exact, speaks_of
from npudoctor.matrix.statement import Statement, Verdict, Weight, decide
from npudoctor.versions import Driver, Firmware, driver_version
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stack import Stack


def judge(matrix: Matrix, stack: Stack) -> Statement | None:
    """What the rows say of the stack's driver with its firmware; None where they are silent."""
    driver, firmware = stack.driver, stack.get("firmware", Firmware)
    if driver is None or firmware is None:
        return None
    said = [
        *_pairs(matrix, driver, firmware, stack.family),
        *_declared(matrix, driver, firmware, stack.family),
    ]
    said = (
        said
        or [*_others(matrix, driver, stack.family)]
        or [*_same_line(matrix, driver, firmware, stack.family)]
    )
    return decide(said)


def _same_line(matrix: Matrix, driver: Driver, firmware: Firmware, family: str | None) -> Iterator[Statement]:
    """The firmware of another driver of the same line on this chip."""
    for row in matrix.section("driver_firmware"):
        if not is_exact(row.get("firmware", "none"), firmware) or family not in (None, *row["chips"]):
            continue
        other = driver_version(row["driver"])
        if type(other) is type(driver) and other.family == driver.family:
            note = _("Said of driver {other} of the same line.").format(other=other)
            yield matrix.says(row, Verdict.SUPPORTED, Weight.PAIR).weaker(Weight.NEIGHBOUR, note)


def _pairs(matrix: Matrix, driver: Driver, firmware: Firmware, family: str | None) -> Iterator[Statement]:
    for row in matrix.section("driver_firmware"):
        if not is_exact(row["driver"], driver) or not is_exact(row.get("firmware", "none"), firmware):
            continue
        said = matrix.says(row, Verdict.SUPPORTED, Weight.PAIR)
        if family is None or family in row["chips"]:
            yield said
        elif not _known_for(matrix, driver, family):
            note = _("Sources name this pair for {chips}, and none for this chip.")
            yield said.weaker(Weight.OTHER_CHIP, note.format(chips=", ".join(row["chips"])))


def _known_for(matrix: Matrix, driver: Driver, family: str | None) -> list[dict[str, Any]]:
    """Rows that name a firmware for this driver on this chip."""
    return [
        row
        for row in matrix.section("driver_firmware")
        if "firmware" in row
        and is_exact(row["driver"], driver)
        and (family is None or family in row["chips"])
    ]


def _others(matrix: Matrix, driver: Driver, family: str | None) -> Iterator[Statement]:
    for row in _known_for(matrix, driver, family):
        note = _("The pair of driver {driver} on {chips} is firmware {firmware}.")
        text = note.format(driver=driver, chips=", ".join(row["chips"]), firmware=row["firmware"])
        yield matrix.says(row, Verdict.CAUTION, Weight.DECLARED, text)


def _declared(matrix: Matrix, driver: Driver, firmware: Firmware, family: str | None) -> Iterator[Statement]:
    accepted = [*_accepted(matrix, driver, firmware)]
    yield from accepted
    ranges = [row for row in _driver_files(matrix, driver, family) if row.get("firmware")]
    inside = [row for row in ranges if any(_inside(span, firmware) for span in row["firmware"])]
    if inside:
        note = _("In the firmware range {spans} that the driver declares; not the matched pair.")
        yield from (_declares(matrix, row, Verdict.CAUTION, Weight.DECLARED, note) for row in inside)
        yield from _others(matrix, driver, family)
    elif ranges and not accepted and all(_below(row["firmware"], firmware) for row in ranges):
        note = _("Older than the firmware range {spans} that the driver declares.")
        yield from (_declares(matrix, row, Verdict.UNSUPPORTED, Weight.FLOOR, note) for row in ranges)


def _accepted(matrix: Matrix, driver: Driver, firmware: Firmware) -> Iterator[Statement]:
    """The firmware's own list of drivers: prefixes, where X is X itself or what begins with X and a dot."""
    text = str(driver).lower()
    for row in matrix.section("declared"):
        if row["component"] != "firmware" or not is_exact(row["version"], firmware):
            continue
        if any(text == prefix or text.startswith(prefix + ".") for prefix in row["prefixes"]):
            note = _("The firmware declares drivers {prefixes}; not the matched pair.")
            text_ = note.format(prefixes=", ".join(row["prefixes"]))
            yield matrix.says(row, Verdict.CAUTION, Weight.DECLARED, text_)


def _driver_files(matrix: Matrix, driver: Driver, family: str | None) -> list[dict[str, Any]]:
    rows = [row for row in matrix.section("declared") if row["component"] == "driver"]
    rows = [row for row in rows if speaks_of(row["version"], driver)]
    return [row for row in rows if family is None or family in row.get("chips", [family])]


def _declares(matrix: Matrix, row: dict[str, Any], verdict: Verdict, weight: Weight, note: str) -> Statement:
    return matrix.says(row, verdict, weight, note.format(spans=", ".join(row["firmware"])))


def _inside(span: str, firmware: Firmware) -> bool:
    low, _dash, high = span.partition("-")
    return Firmware(low) <= firmware <= Firmware(high)


def _below(spans: list[str], firmware: Firmware) -> bool:
    return all(firmware < Firmware(span.partition("-")[0]) for span in spans)


def fixes(matrix: Matrix, stack: Stack) -> list[str]:
    """The firmware that goes with this driver on this chip."""
    driver = stack.driver
    if driver is None:
        return []
    return [f"firmware {row['firmware']}" for row in _known_for(matrix, driver, stack.family)]
