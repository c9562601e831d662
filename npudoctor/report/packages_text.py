"""The packages of a stack, and a store, as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.packages.find import Found, State
from npudoctor.report.width import columns
from npudoctor.words import N_, _, ngettext

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from npudoctor.provision.packages.manifest import Entry
    from npudoctor.provision.packages.verify import Verified

_STATES = {
    State.FOUND: N_("found"),
    State.MISSING: N_("missing"),
    State.DAMAGED: N_("damaged"),
    State.UNREAD: N_("there, not read yet"),
}
_PROOFS = {
    "site": N_("list of this site"),
    "published": N_("published digest"),
    "archive": N_("out of a published archive"),
    "sums": N_("list of digests beside it"),
    "itself": N_("its own checksum"),
    "none": N_("nobody vouches for it"),
}


def packages_text(found: Iterable[Found], sources: dict[str, str]) -> Iterator[str]:
    """One row a file; below it, what is wrong, or where it is published."""
    rows = [_row(one) for one in found]
    heads = (_("component"), _("state"), _("file"), _("size"), _("sha256"), _("vouched for by"))
    yield from table(heads, [row for row, _notes in rows], [notes for _row_, notes in rows], sources)


def table(
    heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], notes: list[str], sources: dict[str, str]
) -> Iterator[str]:
    """Columns as wide as they must be; a note stands below its row."""
    widths = [max(columns(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    for row, note in zip((heads, *rows), ("", *notes), strict=True):
        cells = (cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
        if note:
            yield f"    {note}"
        if (url := sources.get(row[2])) is not None:
            yield "    " + _("published at {url}").format(url=url)


def entries_text(entries: Iterable[Entry]) -> Iterator[str]:
    """The packages of a manifest."""
    rows = [
        (one.component, one.version, one.name, size_text(one.size), one.sha256[:16], _(_PROOFS[one.proof]))
        for one in entries
    ]
    heads = (_("component"), _("version"), _("file"), _("size"), _("sha256"), _("vouched for by"))
    yield from table(heads, rows, [""] * len(rows), {})


def verified_text(verified: Verified) -> Iterator[str]:
    """What is wrong with a store, and what it is."""
    for problem in verified.problems:
        yield _("damaged: {name}: {what}").format(name=problem.name, what=problem.what)
    for place in verified.strays:
        yield _("not in the manifest, and never used: {place}").format(place=place)
    manifest = verified.manifest
    size = sum({entry.sha256: entry.size for entry in manifest.entries}.values())
    number = len(manifest.entries)
    told = ngettext(
        "{number} package, {size}, manifest {digest}", "{number} packages, {size}, manifest {digest}", number
    )
    yield told.format(number=number, size=size_text(size), digest=manifest.sha256)


def size_text(size: int | None) -> str:
    """A size as a person reads it: `1.2 GB` (10^9 bytes)."""
    if size is None:
        return "?"
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size} B"


def _row(one: Found) -> tuple[tuple[str, ...], str]:
    state = _(_STATES[one.state])
    if one.state is State.MISSING and one.need.file.optional:
        state = _("missing (optional)")
    proof = _(_PROOFS[one.proof]) if one.state is State.FOUND else ""
    size = size_text(one.size) if one.size is not None else ""
    return (one.need.component, state, one.name, size, one.sha256[:16], proof), one.why
