"""The answer of triage for a person: the cause, the line that proves it, what to type; then all the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.report.width import clip, wrap
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.report.style import Style
    from npudoctor.triage.diagnose import Cause
    from npudoctor.triage.gather import Sight
    from npudoctor.triage.verdict import Decoded, Verdict

LIKELY = 0.5
"""Below it a cause is called a candidate."""
_INDENT = " " * 8
_SHOWN = 12


def to_text(verdict: Verdict, style: Style) -> str:
    """The whole answer; short lists are cut to a dozen lines unless `style.verbose`."""
    lines = [*_head(verdict, style)]
    for cause in verdict.causes:
        lines += [*_cause(cause, style), ""]
    lines += _section(_("Codes"), [_code(decoded, style) for decoded in verdict.codes], style)
    times = [_first_error(owner, sight, style) for owner, sight in verdict.timeline]
    lines += _section(_("First error of each process"), times if len(times) > 1 else [], style)
    left = [_proof(sight, style) for sight in verdict.unexplained]
    lines += _section(_("Errors that nothing here explains"), left, style)
    lines += _section(
        _("Not wholly read"), [wrap(text, style.width, "  ", "    ") for text in verdict.problems], style
    )
    return "\n".join(lines).rstrip() + "\n"


def _head(verdict: Verdict, style: Style) -> list[str]:
    if verdict.causes:
        return []
    errors = verdict.codes or verdict.unexplained
    said = _("No known cause. What was found:") if errors else _("No error was found.")
    return [style.bold(said), ""]


def _cause(cause: Cause, style: Style) -> Iterator[str]:
    signature = cause.signature
    word = _("CAUSE") if cause.confidence >= LIKELY else _("CANDIDATE")
    share = f"{100 * cause.confidence:.0f} %"
    first, *rest = wrap(_(signature.title), style.width, f"{word} {share}  ", _INDENT)
    yield style.bold(first)
    yield from rest
    yield from wrap(f"{signature.category} · {signature.id}{_spread(cause)}", style.width, _INDENT, _INDENT)
    for sight in cause.because:
        yield from _proof(sight, style)
    yield from _host(cause, style)
    yield from wrap(_(signature.fix.summary), style.width, f"{_INDENT}→ ", f"{_INDENT}  ")
    yield from (f"{_INDENT}  $ {command}" for command in signature.fix.commands)
    if cause.confidence < LIKELY and signature.look:
        yield f"{_INDENT}{_('to tell it from others:')}"
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
    text = " ".join(sight.line.text.split())
    text = text if style.verbose else clip(text, 2 * style.width)
    place = f"{sight.line.file}:{sight.line.number}: "
    return [style.dim(line) for line in wrap(place + text, style.width, f"{_INDENT}| ", f"{_INDENT}|   ")]


def _host(cause: Cause, style: Style) -> Iterator[str]:
    for finding, word in [*((f, _("the host agrees")) for f in cause.agree),
                          *((f, _("the host disagrees")) for f in cause.disagree)]:  # fmt: skip
        told = f"{word}: {finding.id} {finding.status.value}: {finding.actual}"
        yield from wrap(told, style.width, _INDENT, _INDENT + "  ")


def _section(title: str, entries: list[list[str]], style: Style) -> Iterator[str]:
    if not entries:
        return
    shown = entries if style.verbose else entries[:_SHOWN]
    yield style.bold(title)
    yield from (line for entry in shown for line in entry)
    if len(shown) < len(entries):
        yield "  " + _("and {count} more (-v shows them)").format(count=len(entries) - len(shown))
    yield ""


def _code(decoded: Decoded, style: Style) -> list[str]:
    code = decoded.code
    name = f" {code.name}" if code.name else ""
    times = f" ×{decoded.count}" if decoded.count > 1 else ""
    said = f"{code.code}{name} ({code.family}){times}: {code.meaning}"
    if code.catch_all:
        said += " " + _("It names no cause: look at the lines below it.")
    return wrap(said, style.width, "  ", "    ")


def _first_error(owner: str, sight: Sight, style: Style) -> list[str]:
    text = clip(" ".join(sight.line.text.split()), style.width)
    return wrap(f"{sight.line.time or '-'}  {owner}  {text}", style.width, "  ", "    ")
