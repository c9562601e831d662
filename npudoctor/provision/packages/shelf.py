"""A place of packages as a plan asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.packages.find import Found, Need, Search, State, look_for, needs
from npudoctor.provision.packages.place import default_store, open_place
from npudoctor.provision.packages.seen import Memory
from npudoctor.provision.plan.shelf import Condition, Package
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.matrix.stacks import NamedStack
    from npudoctor.provision.components import Component
    from npudoctor.provision.packages.place import Place

_CONDITIONS = {
    State.FOUND: Condition.HERE,
    State.UNREAD: Condition.HERE,
    State.MISSING: Condition.MISSING,
    State.DAMAGED: Condition.DAMAGED,
}


class PlaceShelf:
    """Packages of one place; each is looked for once, however many hosts need it.

    Attributes:
        found: Every package that was found, by its SHA-256.
    """

    def __init__(self, place: Place | None) -> None:
        """None: there is no place, and nothing is at hand."""
        self.found: dict[str, Found] = {}
        self._search = Search(place, Memory()) if place else None
        self._known: dict[tuple[Need, ...], tuple[Package, ...]] = {}

    @property
    def files(self) -> dict[str, tuple[str, int]]:
        """Name and size of what was found, by its SHA-256."""
        return {sha256: (one.name, one.size or 0) for sha256, one in self.found.items()}

    def packages(self, component: Component, stack: NamedStack, arch: str) -> tuple[Package, ...]:
        """The files that a component of a stack needs on hosts of an architecture."""
        wanted = tuple(needs(stack, arch, (component.name,)))
        if wanted not in self._known:
            self._known[wanted] = tuple(self._looked_for(wanted, component, stack, arch))
        return self._known[wanted]

    def _looked_for(
        self, wanted: tuple[Need, ...], component: Component, stack: NamedStack, arch: str
    ) -> Iterator[Package]:
        if self._search is None:
            nowhere = (need.file for need in wanted)
            yield from (Package(file.name, "", 0, Condition.MISSING, file.optional) for file in nowhere)
            return
        for found in look_for(self._search, stack, arch, (component.name,)):
            package = _package(found)
            if package.condition is Condition.HERE:
                self.found[package.sha256] = found
            yield package


def open_shelf(text: str | None) -> PlaceShelf:
    """The place that a person names; the store of this user where none is named and that is there.

    Raises:
        UsageError: It is no folder, or a store with a damaged manifest.
        IncompleteError: Nothing answers at the URL.
    """
    if text is not None:
        return PlaceShelf(open_place(text))
    store = default_store()
    return PlaceShelf(open_place(str(store)) if store.is_dir() else None)


def _package(found: Found) -> Package:
    condition, why = _CONDITIONS[found.state], found.why
    if found.state is State.UNREAD and not (found.sha256 and found.size):
        condition, why = Condition.MISSING, _("its digest is not known: npudoctor provision store build")
    here = condition is Condition.HERE
    return Package(
        name=found.name,
        sha256=found.sha256 if here else "",
        size=found.size or 0,
        condition=condition,
        optional=found.need.file.optional,
        why=why,
    )
