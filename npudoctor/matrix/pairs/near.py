"""Conclusions from near by: where no row speaks of a version, the rows of its release or its line may."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from npudoctor.matrix.statement import Statement, Weight, decide
from npudoctor.versions import Cann, Version, VersionError
from npudoctor.words import _

Ask = Callable[[Cann], list[Statement]]


def asked_near(cann: Cann, named: Iterable[str], ask: Ask) -> list[Statement]:
    """What is said of the release that a preview leads to, else of the nearest release of the same line.

    `named` are the CANN versions that rows speak of; `ask` collects what is said of one of them.
    """
    if cann.edition.is_preview:
        return weakened(ask(cann.edition.released()), _preview_note(cann, cann.edition.released()))
    for other in _nearest(cann, named):
        if said := ask(other):
            note = _("No source names CANN {version}; this is said of {other} of the same line.")
            return weakened(said, note.format(version=cann, other=other))
    return []


def _preview_note(version: Version, release: Version) -> str:
    note = _("{version} is a preview of {release}, of which this is said.")
    return note.format(version=version, release=release)


def weakened(said: list[Statement], note: str) -> list[Statement]:
    """What is said of something near by, as a conclusion; nothing of nothing."""
    one = decide(said)
    return [one.weaker(Weight.NEIGHBOUR, note)] if one else []


def _nearest(cann: Cann, named: Iterable[str]) -> list[Cann]:
    """Releases of the same line that rows name: the older ones first, nearest first."""
    line: set[Cann] = set()
    for text in named:
        try:
            other = Cann(text.lstrip("<>="))
        except VersionError:
            continue
        if other.family == cann.family and not other.edition.is_preview:
            line.add(other.edition)
    older = sorted((other for other in line if other < cann.edition), reverse=True)
    return older + sorted(other for other in line if other > cann.edition)
