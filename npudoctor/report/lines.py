"""Lines of the text report: a finding in full, in one line, or many that lack the same thing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from npudoctor.checks.registry import AREAS
from npudoctor.finding import Finding, Status
from npudoctor.report.told import found, proof_lines
from npudoctor.report.width import clip, wrap
from npudoctor.words import _, ngettext

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from npudoctor.report.style import Style

INDENT = " " * 8
TOLD = (Status.FAIL, Status.UNKNOWN, Status.WARN, Status.WAIVED)
_EVIDENCE_SHOWN = 3
_IDS_SHOWN = 24


def area_of(finding: Finding) -> int:
    """The place of its area: the chips before the host under them."""
    area = finding.id.partition(".")[0]
    return AREAS.index(area) if area in AREAS else len(AREAS)  # a report of a later version is shown too


def line(style: Style, status: Status, text: str) -> list[str]:
    """A status and a sentence."""
    first, *rest = wrap(text, style.width, INDENT, INDENT)
    return [f"{style.word(status)} {first[len(INDENT) :]}", *rest]


def short(finding: Finding, style: Style) -> list[str]:
    """A finding in one line."""
    return line(style, finding.status, f"{finding.id}: {finding.actual}")


def full(finding: Finding, style: Style, where: str = "") -> Iterator[str]:
    """A finding with its evidence and its fix; `where` names the hosts, of many."""
    title = " ".join(part for part in (where, finding.title) if part)
    gap = " " if where else "  "
    first, *rest = wrap(title, style.width, f"{INDENT}{finding.id}{gap}", INDENT)
    yield f"{style.word(finding.status)} {style.bold(finding.id)}{first[len(INDENT + finding.id) :]}"
    yield from rest
    if said := found(finding):
        yield from wrap(said, style.width, INDENT, INDENT)
    yield from _evidence(finding, style)
    if finding.waiver:
        yield from wrap(_("waived: {reason}").format(reason=finding.waiver), style.width, INDENT, INDENT)
    yield from _fix(finding, style)


def ids_told(ids: Collection[str]) -> str:
    """The ids, or where they would fill the screen how many of each area."""
    if len(ids) <= _IDS_SHOWN:
        return ", ".join(ids)
    areas = Counter(id.partition(".")[0] for id in ids)
    listed = ", ".join(f"{area} {number}" for area, number in areas.items())
    return _("{areas} (-v names them)").format(areas=listed)


def reason_of(finding: Finding) -> str:
    """Why it is unknown, without the place where it was looked for: the same reason has many places."""
    for proof in finding.evidence:
        if proof.source and finding.actual.startswith(f"{proof.source}: "):
            return finding.actual[len(proof.source) + 2 :]
    return finding.actual


def _evidence(finding: Finding, style: Style) -> Iterator[str]:
    lines = list(proof_lines(finding))
    shown = lines if style.verbose else lines[:_EVIDENCE_SHOWN]
    for proof in shown:
        bare = " ".join(proof.split())  # a table's blanks are of no use in one line of it
        text = bare if style.verbose else clip(bare, 3 * style.width)
        yield from map(style.dim, wrap(text, style.width, f"{INDENT}| ", f"{INDENT}|   "))
    if len(shown) < len(lines):
        left = len(lines) - len(shown)
        more = ngettext("and {count} more line (-v shows it)", "and {count} more lines (-v shows them)", left)
        yield style.dim(f"{INDENT}| {more.format(count=left)}")


def _fix(finding: Finding, style: Style) -> Iterator[str]:
    if finding.fix is None:
        return
    summary = f"{finding.fix.summary} [{finding.fix.action.value}]"
    yield from wrap(summary, style.width, f"{INDENT}→ ", f"{INDENT}  ")
    for edit in finding.fix.edits:
        yield from (f"{INDENT}  - {line.strip()}" for line in edit.before.splitlines())
        yield from (f"{INDENT}  + {line.strip()}" for line in edit.after.splitlines())
    yield from (f"{INDENT}  $ {command}" for command in finding.fix.commands)
