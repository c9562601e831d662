"""Which drivers the NPUs of a host take: a forecast, by the rules of the driver's own installer."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.dataclass import dataclass
from npudoctor.fact import Unavailable
from npudoctor.versions import Hdk, VersionError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.provision.plan.flash import Flash

_BY_FLASH = ("910B", "A3", "950")
"""Families whose flash says what it asks for."""
_BY_PARTS = "910B"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a driver would be refused, and the least that would not be; that is empty where nobody knows it."""

    why: str
    least: str


def refusals(driver: str, family: str, flash: Flash) -> Iterator[Refusal]:
    """Every reason for which NPUs of a family refuse a driver."""
    try:
        wanted = Hdk(driver)
    except VersionError:
        return
    if family in _BY_FLASH:
        yield from _by_flash(wanted, flash)
    if family == _BY_PARTS:
        for row in _table()["parts"]:
            least = row["release"] if _is_release(wanted) else row["candidate"]
            if _has(row, flash) and wanted < Hdk(least):
                yield Refusal(_PARTS[row["part"]](row), least)


def _by_flash(wanted: Hdk, flash: Flash) -> Iterator[Refusal]:
    base = flash.base.or_none()
    if base is None or base.driver == 0:
        return
    least = _least(base.driver, flash)
    if least is not None and wanted < Hdk(least):
        yield Refusal(_("the base version in their flash is {number}").format(number=base.driver), least)


def unknown_because(family: str, flash: Flash) -> str:
    """Why nobody can tell what the flash lets in; empty where it can be told."""
    content = flash.base.content
    if family not in _BY_FLASH:
        return ""
    if isinstance(content, Unavailable):
        return content.why
    if content.driver and _least(content.driver, flash) is None:
        return _("base version {number} is not in any list").format(number=content.driver)
    return ""


def _least(capability: int, flash: Flash) -> str | None:
    """The first driver whose capability is high enough; the installed driver's own list counts first."""
    drivers = {**_drivers(), **flash.capabilities}
    fitting = [number for number in drivers if number >= capability]
    return drivers[min(fitting)] if fitting else None


def _is_release(version: Hdk) -> bool:
    """Whether it is of a line x.y.z, and not a candidate: `25.5.0`, not `24.1.rc2`."""
    return "rc" not in version.text.lower()


def _has(row: Mapping[str, Any], flash: Flash) -> bool:
    if row["part"] == "cdr":
        return row["maker"] in (flash.cdr.or_none() or ())
    wanted = (row["board"], row["maker"], row["mhz"])
    return any((one.board, one.maker, one.mhz) == wanted for one in flash.memory)


def _cdr_words(row: Mapping[str, Any]) -> str:
    return _("they have the clock part {maker}").format(maker=row["maker"])


def _hbm_words(row: Mapping[str, Any]) -> str:
    words = _("boards {board} with HBM of maker {maker} at {mhz} MHz")
    return words.format(board=row["board"], maker=row["maker"], mhz=row["mhz"])


_PARTS = {"cdr": _cdr_words, "hbm": _hbm_words}


def _drivers() -> dict[int, str]:
    return {row["capability"]: row["driver"] for row in _table()["drivers"]}


@cache
def _table() -> dict[str, Any]:
    content: dict[str, Any] = load(Path(__file__).with_name("capabilities.yaml")).content
    return content
