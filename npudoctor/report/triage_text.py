"""The answer of triage for a person: the cause, the line that proves it, what to type; then all the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.regex import regex
from npudoctor.report.width import clip, wrap
from npudoctor.words import _, ngettext

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from npudoctor.report.style import Style
    from npudoctor.triage.diagnose import Cause
    from npudoctor.triage.gather import Sight
    from npudoctor.triage.verdict import Decoded, Verdict

LIKELY = 0.5
"""Below it a cause is called a candidate."""
_INDENT = " " * 8
_CODES, _FIRST, _LEFT, _CANDIDATES, _PROCESSES = 12, 8, 5, 3, 3
"""How many of each are shown without -v; of processes, by name."""
_HEAD = regex(r"^(\[[A-Z]+\] ?\w+)\(-?\d+,[^)]{0,80}\):\S+ (?:\[[\w./-]+:\d+\] ?\d* ?)?")
_PID = regex(r"\[PID: \d+\] [\d:.-]+ ")


def to_text(verdict: Verdict, style: Style) -> str:
    """The whole answer; without `style.verbose` no more than fits a screen or two."""
    lines = [*_head(verdict, style), *_causes(verdict.causes, style)]
    lines += _section(_("Codes"), [_code(decoded, style) for decoded in verdict.codes], _CODES, style)
    if len(verdict.timeline) > 1:
        lines += _section(_("First error of each process"), _timeline(verdict, style), _FIRST, style)
    left = [_proof(sight, style) for sight in _different(verdict.unexplained)]
    lines += _section(_("Errors that nothing here explains"), left, _LEFT, style)
    lines += _section(_("Not wholly read"), _notes(verdict.problems, style), _CODES, style)
    lines += _section(_("Passed over"), _passed(verdict, style), _CODES, style)
    return "\n".join(lines).rstrip() + "\n"


def _head(verdict: Verdict, style: Style) -> list[str]:
    if verdict.causes:
        return []
    errors = verdict.codes or verdict.unexplained
    said = _("No known cause. What was found:") if errors else _("No error was found.")
    return [style.bold(said), ""]


def _causes(causes: Sequence[Cause], style: Style) -> Iterator[str]:
    """The first one, what else is likely, and some candidates."""
    likely = [cause for cause in causes[1:] if cause.confidence >= LIKELY]
    others = [cause for cause in causes[1:] if cause.confidence < LIKELY]
    shown = others if style.verbose else others[:_CANDIDATES]
    for cause in (*causes[:1], *likely, *shown):
        yield from _cause(cause, style)
        yield ""
    if len(shown) < len(others):
        yield "  " + _("and {count} more (-v shows them)").format(count=len(others) - len(shown))
        yield ""


def _cause(cause: Cause, style: Style) -> Iterator[str]:
    signature = cause.signature
    likely = cause.confidence >= LIKELY
    word = _("CAUSE") if likely else _("CANDIDATE")
    lead = f"{word} {100 * cause.confidence:.0f} %  "
    first, *rest = wrap(_(signature.title), style.width, lead, _INDENT)
    yield style.bold(first)
    yield from rest
    yield from wrap(f"{signature.category} · {signature.id}{_spread(cause)}", style.width, _INDENT, _INDENT)
    for sight in cause.because if style.verbose else _different(cause.because)[: 2 if likely else 1]:
        yield from _proof(sight, style)
    yield from _host(cause, style)
    yield from wrap(_(signature.fix.summary), style.width, f"{_INDENT}→ ", f"{_INDENT}  ")
    yield from (f"{_INDENT}  $ {command}" for command in signature.fix.commands)
    if not likely and signature.look:
        yield _INDENT + _("to tell it from others:")
        yield from (f"{_INDENT}  $ {command}" for command in signature.look)


def _spread(cause: Cause) -> str:
    parts = []
    if cause.count > 1:
        parts.append(_("{count} lines").format(count=cause.count))
    if cause.owners > 1:
        parts.append(_("{count} processes").format(count=cause.owners))
    if cause.folded:
        parts.append(_("set off {names}").format(names=", ".join(cause.folded)))
    return "".join(f" · {part}" for part in parts)


def _proof(sight: Sight, style: Style) -> list[str]:
    place = f"{sight.line.file}:{sight.line.number}: "
    text = place + _said(sight, style, 2 * style.width)
    return [style.dim(line) for line in wrap(text, style.width, f"{_INDENT}| ", f"{_INDENT}|   ")]


def _said(sight: Sight, style: Style, columns: int) -> str:
    """The line; without -v, without what the log puts before it: whose it is and when stand elsewhere."""
    text = " ".join(sight.line.text.split())
    return text if style.verbose else clip(_brief(text), columns)


def _brief(text: str) -> str:
    return _PID.sub("", _HEAD.sub(r"\1 ", text))


def _different(sights: Sequence[Sight]) -> list[Sight]:
    """The sights, each that reads like an earlier one left out."""
    return list({_brief(sight.line.text): sight for sight in reversed(sights)}.values())[::-1]


def _host(cause: Cause, style: Style) -> Iterator[str]:
    for finding, word in [*((f, _("the host agrees")) for f in cause.agree),
                          *((f, _("the host disagrees")) for f in cause.disagree)]:  # fmt: skip
        told = f"{word}: {finding.id} {finding.status.value}: {finding.actual}"
        yield from wrap(told, style.width, _INDENT, _INDENT + "  ")


def _section(title: str, entries: list[list[str]], most: int, style: Style) -> Iterator[str]:
    if not entries:
        return
    shown = entries if style.verbose else entries[:most]
    yield style.bold(title)
    yield from (line for entry in shown for line in entry)
    if len(shown) < len(entries):
        yield "  " + _("and {count} more (-v shows them)").format(count=len(entries) - len(shown))
    yield ""


def _code(decoded: Decoded, style: Style) -> list[str]:
    code = decoded.code
    name = f" {code.name}" if code.name else ""
    times = f" ×{decoded.count}" if decoded.count > 1 else ""
    said = f"{code.code}{name} ({code.family}){times}: {_(code.meaning)}"
    if code.catch_all:
        said = _("{said}. It names no cause: look at the lines below it.").format(said=said.rstrip("."))
    return wrap(said, style.width, "  ", "    ")


def _timeline(verdict: Verdict, style: Style) -> list[list[str]]:
    """One entry for each process, or without -v for all that first said the same."""
    if style.verbose:
        return [_first_error(time, owner, sight, style) for owner, time, sight in verdict.timeline]
    groups: dict[int, list[str]] = {}
    first: dict[int, tuple[str, Sight]] = {}
    for owner, time, sight in verdict.timeline:
        groups.setdefault(id(sight), []).append(owner)
        first.setdefault(id(sight), (time, sight))
    return [_first_error(first[key][0], _names(groups[key]), first[key][1], style) for key in groups]


def _names(owners: Sequence[str]) -> str:
    names = ", ".join(owners[:_PROCESSES])
    more = len(owners) - _PROCESSES
    return _("{names} and {count} more").format(names=names, count=more) if more > 0 else names


def _first_error(time: str, owner: str, sight: Sight, style: Style) -> list[str]:
    text = _said(sight, style, style.width)
    return wrap(f"{time.removeprefix('0000-') or '-'}  {owner}  {text}", style.width, "  ", "    ")


def _notes(texts: Sequence[str], style: Style) -> list[list[str]]:
    return [wrap(text, style.width, "  ", "    ") for text in texts]


def _passed(verdict: Verdict, style: Style) -> list[list[str]]:
    """What was no log: by name with -v, else how much of it."""
    told = list(verdict.passed)
    if told and not style.verbose:
        text = ngettext(
            "{count} file that is no log: {name}",
            "{count} files that are no logs, such as {name}",
            len(told),
        )
        told = [text.format(count=len(told), name=told[0])]
    if left := verdict.left_out:
        text = ngettext("{count} line of a further kind", "{count} lines of further kinds", left)
        told.append(text.format(count=left))
    return _notes(told, style)
