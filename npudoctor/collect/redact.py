"""Take secrets out of a snapshot: tokens, passwords and keys in variables, command lines and addresses.

What stands in their place is one word without blanks or quotes, so that parsers read the text as before.
"""

from __future__ import annotations

import re

from npudoctor.collect.snapshot import Entry, Snapshot
from npudoctor.regex import regex

TOKEN = b"<redacted:token>"

_WORDS = (
    rb"token|secret|passw(?:or)?d|passphrase|credential|signature|webhook|requirepass"
    rb"|(?:api|access|private|account|signing|encryption|luks)[-_.]?key|key-data"
)
_NAME = rb"[A-Za-z0-9_.-]{0,40}?(?:" + _WORDS + rb")[A-Za-z0-9_.-]{0,64}"
_SHORT = (
    rb"(?:[A-Za-z0-9_]{0,64}_)?(?:pass|sshpass|pgpass|pwd_[a-z]+|pw|psk|jwt|pat|ak|sk|auth|sig)"
    rb"|[A-Za-z0-9_]{1,64}_(?:key|pwd)"
)
_VARIABLE = regex(
    rb"(?<![A-Za-z0-9_])(" + _NAME + rb"|" + _SHORT + rb")(\\*[\"']?\s*[=:](?!=)\s*(?:\\+[\"'])?)", re.I
)
_VALUE = regex(rb"\"(?:[^\"\\\n]|\\.)*\"?|'[^'\n]*'?|[^\s\"',;&|\\]+")
_IN_QUOTES = regex(rb"(?:[^\"\\\n]|\\.)+")
"""The rest of a string that began before the name: `"PASSWORD=two words"`."""
_OPTION = regex(
    rb"((?:^|[\s\"'\[,])--?" + _NAME + rb")([ \t]{1,9}|=|\"\s{0,99},\s{0,99}\")([^\s\"',;-][^\s\"',;]*)",
    re.I | re.M,
)
_GAP = rb"[^\n|;&]{0,200}?|[\"',\s]{1,99}"
_BETWEEN = rb"(?:[\s=]|[\"']\s{0,99},\s{0,99}[\"'])"
_TOOL_OPTION = regex(
    rb"(\b(?:(?:sshpass|mysql\w*|mariadb\w*|(?:docker|podman|nerdctl) login)\b(?:" + _GAP + rb")[\s\"']-p"
    rb"|redis-cli\b(?:" + _GAP + rb")[\s\"']-a|ipmitool\b(?:" + _GAP + rb")[\s\"']-P"
    rb"|curl\b(?:" + _GAP + rb")[\s\"'](?:-u|--user)" + _BETWEEN + rb"?[^\s\"':]{0,99}:)" + _BETWEEN + rb"?)"
    rb"([^\s\"',;=:-][^\s\"',;]*)"
)
_ADDRESS = regex(
    rb"(\b[a-z][a-z0-9+.-]{0,20}://)([^\s/@:\"']{0,256}:[^\s/@\"']{1,256}|[^\s/@:\"']{16,256})@", re.I
)
_HEADER = regex(rb"(\bauthorization\"?\s*[:=]\s*\"?(?:(?:bearer|basic|token)\s+)?)([^\s\"',]+)", re.I)
_COOKIE = regex(rb"(\bcookie\"?:\s*\"?)([^\"'\n]+)", re.I)
_BEARER = regex(rb"(\bbearer\s+)([A-Za-z0-9._~+/=-]{8,})", re.I)
_LINE_OF_OLD = regex(
    rb"((?:^\s*(?:requirepass|masterauth|bindpw|bind_password|rootpw)|\blogin\s+\S+\s+password)[ \t]+)(\S+)",
    re.I | re.M,
)
_KNOWN = regex(
    rb"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}"
    rb"|sk-[A-Za-z0-9_-]{20,}|A[KS]IA[A-Z0-9]{16}|xox[abp]-[A-Za-z0-9-]{10,}|grub\.pbkdf2\.[\w.]+"
    rb"|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*)"
    rb"|\$(?:1|2[aby]|5|6|7|y|gy)\$[\w./$=,]{8,}"
)
_KEY_BLOCK = regex(rb"(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?:(-----END [A-Z ]*PRIVATE KEY-----)|\Z)")
_NO_SECRET = regex(
    rb"(?i)^[\"']?(?:|[0-9]{1,5}|true|false|yes|no|on|off|none|null|</?[a-z]+>|<redacted:[a-z]+>)[\"']?$"
)
_STRONG = regex(_WORDS, re.I)
_HINT = regex(
    _WORDS
    + rb"|://|bearer|cookie|authorization|(?:pass|pwd_[a-z]+|pw|psk|jwt|pat|ak|sk|auth|sig|key|pwd)\\*[\"']?\s*[=:]"
    rb"|curl\b|redis-cli|ipmitool|mysql|mariadb|\blogin\b|masterauth|bindpw|rootpw|sshpass|begin "
)
"""What any of them needs, in small letters: most lines have none of it."""
_PUBLIC = regex(
    rb"(?i)tokenizer|max_.*tokens?|num_.*tokens|tokens_per|token_(?:num|len|limit|ids?$|type)|.*_tokens(?:_map)?$"
    rb"|(?:eos|bos|pad|unk|cls|sep|mask|next)_token|keyring|secretflow|(?:ascend|hccl)_\w+_key$"
    rb"|.*_(?:file|path|dir|count)$|.*_host_key$"
)


