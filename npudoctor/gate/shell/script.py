"""One script, read from its first to its last line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.shell.events import Script
from npudoctor.gate.shell.record import Record, Sourced
from npudoctor.gate.shell.scope import Scope
from npudoctor.gate.shell.walk import Walk
from npudoctor.gate.shell.word import cleaned
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.gate.shell.scope import Value


def read_script(
    text: str,
    file: str,
    *,
    first_line: int = 1,
    variables: Mapping[str, Value] | None = None,
    sourced: Sourced = lambda _path, _file: None,
) -> Script:
    """What a shell script would do, without running it.

    Args:
        text: The script.
        file: Its path, for every place that is named.
        first_line: The number of its first line in that file.
        variables: Raw values that are exported to it from outside (`hole(NAME)` for open ones).
        sourced: Finds the files that it sources.
    """
    scope, record = Scope(), Record(sourced)
    for name, value in (variables or {}).items():
        scope.set(name, value, file, first_line, exported=True)
    try:
        record.text(file, cleaned(text).encode("utf-8", "replace"), first_line, scope)
        _uncalled(record, scope)
    except RecursionError:
        record.complaint = _("nested too deeply to follow")
    return Script(
        tuple(record.commands),
        scope.exported,
        tuple(dict.fromkeys(record.refused)),
        tuple(record.written),
        tuple(record.sourced),
        record.complaint,
    )


def _uncalled(record: Record, scope: Scope) -> None:
    """Functions that the script itself does not call are called by whoever sources it."""
    for name, (body, source, file, first_line) in list(scope.functions.items()):
        if name not in record.called:
            inner = scope.copy()
            inner.arguments, inner.sure, inner.ended = None, False, ""
            record.call(name, Walk(record, file, source, first_line), body, inner)
