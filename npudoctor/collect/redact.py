"""Take secrets out of a snapshot: tokens, passwords and keys in variables, command lines and addresses.

What stands in their place is one word without blanks or quotes, so that parsers read the text as before.
"""

from __future__ import annotations

import re

from npudoctor.collect.snapshot import Entry, Snapshot
from npudoctor.regex import regex

TOKEN = b"<redacted:token>"

_NAME = (
    rb"[A-Za-z0-9_.-]{0,40}?(?:token|secret|passw(?:or)?d|passphrase|credential|(?:api|access|private)[-_]?key)"
    rb"[A-Za-z0-9_.-]{0,64}"
)
_VARIABLE = regex(rb"\b(" + _NAME + rb"|[A-Za-z0-9_]{0,64}_(?:key|pwd|auth)|pwd_[a-z]+)(\"?\s*[=:]\s*)", re.I)
_VALUE = regex(rb"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[^\s\"',;&|\\]+")
_OPTION = regex(
    rb"((?:^|[\s\"'\[,])--?" + _NAME + rb")([ \t]{1,9}|=|\"\s{0,99},\s{0,99}\")([^\s\"',;-][^\s\"',;]*)",
    re.I | re.M,
)
_ADDRESS = regex(rb"(\b[a-z][a-z0-9+.-]{0,20}://)([^\s/@:\"']{0,256}:[^\s/@\"']{1,256})@", re.I)
_HEADER = regex(rb"(\bauthorization\"?\s*[:=]\s*\"?(?:bearer|basic|token)?\s+)([^\s\"',]+)", re.I)
_BEARER = regex(rb"(\bbearer\s+)([A-Za-z0-9._~+/=-]{8,})", re.I)
_KNOWN = regex(
    rb"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|glpat-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{20,}"
    rb"|AKIA[A-Z0-9]{16}|xox[abp]-[A-Za-z0-9-]{10,})"
)
_KEY_BLOCK = regex(rb"(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?:(-----END [A-Z ]*PRIVATE KEY-----)|\Z)")
_NO_SECRET = regex(rb"(?i)^[\"']?(?:|[0-9]{1,5}|true|false|yes|no|on|off|none|null|<redacted:[a-z]+>)[\"']?$")
_HINT = regex(rb"token|secret|passw|passphrase|credential|key|pwd|auth|://|bearer", re.I)
_PUBLIC = regex(
    rb"(?i)tokenizer|max_.*tokens?|num_.*tokens|tokens_per|token_(?:num|len|limit)|.*_tokens$|keyring"
)


def redact(snapshot: Snapshot) -> Snapshot:
    """The same snapshot without its secrets."""
    entries = {path: _entry(entry) for path, entry in snapshot.entries.items()}
    return Snapshot(snapshot.name, snapshot.source, entries, snapshot.problems)


def redact_text(data: bytes) -> bytes:
    """The same text with each secret replaced by one word."""
    data = _KEY_BLOCK.sub(lambda found: found[1] + b"\n" + TOKEN + b"\n" + (found[2] or b""), data)
    data = _OPTION.sub(_option, data)
    lines = data.split(b"\n")
    for number, line in enumerate(lines):
        if _HINT.search(line):
            lines[number] = _line(line)
    return _KNOWN.sub(TOKEN, b"\n".join(lines))


def _line(line: bytes) -> bytes:
    line = _ADDRESS.sub(lambda found: found[1] + TOKEN + b"@", line)
    line = _HEADER.sub(lambda found: found[1] + TOKEN, line)
    return _values(_BEARER.sub(lambda found: found[1] + TOKEN, line))


def _entry(entry: Entry) -> Entry:
    out, err = redact_text(entry.stdout), redact_text(entry.stderr)
    origin = redact_text(entry.origin.encode()).decode()
    if entry.path == "environment":
        out = _variables(out)
    return Entry(entry.path, origin, out, err, entry.exit_code, entry.seconds, entry.state)


def _option(found: re.Match[bytes]) -> bytes:
    if _PUBLIC.search(found[1]) or _NO_SECRET.match(found[3]):
        return found[0]
    return found[1] + found[2] + TOKEN


def _values(data: bytes) -> bytes:
    """Replace what is assigned to a name that speaks of a secret: `NAME=value`, `"name": "value"`."""
    parts: list[bytes] = []
    at = 0
    for found in _VARIABLE.finditer(data):
        if found.start() < at or _PUBLIC.search(found[1]):
            continue
        value = _VALUE.match(data, found.end())
        if value is None or _NO_SECRET.match(value[0]):
            continue
        quote = value[0][:1] if value[0][:1] in (b'"', b"'") else b""
        parts += [data[at : found.end()], quote, TOKEN, quote]
        at = value.end()
    return b"".join([*parts, data[at:]])


def _variables(lines: bytes) -> bytes:
    """In the environment a value reaches to the end of its line, blanks and all."""
    return re.sub(rb"(?m)^(.*?)=" + re.escape(TOKEN) + rb".*$", rb"\1=" + TOKEN, lines)