def redact(snapshot: Snapshot) -> Snapshot:
    """The same snapshot without its secrets."""
    entries = {path: _entry(entry) for path, entry in snapshot.entries.items()}
    return Snapshot(snapshot.name, snapshot.source, entries, snapshot.problems)


def redact_text(data: bytes) -> bytes:
    """The same text with each secret replaced by one word."""
    if _speaks_of_none(data):
        return _KNOWN.sub(TOKEN, data)
    data = _KEY_BLOCK.sub(lambda found: found[1] + b"\n" + TOKEN + b"\n" + (found[2] or b""), data)
    data = _TOOL_OPTION.sub(_after, _OPTION.sub(_option, data))
    lines = data.split(b"\n")
    for number, line in enumerate(lines):
        if not _speaks_of_none(line):
            lines[number] = _line(line)
    return _KNOWN.sub(TOKEN, b"\n".join(lines))


def _speaks_of_none(data: bytes) -> bool:
    return _HINT.search(data.lower()) is None


def _after(found: re.Match[bytes]) -> bytes:
    return found[0] if _NO_SECRET.match(found[2]) else found[1] + TOKEN


def _line(line: bytes) -> bytes:
    line = _ADDRESS.sub(lambda found: found[1] + TOKEN + b"@", line)
    for pattern in (_HEADER, _COOKIE, _BEARER, _LINE_OF_OLD):
        line = pattern.sub(_after, line)
    return _values(line)


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
        if b":" in found[2] and b'"' not in found[2] and not _STRONG.search(found[1]):
            continue  # `x86/PAT: ...` is a sentence
        inside = b"=" in found[2] and data[found.start() - 1 : found.start()] == b'"'
        value = (_IN_QUOTES if inside else _VALUE).match(data, found.end())
        if value is None or _NO_SECRET.match(value[0]):
            continue
        quote = value[0][:1] if value[0][:1] in (b'"', b"'") else b""
        closing = quote if len(value[0]) > 1 and value[0].endswith(quote) else b""
        parts += [data[at : found.end()], quote, TOKEN, closing]
        at = value.end()
    return b"".join([*parts, data[at:]])


def _variables(lines: bytes) -> bytes:
    """In the environment a value reaches to the end of its line, blanks and all."""
    return re.sub(rb"(?m)^(.*?)=" + re.escape(TOKEN) + rb".*$", rb"\1=" + TOKEN, lines)
