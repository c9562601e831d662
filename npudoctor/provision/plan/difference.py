"""How one component differs, and the order of its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.fact import Unavailable
from npudoctor.provision.planned import Change
from npudoctor.versions import Version, VersionError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable

    from npudoctor.fact import Fact

SAME = "same"
INSTALL, UPGRADE, DOWNGRADE, REPAIR, CONFIGURE, REBOOT = (
    "install",
    "upgrade",
    "downgrade",
    "repair",
    "configure",
    "reboot",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """How one component differs.

    Attributes:
        action: `install`, `upgrade`, `downgrade`, `repair` (the right version, not whole), `configure`,
            `reboot` (all is on the disk, something older runs), or `same`.
        before: Its version now; empty where it is not there.
        changes: What differs; empty where nothing does.
        unreadable: Why its version cannot be known; empty where it can.
    """

    action: str
    before: str
    changes: tuple[Change, ...] = ()
    unreadable: str = ""


def same(before: str) -> Difference:
    """Nothing differs."""
    return Difference(SAME, before)


def unknown(what: str, wanted: str, why: str) -> Difference:
    """A version that cannot be read: brought to what is wanted, and told."""
    change = Change(what, "?", wanted, _("the version cannot be read: {why}").format(why=why))
    return Difference(REPAIR, "?", (change,), why)


def moved(what: str, before: str, wanted: str, make: Callable[[str], Version]) -> Difference:
    """From one version to another; the same where they are equal."""
    if not before:
        return Difference(INSTALL, "", (Change(what, "", wanted, _("it is not installed")),))
    place = order(before, wanted, make)
    if place == 0:
        return same(before)
    action = DOWNGRADE if place > 0 else UPGRADE
    return Difference(action, before, (Change(what, before, wanted, _("the stack names another version")),))


def order(before: str, wanted: str, make: Callable[[str], Version]) -> int:
    """Above 0 where `before` is newer; a text that is no version of the series counts as older."""
    try:
        have, want = make(before), make(wanted)
        if have == want:
            return 0
        return 1 if want < have else -1
    except (VersionError, TypeError):
        return 0 if before == wanted else -1


def unreadable(what: str, wanted: str, fact: Fact[Any]) -> Difference | None:
    """None where it is known, or known not to be there."""
    content = fact.content
    if not isinstance(content, Unavailable) or content.reason == "absent":
        return None
    return unknown(what, wanted, content.why)
