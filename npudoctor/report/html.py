"""The report as one HTML page that needs no network: styles, script and data are in it.

The data is one line a host; what several hosts share is written once, so that a page of a thousand hosts
stays small. Everything that was read from a host goes into the page as JSON without a `<`, and on the screen
as text.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.checks.registry import AREAS
from npudoctor.finding import WORST_FIRST, Finding, Status
from npudoctor.report.names import hosts_apart
from npudoctor.report.report import HostReport, count
from npudoctor.report.told import waivers_told
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.report.report import Report
    from npudoctor.report.style import Style

_ASSETS = Path(__file__).parent / "page"
_Row = dict[str, Any]
_SHOWN_FIRST = (Status.FAIL, Status.UNKNOWN, Status.WARN, Status.WAIVED)
_MOST_LINES = {Status.PASS: 2, Status.SKIP: 2}
_MOST_LINES_OF_TROUBLE = 60
_WIDE = 1000


def to_html(report: Report, _style: Style, _ending: str) -> Iterator[str]:
    """The whole page, a host at a time."""
    css, script = ((_ASSETS / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    yield from _head(css, script)
    yield from _header(report)
    yield from _frame(report)
    said = _data({"words": _words(report), "areas": AREAS})
    yield f'<script type="application/json" id="head">{said}</script>\n'
    yield '<script type="application/json" id="hosts">\n'
    seen = _Seen()
    if report.fleet:
        together = HostReport(_("All hosts together"), "", report.fleet)
        yield _data({**seen.line(together.name, together), "fleet": True}) + "\n"
    for name, host in hosts_apart(report.hosts):
        yield _data(seen.line(name, host)) + "\n"
    yield f"</script>\n<script>{script}</script>\n</body>\n</html>\n"


class _Seen:
    """Gives each finding that differs a number, and what findings of a check share one of its own."""

    def __init__(self) -> None:
        self._findings: dict[bytes, int] = {}
        self._kinds: dict[bytes, int] = {}

    def line(self, name: str, host: HostReport) -> _Row:
        """One host: the numbers of its findings, and those that were not there before."""
        kinds: list[_Row] = []
        new: list[_Row] = []
        numbers = [self._number(finding, kinds, new) for finding in host.findings]
        return {
            "name": name,
            "source": host.source,
            "path": host.path,
            "status": host.status.value,
            "error": host.error,
            "about": host.about,
            "kinds": kinds,
            "new": new,
            "findings": numbers,
        }

    def _number(self, finding: Finding, kinds: list[_Row], new: list[_Row]) -> int:
        kind = _place(self._kinds, _kind(finding), kinds)
        return _place(self._findings, _body(finding, kind), new)


def _place(known: dict[bytes, int], row: _Row, new: list[_Row]) -> int:
    """The number of a row; one that was not known joins `new`. Only its digest is kept."""
    from hashlib import blake2b

    key = blake2b(json.dumps(row, ensure_ascii=False).encode(), digest_size=12).digest()
    if key not in known:
        known[key] = len(known)
        new.append(row)
    return known[key]


def _kind(finding: Finding) -> _Row:
    """What findings of a check share on many hosts."""
    fix = finding.fix
    row: _Row = {
        "id": finding.id,
        "status": finding.status.value,
        "title": finding.title,
        "expected": finding.expected,
        "action": finding.action.value,
        "references": finding.references,
        "fix": fix and {"summary": fix.summary, "commands": fix.commands},
    }
    if fix and fix.edits:
        row["fix"]["edits"] = [
            {"path": edit.path, "line": edit.line, "before": edit.before, "after": edit.after}
            for edit in fix.edits
        ]
    return row


def _body(finding: Finding, kind: int) -> _Row:
    """What a host has of its own; of a pass the first lines of evidence are enough."""
    lines = [
        (proof.source if proof.line is None else f"{proof.source}:{proof.line}", line[:_WIDE])
        for proof in finding.evidence
        for line in proof.text.splitlines()
    ]
    most = _MOST_LINES.get(finding.status, _MOST_LINES_OF_TROUBLE)
    row: _Row = {"kind": kind, "actual": finding.actual, "evidence": lines[:most]}
    if len(lines) > most:
        row["cut"] = len(lines) - most
    return row if finding.waiver is None else {**row, "waiver": finding.waiver}


def _head(css: str, script: str) -> Iterator[str]:
    policy = (
        f"default-src 'none'; style-src '{_hash(css)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    language = _("en")  # its translation is the name of the language
    yield f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="referrer" content="no-referrer">\n<title>npudoctor</title>\n'
    yield f"<style>{css}</style>\n</head>\n<body>\n"


def _header(report: Report) -> Iterator[str]:
    """The heading and the counts, which are there without the script too."""
    title = next(iter(report.hosts)).name if len(report.hosts) == 1 else None
    shown = title or _many(report).format(count=len(report.hosts))
    switch = escape(_("light / dark"))
    theme = f'<button type="button" id="theme" class="quiet-button theme">{switch}</button>'
    yield f'<header>\n<div class="top"><h1>{escape(shown)}</h1>{theme}</div>\n<div id="single"></div>\n'
    yield '<div id="counts" class="counts">\n'
    counts = count(report.findings)
    for status in (*_SHOWN_FIRST, Status.PASS, Status.SKIP):
        pressed = "true" if status in _SHOWN_FIRST else "false"
        yield (
            f'<button type="button" class="{status.value}" data-status="{status.value}" '
            f'aria-pressed="{pressed}"><b>{counts[status]}</b> {escape(_statuses()[status])}</button>\n'
        )
    yield "</div>\n"
    for note in waivers_told(report.waivers):
        yield f'<p class="note">{escape(note)}</p>\n'
    yield "</header>\n"


def _frame(report: Report) -> Iterator[str]:
    search, area = escape(_("Search: a check, a host, a word of the evidence")), escape(_("all areas"))
    made = (f"npudoctor {report.version}", f"matrix {report.matrix_updated}", report.when)
    told = " · ".join(part for part in made if part)
    need = escape(_("The list below needs JavaScript; the counts above do not."))
    hosts, explain = escape(_("hosts")), escape(_("npudoctor explain ID says why a check matters."))
    yield f"""<noscript><main><p>{need}</p></main></noscript>
