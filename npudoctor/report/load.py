"""A JSON report back to a `Report`: what `render` and `diff` read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from npudoctor.errors import UsageError
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Edit, Finding, Fix, Status
from npudoctor.regex import regex
from npudoctor.report.json import SCHEMA
from npudoctor.report.members import members
from npudoctor.report.report import HostReport, HostReports, Report, Waiver
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
Row = dict[str, Any]
_TIME = regex(r"[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z")


class _NotWhole(Exception):
    """A key is missing or holds what does not belong there."""


def read_report(text: str, name: str) -> Report:
    """A report out of its JSON text; `name` is what the user calls it. Its hosts are read one by one.

    Keys that later versions add are passed over, and those that earlier ones lacked may be missing.

    Raises:
        UsageError: It is no JSON, is cut off, or is not a report of npudoctor.
    """
    hosts = HostReports()
    try:
        head, wrong = _read(text, hosts)
    except ValueError as error:
        raise UsageError(f"{name}: {_not_json(error, text)}", _("give a report of --format json")) from None
    except RecursionError:
        raise UsageError(f"{name}: " + _("is nested too deep for a report")) from None
    if head.get("schema") != SCHEMA:
        raise UsageError(f"{name}: {_foreign(head.get('schema'))}", _("give a report of --format json"))
    try:
        if wrong:
            raise wrong
        return _report(head, hosts)
    except _NotWhole as error:
        raise UsageError(f"{name}: {error}", _("the report is not whole; make it again")) from None


def _read(text: str, hosts: HostReports) -> tuple[Row, _NotWhole | None]:
    """Put the hosts where they belong; the other members, and the first host that is not whole, if one is."""
    if not text.lstrip().startswith("{"):
        json.loads(text)
        return {}, None
    head: Row = {}
    wrong: _NotWhole | None = None
    halves = "\\ud" in text or "\\uD" in text
    for key, found in members(text, apart="hosts"):
        value = _whole_characters(found) if halves else found
        if key != "hosts":
            head[key] = value
        elif wrong is None:
            wrong = _put(value, hosts)
    return head, wrong


def _put(row: Any, hosts: HostReports) -> _NotWhole | None:
    place = len(hosts)
    try:
        hosts.put(place, _host(row if isinstance(row, dict) else {}))
    except _NotWhole as error:
        return _NotWhole(f"hosts[{place}].{error}")
    return None


def _whole_characters(content: Any) -> Any:
    """Halves of characters (`\\ud800`), which no file can hold, become question marks."""
    return json.loads(json.dumps(content, ensure_ascii=False).encode("utf-8", "replace").decode())


def _not_json(error: ValueError, text: str) -> str:
    if not text.strip():
        return _("is empty")
    if not isinstance(error, json.JSONDecodeError):
        return _("is no JSON")
    if _cut_off(error, text.strip()):
        return _("is cut off in line {line}").format(line=error.lineno)
    return _("is no JSON (line {line})").format(line=error.lineno)


def _cut_off(error: json.JSONDecodeError, text: str) -> bool:
    """Whether what is wrong is that the end is missing."""
    open_end = text.startswith("{") and not text.endswith("}")
    return open_end or error.pos >= len(text) or error.msg.startswith("Unterminated string")


def _foreign(schema: object) -> str:
    if not isinstance(schema, str):
        return _("is not a report of npudoctor")
    if schema.startswith("npudoctor.report/"):
        return _("is of another version, {schema}; this npudoctor reads {known}").format(
            schema=schema, known=SCHEMA
        )
    return _("is {schema}, not a report").format(schema=schema)


def _report(document: Row, hosts: HostReports) -> Report:
    tool, matrix = _get(document, "tool", dict), _get(document, "matrix", dict)
    return Report(
        hosts=hosts,
        fleet=_rows(document, "fleet", _finding),
        matrix_updated=_get(matrix, "updated", str),
        matrix_sha256=_get(matrix, "sha256", str),
        version=_get(tool, "version", str),
        when=_when(document),
        waivers=_rows(document, "waivers", _waiver) if "waivers" in document else (),
    )


def _when(document: Row) -> str:
    when = _text_or_none(document, "when") or ""
    if when and not _TIME.fullmatch(when):
        raise _NotWhole(_("{key} is missing or not what it should be").format(key="when"))
    return when


def _host(row: Row) -> HostReport:
    about = row.get("about") or {}
    return HostReport(
        name=_get(row, "name", str),
        source=_get(row, "source", str),
        findings=_rows(row, "findings", _finding),
        error=_text_or_none(row, "error"),
        about={str(name): str(value) for name, value in about.items()} if isinstance(about, dict) else {},
        path=_text_or_none(row, "path") or "",
    )


def _finding(row: Row) -> Finding:
    action = _word(Action, _get(row, "action", str))
    return Finding(
        id=_get(row, "id", str),
        status=_word(Status, _get(row, "status", str)),
        title=_get(row, "title", str),
        actual=_get(row, "actual", str),
        expected=_get(row, "expected", str),
        action=action,
        seconds=_seconds(row),
        evidence=_rows(row, "evidence", _evidence),
        fix=_fix(row, action),
        references=_texts(row, "references"),
        waiver=_text_or_none(row, "waiver"),
    )


def _seconds(row: Row) -> float:
    seconds = row.get("seconds")
    return seconds if isinstance(seconds, int | float) and 0 <= seconds < float("inf") else 0.0


def _evidence(row: Row) -> Evidence:
    line = _line(row) if row.get("line") is not None else None
    return Evidence(_get(row, "source", str), _get(row, "text", str), line)


def _line(row: Row) -> int:
    line = _get(row, "line", int)
    if line < 1:
        raise _NotWhole(_("{key} is missing or not what it should be").format(key="line"))
    return line


def _fix(row: Row, action: Action) -> Fix | None:
    if row.get("fix") is None:
        return None
    fix = _get(row, "fix", dict)
    edits = _rows(fix, "edits", _edit) if "edits" in fix else ()
    return Fix(action, _get(fix, "summary", str), _texts(fix, "commands"), _text_or_none(fix, "role"), edits)


def _edit(row: Row) -> Edit:
    path, before, after = (_get(row, key, str) for key in ("path", "before", "after"))
    return Edit(path, _line(row), before, after)


def _waiver(row: Row) -> Waiver:
    return Waiver(
        id=_get(row, "id", str),
        reason=_get(row, "reason", str),
        hosts=_get(row, "hosts", str),
        owner=_text_or_none(row, "owner") or "",
        expires=_text_or_none(row, "expires") or "",
        where=_get(row, "where", str),
        state=_get(row, "state", str),
    )


def _rows(row: Row, key: str, read: Callable[[Row], T]) -> tuple[T, ...]:
    """The list under `key`; what is wrong in one of its rows is told with the way to it."""
    found = []
    for number, item in enumerate(_get(row, key, list)):
        try:
            found.append(read(item if isinstance(item, dict) else {}))
        except _NotWhole as error:
            raise _NotWhole(f"{key}[{number}].{error}") from None
    return tuple(found)


def _texts(row: Row, key: str) -> tuple[str, ...]:
    return tuple(str(text) for text in _get(row, key, list))


def _get(row: Row, key: str, kind: type[T]) -> T:
    value = row.get(key)
    if not isinstance(value, kind):
        raise _NotWhole(_("{key} is missing or not what it should be").format(key=key))
    return value


def _text_or_none(row: Row, key: str) -> str | None:
    return None if row.get(key) is None else _get(row, key, str)


def _word(kind: Callable[[str], T], word: str) -> T:
    try:
        return kind(word)
    except ValueError:
        raise _NotWhole(_("there is no word {word} for it").format(word=word)) from None
