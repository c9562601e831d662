"""Driver and CANN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.matrix.pairs.driver_cann_fixes import numbered
from npudoctor.matrix.pairs.near import asked_near, weakened
from npudoctor.matrix.pattern import any_speaks_of, speaks_of
from npudoctor.matrix.statement import Grade, Statement, Verdict, Weight, decide, joined
from npudoctor.versions import Cann, Driver, Hdk, driver_version
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stack import Stack

_PAIR_VERDICTS = {
    "matched": (Verdict.SUPPORTED, Weight.PAIR),
    "offered": (Verdict.SUPPORTED, Weight.PAIR),
    "listed": (Verdict.SUPPORTED, Weight.PAIR),
    "recommended": (Verdict.SUPPORTED, Weight.PAIR),
    "accepted": (Verdict.CAUTION, Weight.ACCEPTED),
    "project": (Verdict.CAUTION, Weight.ACCEPTED),
    "runs": (Verdict.CAUTION, Weight.SEEN),
    "reported": (Verdict.CAUTION, Weight.SEEN),
}


def judge(matrix: Matrix, stack: Stack) -> Statement | None:
    """What the rows say of the stack's driver with its CANN; None where they are silent."""
    driver, cann = stack.driver, stack.get("cann", Cann)
    if driver is None or cann is None:
        return None
    return decide(said_of(matrix, driver, cann, stack.family))


def said_of(matrix: Matrix, driver: Driver, cann: Cann, family: str | None) -> list[Statement]:
    """All that is said, from the rows themselves or, where they are silent, from near by."""
    said = [*_direct(matrix, driver, cann, family)]
    if said or not isinstance(driver, Hdk):
        return said
    if driver.is_preview:
        note = _("{version} is a numbered build of driver {release}, of which this is said.")
        released = driver.released()
        return weakened(
            said_of(matrix, released, cann, family), note.format(version=driver, release=released)
        )
    return [*_later_in_line(matrix, driver, cann)] or asked_near(
        cann, _named(matrix), lambda other: [*_direct(matrix, driver, other, family)]
    )


def _later_in_line(matrix: Matrix, driver: Hdk, cann: Cann) -> Iterator[Statement]:
    """A driver that came after one of the same line that goes with this CANN."""
    for row in [*matrix.section("driver_cann_lists"), *matrix.section("driver_cann")]:
        if not speaks_of(row["cann"], cann) or row.get("says", "listed") not in (
            "listed",
            "matched",
            "offered",
        ):
            continue
        listed = row["driver"] if isinstance(row["driver"], list) else [row["driver"]]
        for other in (driver_version(text.upper().removesuffix(".X")) for text in listed):
            if isinstance(other, Hdk) and other.family == driver.family and other < driver:
                note = _("Said of driver {other}, an earlier one of the same line.").format(other=other)
                yield matrix.says(row, Verdict.SUPPORTED, Weight.PAIR, "").weaker(Weight.NEIGHBOUR, note)


def _direct(matrix: Matrix, driver: Driver, cann: Cann, family: str | None) -> Iterator[Statement]:
    yield from _labels(matrix, driver, cann)
    yield from _lists(matrix, driver, cann, family)
    yield from _pairs(matrix, driver, cann, family)
    yield from _ranges(matrix, driver, cann)
    yield from _solutions(matrix, driver, cann)
    yield from _with_mindspore(matrix, driver, cann)
    yield from _declared(matrix, driver, cann)
    yield from _same_as(matrix, driver, cann, family)


def _labels(matrix: Matrix, driver: Driver, cann: Cann) -> Iterator[Statement]:
    for row in matrix.section("driver_labels"):
        if row["says"] == "floor" or not speaks_of(row["cann"], cann) or not speaks_of(row["driver"], driver):
            continue
        if row["says"] == "validated":
            yield matrix.says(row, Verdict.SUPPORTED, Weight.PAIR)
        else:
            yield matrix.says(row, Verdict.UNSUPPORTED, Weight.FAILS)
    yield from _label_floors(matrix, driver, cann)


def _label_floors(matrix: Matrix, driver: Driver, cann: Cann) -> Iterator[Statement]:
    """A floor that is not met. One that is met proves nothing by itself."""
    for row in matrix.section("driver_labels"):
        if row["says"] != "floor" or not speaks_of(row["cann"], cann):
            continue
        below = "<" + row["driver"].lstrip(">=")
        if speaks_of(below, driver):
            yield matrix.says(row, Verdict.UNSUPPORTED, Weight.FLOOR)


def _lists(matrix: Matrix, driver: Driver, cann: Cann, family: str | None) -> Iterator[Statement]:
    if not isinstance(driver, Hdk):
        return
    for row in matrix.section("driver_cann_lists"):
        if not speaks_of(row["cann"], cann) or _apart(row, driver, family):
            continue
        if any_speaks_of(row["driver"], driver):
            yield matrix.says(
                row, Verdict.SUPPORTED, Weight.LIST, _("On the list of CANN {cann}.").format(cann=row["cann"])
            )
        elif any_speaks_of(row.get("excluded", ()), driver):
            note = _("The list of CANN {cann} marks this driver N.").format(cann=row["cann"])
            yield matrix.says(
                row, Verdict.UNSUPPORTED, Weight.EXPLICIT_NO, joined([note, _(row.get("note", ""))])
            )
        elif driver.is_preview or _came_later(row["driver"], driver):
            continue
        else:
            note = _("The list of CANN {cann} names every driver that it works with; this one is not on it.")
            text = joined([note.format(cann=row["cann"]), _(row.get("note", ""))])
            yield matrix.says(row, Verdict.UNSUPPORTED, Weight.LIST, text)