<main id="app" hidden>
<div class="filters" role="search">
<input id="query" type="search" placeholder="{search}" aria-label="{search}" autocomplete="off">
<select id="area" aria-label="{area}"><option value="">{area}</option></select>
<button type="button" id="host" class="quiet-button" hidden></button>
<span id="shown" class="shown" aria-live="polite"></span>
</div>
<section id="fleet" class="fleet" hidden>
<div id="grid" class="grid" role="group" aria-label="{hosts}"></div>
<p id="readout" class="readout" aria-live="polite"></p>
</section>
<div id="about"></div>
<div id="unread"></div>
<div id="list"></div>
</main>
<footer>{escape(told)} · {explain}</footer>
"""


def _many(report: Report) -> str:
    """What there is several of: `{count} hosts`, or files."""
    first = next(iter(report.hosts), None)
    return _("{count} files") if first and first.source == "files" else _("{count} hosts")


def _words(report: Report) -> _Row:
    """What the script says."""
    return {
        "statuses": {status.value: word for status, word in _statuses().items()},
        "shown": _("{count} shown"),
        "ofChecks": _("{count} in {checks} checks"),
        "unread": _("{count} hosts could not be read wholly."),
        "more": _("show {count} more"),
        "hosts": _many(report),
        "expected": _("expected: {expected}"),
        "waived": _("waived: {reason}"),
        "source": _("source: {source}"),
        "lines": _("and {count} more lines"),
        "cut": _("{count} lines are left out here; the JSON report has them."),
        "copy": _("copy"),
        "copied": _("copied"),
        "notCopied": _("not copied"),
        "nothing": _("Nothing here: other filters may show more."),
    }


def _statuses() -> dict[Status, str]:
    """The status words, which are the same in every language."""
    return {status: status.value for status in WORST_FIRST}


def _hash(text: str) -> str:
    from base64 import b64encode
    from hashlib import sha256

    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _data(content: Any) -> str:
    """JSON on one line that no HTML reader takes for markup."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
