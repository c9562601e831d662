"""The packages of a stack, and a store, as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.packages.find import Found, State
from npudoctor.report.width import columns, wrap
from npudoctor.words import N_, _, ngettext

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from npudoctor.provision.packages.manifest import Entry
    from npudoctor.provision.packages.verify import Verified

_WIDTH = 100
_INDENT = "    "
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
    "none": N_("nobody"),
}


def packages_text(found: Sequence[Found], sources: dict[str, str]) -> Iterator[str]:
    """One row a file; below it what is known of it, what is wrong, or where it is published."""
    rows = [(one.need.component, _state(one), one.name) for one in found]
    heads = (_("component"), _("state"), _("file"))
    yield from table(heads, rows, [list(_notes(one, sources.get(one.name))) for one in found])


def table(
    heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], notes: Sequence[Sequence[str]]
) -> Iterator[str]:
    """Columns as wide as they must be; notes stand below: the name of a file takes half of a line."""
    widths = [max(columns(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    for row, below in zip((heads, *rows), ([], *notes), strict=True):
        cells = (cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
        for note in below:
            yield from _note(note)


def _note(text: str) -> list[str]:
    """What ends in a URL stays on one line: it would not be narrower on two."""
    return [_INDENT + text] if "://" in text else wrap(text, _WIDTH, _INDENT, _INDENT)


def entries_text(entries: Iterable[Entry]) -> Iterator[str]:
    """The packages of a manifest."""
    kept = list(entries)
    rows = [(one.component, one.version, one.name) for one in kept]
    notes = [[_known(one.size, one.sha256, one.proof)] for one in kept]
    yield from table((_("component"), _("version"), _("file")), rows, notes)


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


def _state(one: Found) -> str:
    if one.state is State.MISSING and one.need.file.optional:
        return _("missing (optional)")
    return _(_STATES[one.state])


def _notes(one: Found, url: str | None) -> Iterator[str]:
    if one.state is State.FOUND:
        yield _known(one.size, one.sha256, one.proof)
    if one.why:
        yield one.why
    if url is not None:
        yield _("published at {url}").format(url=url)


def _known(size: int | None, sha256: str, proof: str) -> str:
    text = _("{size}, sha256 {sha256}, vouched for by: {whom}")
    return text.format(size=size_text(size), sha256=sha256[:16], whom=_(_PROOFS[proof]))