def _apart(row: dict[str, Any], driver: Hdk, family: str | None) -> bool:
    """Whether this is a driver of 950 hardware that the list leaves to other pages."""
    return family in (None, "950") and any_speaks_of(row.get("apart", ()), driver)


def _came_later(patterns: list[str], driver: Hdk) -> bool:
    """Whether the driver came after the list: above all that it names, at least of this line."""
    listed = [numbered(pattern) for pattern in patterns]
    line = [other for other in listed if other.family == driver.family]
    return all(driver > other for other in line or listed)


def _pairs(matrix: Matrix, driver: Driver, cann: Cann, family: str | None) -> Iterator[Statement]:
    for row in matrix.section("driver_cann"):
        if not speaks_of(row["cann"], cann) or not speaks_of(row["driver"], driver):
            continue
        verdict, weight = _PAIR_VERDICTS[row["says"]]
        chips = row.get("chips")
        said = matrix.says(row, verdict, weight, grade=_pair_grade(row))
        if not chips or family is None or family in chips:
            yield said
        elif row["says"] != "reported":
            note = _("Said of {chips}, not of this chip.").format(chips=", ".join(chips))
            yield said.weaker(Weight.OTHER_CHIP, note)


def _pair_grade(row: dict[str, Any]) -> Grade | None:
    """What was seen running is a field report, whoever tells it."""
    return Grade.FIELD if row["says"] in ("runs", "reported", "project") else None


def _ranges(matrix: Matrix, driver: Driver, cann: Cann) -> Iterator[Statement]:
    for row in matrix.section("driver_cann_ranges"):
        if not any_speaks_of(row["cann"], cann) or not any_speaks_of(row["driver"], driver):
            continue
        if len(row["cann"]) == 1:
            note = _("In the driver range that {component} states for CANN {cann}.")
            yield matrix.says(
                row, Verdict.SUPPORTED, Weight.RANGE, note.format(component=row["component"], cann=cann)
            )
        else:
            note = _("{component} takes both, which does not say that each pair works.")
            yield matrix.says(row, Verdict.CAUTION, Weight.COMPONENT, note.format(component=row["component"]))


def _solutions(matrix: Matrix, driver: Driver, cann: Cann) -> Iterator[Statement]:
    """An Ascend solution carries both."""
    for row in matrix.section("solutions"):
        if "driver" in row and speaks_of(row["driver"], driver) and speaks_of(row["cann"], cann):
            note = _("Ascend solution {solution} carries both.").format(solution=row["solution"])
            yield matrix.says(row, Verdict.SUPPORTED, Weight.PAIR, note)


def _with_mindspore(matrix: Matrix, driver: Driver, cann: Cann) -> Iterator[Statement]:
    """MindSpore and MindFormers name driver and CANN together."""
    for row in matrix.section("mindspore"):
        if not any_speaks_of(row.get("driver", ()), driver) or not any_speaks_of(row["cann"], cann):
            continue
        if row["says"] == "matched":
            note = _("MindFormers {version} names both.").format(version=row.get("mindformers", "?"))
            yield matrix.says(row, Verdict.SUPPORTED, Weight.PAIR, note)
        elif row["says"] == "tested":
            note = _("MindSpore results were produced so.")
            yield matrix.says(row, Verdict.CAUTION, Weight.SEEN, note, Grade.FIELD)


def _declared(matrix: Matrix, driver: Driver, cann: Cann) -> Iterator[Statement]:
    """What each side declares about the other. A newer partner missing from a list is no proof."""
    for row in matrix.section("declared"):
        text = ""
        if row["component"] == "cann" and speaks_of(row["version"], cann):
            note = _("The install file of CANN {version} lists this driver's {baseline}; not a matched pair.")
            text = _declares(note, row["version"], _shared(matrix, "driver", row.get("driver", ()), driver))
        elif row["component"] == "driver" and speaks_of(row["version"], driver):
            note = _("The driver {version} lists this CANN's {baseline}; not a matched pair.")
            text = _declares(note, row["version"], _shared(matrix, "cann", row.get("cann", ()), cann))
        if text:
            yield matrix.says(row, Verdict.CAUTION, Weight.DECLARED, text, Grade.INFERRED)


def _declares(note: str, version: str, baseline: str | None) -> str:
    if baseline is None:
        return ""
    return note.format(version=version, baseline=baseline)


def _shared(matrix: Matrix, component: str, listed: Any, version: Driver | Cann) -> str | None:
    """The baseline of the version that is on the list."""
    for row in matrix.section("baselines"):
        named = row["baseline"] in listed and not row.get("restarted")
        if named and any_speaks_of(row.get(component, ()), version):
            return str(row["baseline"])
    return None


def _same_as(matrix: Matrix, driver: Driver, cann: Cann, family: str | None) -> Iterator[Statement]:
    for row in matrix.section("cann_same_driver"):
        if not speaks_of(row["cann"], cann):
            continue
        if one := decide([*_direct(matrix, driver, Cann(row["same_as"]), family)]):
            yield _with(matrix.says(row, one.verdict, one.weight), one)


def _with(said: Statement, one: Statement) -> Statement:
    grade = max(said.grade, one.grade, key=list(Grade).index)
    note = joined([said.note, one.note])
    return Statement(one.verdict, grade, one.weight, said.rows + one.rows, said.sources + one.sources, note)


def _named(matrix: Matrix) -> Iterator[str]:
    for section in ("driver_cann", "driver_cann_lists", "cann_same_driver"):
        yield from (row["cann"] for row in matrix.section(section))
