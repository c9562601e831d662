"""The report as GitHub-flavoured Markdown that fits a pull-request comment: a table, the details folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.finding import Finding, Status
from npudoctor.regex import regex
from npudoctor.report.report import count
from npudoctor.report.told import found, proof_lines, waivers_told
from npudoctor.words import _, ngettext

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.report.report import HostReport, Report
    from npudoctor.report.style import Style

ROOM = 60_000
"""Characters in UTF-16 that the table and the details may take; a comment on GitHub holds 65,536."""
_ROOM_OF_TABLE = ROOM // 2
_PROOFS = 10
_WIDE = 300
_NAMED = 3
_TOLD = (Status.FAIL, Status.UNKNOWN, Status.WARN, Status.WAIVED)
_COUNTED = (*_TOLD, Status.PASS, Status.SKIP)
_MARKS = {Status.FAIL: "🔴", Status.UNKNOWN: "🟣", Status.WARN: "🟡", Status.WAIVED: "⚪"}
_SPECIAL = regex(r"[&<|*\[\]`@#~\\$]|^>|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_CONTROL = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FENCE = regex(r"`+")


@dataclass(frozen=True, slots=True)
class Group:
    """What is the same on several hosts, or one place of a file.

    Attributes:
        finding: As the first host has it.
        places: The first hosts, or the file and the line.
        others: How many hosts more.
    """

    finding: Finding
    places: tuple[str, ...]
    others: int = 0


def to_markdown(report: Report, _style: Style, _ending: str) -> Iterator[str]:
    """The whole report; where it is too long for a comment the rest is counted."""
    numbers = count(report.findings)
    counts = ", ".join(f"{numbers[status]} {status.value}" for status in _COUNTED if numbers[status])
    said = counts or _("no checks ran")
    yield f"## npudoctor: {said}\n"
    yield from (f"- {one_line(host.name)}: {one_line(host.error or '')}\n" for host in _unread(report.hosts))
    groups = _groups(report)
    if groups:
        yield from _fitting([_row(group) for group in groups], _ROOM_OF_TABLE, _head())
        yield from _fitting([_details(group) for group in groups], ROOM - _ROOM_OF_TABLE, "\n")
    yield from (f"\n{one_line(told)}\n" for told in waivers_told(report.waivers))
    hosts = _("hosts: {count}").format(count=len(report.hosts))
    parts = (hosts, f"npudoctor {report.version}", f"matrix {report.matrix_updated}", report.when)
    yield f"\n<sub>{one_line(' · '.join(part for part in parts if part))}</sub>\n"


def _unread(hosts: Iterable[HostReport]) -> Iterator[HostReport]:
    """The first hosts that could not be read."""
    left = 10 * _NAMED
    for host in hosts:
        if host.error and left:
            left -= 1
            yield host


def _groups(report: Report) -> list[Group]:
    """Worst first; of many hosts one group for a check, of files one for each place."""
    groups: dict[tuple[str, ...], Group] = {}
    for host in report.hosts:
        for finding in host.findings:
            if finding.status in _TOLD:
                _add(groups, finding, host)
    for finding in report.fleet:
        if finding.status in _TOLD:
            groups["fleet", finding.id, finding.status] = Group(finding, (_("all hosts"),))
    return sorted(groups.values(), key=lambda group: (_TOLD.index(group.finding.status), -group.others))


def _add(groups: dict[tuple[str, ...], Group], finding: Finding, host: HostReport) -> None:
    place = _place(finding, host)
    key = (finding.id, finding.status, place if host.source == "files" else "")
    group = groups.get(key)
    if group is None:
        groups[key] = Group(finding, (place,))
    elif len(group.places) < _NAMED:
        groups[key] = Group(group.finding, (*group.places, place))
    else:
        groups[key] = Group(group.finding, group.places, group.others + 1)


def _place(finding: Finding, host: HostReport) -> str:
    line = next((proof.line for proof in finding.evidence if proof.source == host.name), None)
    return host.name if line is None else f"{host.name}:{line}"


def _head() -> str:
    titles = (_("status"), _("check"), _("where"), _("found"))
    return "\n| " + " | ".join(titles) + " |\n| --- | --- | --- | --- |\n"


def _row(group: Group) -> str:
    finding = group.finding
    cells = (
        f"{_MARKS[finding.status]} {finding.status.value}",
        f"<code>{one_line(finding.id)}</code>",
        one_line(_where(group)),
        one_line(_clipped(finding.waiver or finding.actual)),
    )
    return "| " + " | ".join(cells) + " |\n"


def _where(group: Group) -> str:
    named = ", ".join(group.places)
    return _("{named} and {count} more").format(named=named, count=group.others) if group.others else named


def _details(group: Group) -> str:
    finding = group.finding
    head = (
        f"<b>{finding.status.value.upper()}</b> <code>{one_line(finding.id)}</code> {one_line(finding.title)}"
    )
    lines = [f"<details><summary>{head}</summary>", "", one_line(_clipped(found(finding), 3 * _WIDE)), ""]
    if finding.waiver:
        lines += [one_line(_("waived: {reason}").format(reason=finding.waiver)), ""]
    lines += _block("text", _proofs(finding))
    if finding.fix:
        lines += [f"{one_line(finding.fix.summary)} [{finding.fix.action.value}]", ""]
        lines += _block("sh", finding.fix.commands)
    for edit in finding.fix.edits if finding.fix else ():
        old = [f"-{line}" for line in edit.before.splitlines()]
        new = [f"+{line}" for line in edit.after.splitlines()]
        lines += _block("diff", [f"@@ {edit.path}:{edit.line} @@", *old, *new])
    return "\n".join([*lines, "</details>", "", ""])


def _proofs(finding: Finding) -> list[str]:
    lines = [_clipped(line) for line in proof_lines(finding)]
    if len(lines) > _PROOFS:
        left = len(lines) - _PROOFS
        more = ngettext("and {count} more line", "and {count} more lines", left)
        return [*lines[:_PROOFS], more.format(count=left)]
    return lines


def _block(kind: str, lines: Iterable[str]) -> list[str]:
    """A code block whose fence is longer than any in it."""
    text = _CONTROL.sub("", "\n".join(lines))
    if not text:
        return []
    fence = "`" * max(3, 1 + max(map(len, _FENCE.findall(text)), default=0))
    return [fence + kind, text, fence, ""]


def _fitting(pieces: list[str], room: int, head: str) -> Iterator[str]:
    """As many pieces as there is room for, and how many are left out."""
    yield head
    for number, piece in enumerate(pieces):
        room -= len(piece.encode("utf-16-le")) // 2
        if room < 0:
            left = _("{count} more are left out here; the whole report has them.")
            yield "\n" + left.format(count=len(pieces) - number) + "\n"
            return
        yield piece


def _clipped(text: str, wide: int = _WIDE) -> str:
    return text if len(text) <= wide else text[: wide - 1] + "…"


def one_line(text: str) -> str:
    """On one line, with no sign that Markdown or HTML would take for its own."""
    return _SPECIAL.sub(lambda sign: f"&#{ord(sign[0])};", " ".join(_CONTROL.sub("", text).split()))
