"""Tokens, passwords and keys: in variables, command lines, URLs, headers and files of settings.

What stands in their place is one word without blanks or quotes, so that parsers read the text as before.
Patterns stay in the subset that RE2 knows (no look-around, no back-references), so that none is slow on
any text, and a fast engine finds the same (see `scan`).
"""

from __future__ import annotations

import re

from npudoctor.collect.redact.engine import pattern
from npudoctor.collect.redact.scan import APART, SECRETS, SHORT, WORDS, in_regions

TOKEN = b"<redacted:token>"

_NAME = rb"[A-Za-z0-9_.-]{0,40}?(?:" + WORDS + rb")[A-Za-z0-9_.-]{0,64}"
_VARIABLE = pattern(
    rb"(?i)\b(" + _NAME + rb"|" + SHORT + rb")(\\*[\"']?[ \t]*[=:]=?>?[ \t]*(?:\\+[\"'])?)",
)
_VALUE = pattern(rb"\"(?:[^\"\\\n]|\\.)*\"?|'[^'\n]*'?|[^\s\"',;&|\\<]+")
_IN_QUOTES = pattern(rb"(?:[^\"\\\n]|\\.)+")
"""The rest of a string that began before the name: `"PASSWORD=two words"`."""
_ONE = rb"(\"[^\"\n]+\"?|'[^'\n]+'?|[^\s\"',;-][^\s\"',;]*)"
"""A word of a command line, in quotes or not."""
_OPTION = pattern(rb"(?im)((?:^|[\s\"'\[,(])--?(?:pwd|pass|" + _NAME + rb"))([ \t]{1,9}|=)" + _ONE)
_OPTION_IN_LIST = pattern(rb"(?i)([\"']--?" + _NAME + rb")([\"']\s{0,99},\s{0,99}[\"'])([^\"'\n-][^\"'\n]*)")
_ITEMS = rb"(?:[\"'][^\"'\n]{0,99}[\"']\s{0,99},\s{0,99}){0,9}"
_GAP = rb"(?:[^\n|;&]{0,200}?[\s\"']|[\"'],\s{0,99}" + _ITEMS + rb"[\"'])"
_BETWEEN = rb"(?:[\s=]|[\"']\s{0,99},\s{0,99}[\"'])"
_TOOL_OPTION = pattern(
    rb"(\b(?:(?:sshpass|mysql\w*|mariadb\w*|(?:docker|podman|nerdctl) login|user(?:add|mod)|7z[ar]?)\b"
    rb"" + _GAP + rb"-p"
    rb"|redis-cli\b" + _GAP + rb"-a|(?:ipmitool|unzip|zip)\b" + _GAP + rb"-P"
    rb"|ldap[a-z]{3,9}\b" + _GAP + rb"-w|o[bs]sutil(?:64)?\b" + _GAP + rb"-k"
    rb"|smb(?:client|map|get)\b" + _GAP + rb"(?:-U|--user)" + _BETWEEN + rb"?[\"']?[^\s\"'%]{0,99}%"
    rb"|skopeo\b" + _GAP + rb"--(?:src-|dest-)?creds" + _BETWEEN + rb"[^\s\"':]{0,99}:"
    rb"|mc (?:alias set|config host add)[ \t]+\S+[ \t]+\S+[ \t]+\S+"
    rb"|wandb login(?:[ \t]+--?[a-z-]+)*|openssl\b" + _GAP + rb"-pass(?:in|out)?" + _BETWEEN + rb"pass:"
    rb"|curl\b" + _GAP + rb"(?:-u|--user)" + _BETWEEN + rb"?[\"']?[^\s\"':]{0,99}:)" + _BETWEEN + rb"?)"
    rb"(\"[^\"\n]+\"?|'[^'\n]+'?|[^\s\"',;=:-][^\s\"',;]*)"
)
_ACCESS_KEY = pattern(
    rb"(\bmc (?:alias set|config host add)[ \t]+\S+[ \t]+\S+[ \t]+"
    rb"|\bo[bs]sutil(?:64)?\b" + _GAP + rb"-i" + _BETWEEN + rb"?)([^\s\"',;=:-][^\s\"',;]*)"
)
"""The half of a pair of keys that is no secret by itself, but says whose the other is."""
_ADDRESS = pattern(
    rb"(?i)(\b[a-z][a-z0-9+.-]{0,20}://)([^\s/@:\"']{0,256}:[^\s/\"']{1,256}"
    rb"|[^\s/@:\"']{0,256}:[^\s/@\"']*[^\s/@\"'0-9][^\s/@\"']*/[^\s@\"']{0,256}|[^\s/@:\"']{16,256})@"
)
_PROXY = pattern(
    rb"(?i)((?:proxy\w{0,9}[\"']?[ \t]*[=:]|\bproxy)[ \t]*[\"']?)([^\s/@:\"']{1,99}:[^\s/\"']{1,256})@"
)
"""Of a proxy without `http://`."""
_HEADER = pattern(
    rb"(?i)(\bauthorization\\*[\"']?[ \t]*[:=][ \t]*\\*[\"']?(?:(?:bearer|basic|token|digest)[ \t]+)?)"
    rb"([^\s\"',\\]+)"
)
_COOKIE = pattern(rb"(?i)(\bcookie\"?:[ \t]*\"?)([^\"'\n]+)")
_BEARER = pattern(rb"(?i)(\bbearer[ \t]+)([A-Za-z0-9._~+/=-]{8,})")
_SENTENCE = pattern(
    rb"(?im)((?:^[ \t]*(?:requirepass|masterauth|bindpw|bind_password|rootpw)"
    rb"|\b(?:login|user(?:name)?|account)[ \t]+\S+[ \t]+(?:password|passwd|pwd)"
    rb"|\b(?:ftp|lftp|telnet|ipmcset|ipmitool|mysql\w*|redis-cli)\b[^\n|;&]{0,200}?[ \t]pwd)[ \t]+"
    rb"|\b(?:password|passwd|passphrase|secret)[ \t]+(?:is|was)[ \t]+[\"']?)([^\s\"']+)"
)
_PIPED = pattern(
    rb"(\becho[ \t]+(?:-\w+[ \t]+)?)([^\s|]+|[\"'][^|\n\"']{1,256}[\"'])"
    rb"([ \t]*\|[ \t]*(?:sudo[ \t]+(?:-S|chpasswd)|chpasswd|passwd[ \t]+--stdin))"
)
_BLOCK = pattern(rb"(?i)(\b" + _NAME + rb"[\"']?:[ \t]*[|>][+-]?[ \t]*\n[ \t]+)([^\s][^\n]*)")
_ELEMENT = pattern(rb"(?i)(<[a-z0-9_.-]{0,40}(?:" + WORDS + rb")[a-z0-9_.-]{0,40}>)([^<\n]+)")
_CHINESE = pattern(
    "((?:密码|口令|密钥|令牌)[\"']?[ \\t]*(?:[:=]|：|＝|是|为)[ \\t]*(?:[\"']|“)?)".encode()
    + rb"([^\s\"',;\x80-\xff]+)"
)
_NAMED = rb"\b(?:name|key)[\"']?[ \t]*:[ \t]*[\"']?(" + _NAME + rb"|" + SHORT + rb")[\"']?[ \t]*"
_VALUED = rb"\bvalue[\"']?[ \t]*:[ \t]*(?:[|>][+-]?[ \t]*\n[ \t]*)?"
_LINE = rb"([^\s\"'][^\n]*)"
_PAIRS = (
    pattern(rb"(?i)(" + _NAMED + rb",?\s{0,99}[\"']?" + _VALUED + rb"[\"'])([^\"'\n]+)"),
    pattern(rb"(?i)(" + _NAMED + rb",[ \t]{0,99}" + _VALUED + rb")([^\s\"',}]+)"),
    pattern(rb"(?i)(" + _NAMED + rb"\n[ \t]{0,99}" + _VALUED + rb")" + _LINE),
)
"""A variable of a pod: `{"name": "DB_PASSWORD", "value": "…"}`, or on two lines of YAML."""
_PAIRS_TURNED = (
    pattern(
        rb"(?i)(" + _VALUED + rb"[\"'])([^\"'\n]+)([\"'][ \t]*,?\s{0,99}[\"']?" + _NAMED + rb"(?:[\n,}]|$))"
    ),
    pattern(rb"(?i)(" + _VALUED + rb")" + _LINE + rb"(\n[ \t]{0,99}" + _NAMED + rb"(?:\n|$))"),
)
"""The same with the value first."""
_BEHIND = (*(_TOOL_OPTION, _BLOCK, _HEADER, _COOKIE, _BEARER, _SENTENCE, _ELEMENT, _CHINESE, _ACCESS_KEY),)
"""Where the second group is the secret."""
_WEAK = pattern(rb"(?i)(?:^|_)(?:pass|pw|pwd|ak|sk|psk)$")
_OF_ACCOUNT = pattern(rb"[x*!]{1,2}:[0-9]+:")
"""What stands behind the name in `/etc/passwd` and `/etc/group`, also of a group `secretaries`."""
_GOES_ON = pattern(rb"^[ \t]*[^\s,;}\]]")
"""What stands behind a word of a sentence."""
_KNOWN = pattern(
    rb"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}"
    rb"|sk-[A-Za-z0-9_-]{20,}|A[KS]IA[A-Z0-9]{16}|LTAI[A-Za-z0-9]{12,26}|xox[abp]-[A-Za-z0-9-]{10,}|grub\.pbkdf2\.[\w.]+"
    rb"|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*)"
    rb"|\$(?:1|2[aby]|5|6|7|y|gy)\$[\w./$=,]{8,}"
)
_KEY_BEGINS = pattern(rb"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = pattern(rb"-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----")
_NO_SECRET = pattern(
    rb"(?i)^[\"']?(?:|[0-9]{1,5}|true|false|yes|no|on|off|none|null|</?[a-z]+>|<redacted:[a-z]+>)[\"']?$"
)
_ENDS_IN_PASSWORD = pattern(rb"(?i)(?:passw(?:or)?d|pass|secret|passphrase)$")
_FEW_DIGITS = pattern(rb"^[\"']?[0-9]{4,5}[\"']?$")
_STRONG = pattern(rb"(?i)" + WORDS)
_PUBLIC = pattern(
    rb"(?i)tokenizer|max_.*tokens?|num_.*tokens|tokens_per|token_(?:num|len|limit|ids?$|type)|.*_tokens(?:_map)?$"
    rb"|(?:eos|bos|pad|unk|cls|sep|mask|next)_token|keyring|secretflow|(?:ascend|hccl)_\w+_key$"
    rb"|.*_(?:file|path|dir|count)$|.*_host_key$"
)


def redact_text(data: bytes) -> bytes:
    """The same text with each secret replaced by one word."""
    return in_regions(data, SECRETS, redact_lines)


def redact_words(text: str) -> str:
    """The same for a line that a report quotes."""
    return redact_text(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def redact_variables(lines: bytes) -> bytes:
    """The same for `NAME=value` lines, where a value reaches to the end of its line, blanks and all."""
    return re.sub(rb"(?m)^(.*?)=" + re.escape(TOKEN) + rb".*$", rb"\1=" + TOKEN, redact_text(lines))


def redact_lines(data: bytes) -> bytes:
    """The same for lines that speak of secrets; what does not belong together has `APART` in between."""
    if b"PRIVATE KEY" in data:
        data = APART.join(_keys(part) for part in data.split(APART))
    for options in (_OPTION, _OPTION_IN_LIST):
        data = options.sub(_option, data)
    for values in _BEHIND:
        data = values.sub(_after, data)
    for pairs in _PAIRS:
        data = pairs.sub(_pair, data)
    for pairs in _PAIRS_TURNED:
        data = pairs.sub(_turned, data)
    data = _ADDRESS.sub(lambda found: found[1] + TOKEN + b"@", data)
    data = _PROXY.sub(lambda found: found[1] + TOKEN + b"@", data)
    data = _PIPED.sub(lambda found: found[1] + TOKEN + found[3], data)
    return _KNOWN.sub(TOKEN, _values(data))


def _keys(data: bytes) -> bytes:
    """Without private keys, of which one that is cut off reaches to the end, or from the beginning."""
    parts: list[bytes] = []
    at = 0
    if (end := _KEY_ENDS.search(data)) and not _KEY_BEGINS.search(data[: end.start()]):
        parts, at = [TOKEN, b"\n" if b"\n" in data[: end.start()] else b""], end.start()
    while begin := _KEY_BEGINS.search(data, at):
        end = _KEY_ENDS.search(data, begin.end())
        stop, after = (end.start(), end.end()) if end else (len(data), len(data))
        gap = b"\n" if b"\n" in data[begin.end() : stop] else b""
        parts += [data[at : begin.end()], gap, TOKEN, gap, data[stop:after]]
        at = after
    return b"".join([*parts, data[at:]])


def _after(found: re.Match[bytes]) -> bytes:
    return found[0] if _NO_SECRET.match(found[2]) else found[1] + TOKEN


def _pair(found: re.Match[bytes]) -> bytes:
    if _PUBLIC.search(found[2]) or _is_harmless(found[2], found[3]):
        return found[0]
    return found[1] + TOKEN


def _turned(found: re.Match[bytes]) -> bytes:
    if _PUBLIC.search(found[4]) or _is_harmless(found[4], found[2]):
        return found[0]
    return found[1] + TOKEN + found[3]


def _option(found: re.Match[bytes]) -> bytes:
    if _PUBLIC.search(found[1]) or _is_harmless(found[1], found[3]):
        return found[0]
    return found[1] + found[2] + TOKEN


def _is_harmless(name: bytes, value: bytes) -> bool:
    """Whether a value is a switch or a count; four digits behind `password` are neither."""
    if _FEW_DIGITS.match(value) and _ENDS_IN_PASSWORD.search(name):
        return False
    return _NO_SECRET.match(value) is not None


def _values(data: bytes) -> bytes:
    """Replace what is assigned to a name that speaks of a secret: `NAME=value`, `"name": "value"`."""
    parts: list[bytes] = []
    at = begin = 0
    while found := _VARIABLE.search(data, begin):
        begin = found.end() - 1
        value = _value(data, found)
        if value is None:
            continue
        quote = value[0][:1] if value[0][:1] in (b'"', b"'") else b""
        closing = quote if len(value[0]) > 1 and value[0].endswith(quote) else b""
        parts += [data[at : found.end()], quote, TOKEN, closing]
        at = begin = value.end()
    return b"".join([*parts, data[at:]])


def _value(data: bytes, found: re.Match[bytes]) -> re.Match[bytes] | None:
    """The secret that stands behind a name; None where it is none."""
    name, sign = found[1], found[2]
    if b"==" in sign or _PUBLIC.search(name) or _OF_ACCOUNT.match(data, found.end()):
        return None
    bare = b":" in sign and b'"' not in sign and not _STRONG.search(name)
    if bare and not _WEAK.search(name):
        return None  # `x86/PAT: ...` is a sentence
    if name == b"passwd" and b":" in sign and data[found.start() - 1 : found.start()] == b"/":
        return None  # `/etc/passwd: not collected` is a sentence too
    inside = b"=" in sign and data[found.start() - 1 : found.start()] == b'"'
    value = (_IN_QUOTES if inside else _VALUE).match(data, found.end())
    if value is None or _is_harmless(name, value[0]) or _is_folder(name, value[0]):
        return None
    return None if bare and _GOES_ON.search(data[value.end() : value.end() + 99]) else value


def _is_folder(name: bytes, value: bytes) -> bool:
    """`PWD=/root` is where a shell stands."""
    return name.lower() in (b"pwd", b"oldpwd") and value.startswith((b"/", b"~", b"."))
