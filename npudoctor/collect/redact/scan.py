"""Where in a text something may have to be replaced: most lines of a log hold nothing of it.

Patterns here are looser than those that replace, and are only asked where to look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from npudoctor.collect.redact.engine import compiled, is_fast, pattern
from npudoctor.collect.redact.quick import may_hold_secret

WORDS = (
    rb"token|secret|pass[_-]?w(?:or)?d|passphrase|credential|signature|webhook|requirepass"
    rb"|(?:api|access|private|account|signing|encryption|luks)[-_.]?key|key-data"
)
"""What a name holds that stands before a secret."""
SHORT = (
    rb"(?:[A-Za-z0-9_]{0,64}_)?(?:pass|sshpass|pgpass|pwd_[a-z]+|pw|pwd|psk|jwt|pat|ak|sk|auth|sig)"
    rb"|[A-Za-z0-9_]{1,64}_key"
)
"""Names that mean one only as a whole, or at their end."""
SECRETS = (
    rb"token[^s]|(?:^|[^_])tokens\\*[\"']?[ \t]*[=:]|secret|pass[_-]?w|passphrase|credential|signature"
    rb"|webhook|requirepass|(?:api|access|private|account|signing|encryption|luks)[-_.]?key|key-data"
    rb"|(?:pass|pwd_[a-z]+|pwd?|psk|jwt|pat|ak|sk|auth|sig|_key)\\*[\"']?[ \t]*[=:]"
    rb"|://[^\s/@]+@|://[^\s/@]*:[^\s@]{1,256}@|proxy[^@\n]{0,300}@|sudo +-s|bearer|cookie|authorization"
    rb"|curl\b|redis-cli|ipmitool|mysql|mariadb|\blogin\b"
    rb"|masterauth|bindpw|bind_password|rootpw|sshpass|(?:begin|end) [a-z ]{0,20}private"
    rb"|--?(?:pwd|pass)[ \t]|\bpwd[ \t]+[^\s]|(?:name|key)[\"']?[ \t]*:[ \t]*[\"']?(?:"
    rb"" + SHORT + rb")[\"']?[ \t]*(?:[,\n]|$)"
    rb"|\b(?:ldap[a-z]{3,9}|o[bs]sutil(?:64)?|mc (?:alias|config)|(?:un)?zip|7z[ar]?|user(?:add|mod))\b"
    rb"|\b(?:skopeo|openssl|smb(?:client|map|get))\b"
    rb"|\bgh[pousr]_|github_pat_|glpat-|\bhf_|\bsk-|\ba[ks]ia[a-z0-9]{16}|\bltai[a-z0-9]{12}|\bxox[abp]-|grub\.pbkdf2|\beyj"
    rb"|\$(?:1|2[aby]|5|6|7|y|gy)\$|" + "密码|口令|密钥|令牌".encode()
)
"""What any secret needs, in small letters."""
APART = b"\n\0\n"
"""What keeps two regions apart."""
_MOST_LINES = 16
_MOST_KEY = 32768
"""Bytes that a private key may have: of one that is cut off, so much goes."""
_OF_KEY = pattern(rb"[A-Za-z0-9+/=]{16,}[ \t\r]*\n$")
"""How the line of a key ends."""
_GOES_ON = (b",", b"[", b"|", b">", b"|-", b">-", b"\\")
"""How a line ends whose sentence goes on in the next: a JSON list, a YAML block, a command line."""
_HALF_OF_PAIR = pattern(rb"(?i)^[ \t-]*[\"']?(?:name|key|value)[\"']?[ \t]*:")
"""A line of YAML that names a variable, or says its value; the other half stands above or below."""


Rough = Callable[[str], bool]
"""Whether a line in small letters may hold what a hint finds: quicker than the hint without RE2."""


def regions(data: bytes, hint: bytes, rough: Rough = may_hold_secret) -> Iterator[tuple[int, int]]:
    """Start and end of every run of whole lines that has to be looked at, for a hint in small letters."""
    search = compiled(b"(?i)" + hint).search
    if not is_fast():
        search = partial(_line_by_line, search, rough)
    at = 0
    while found := search(data, at):
        first = found.start() + data.startswith(b"\n", found.start())  # a hint may ask what stands before
        start, end = _start(data, at, first), _end(data, first)
        yield start, end
        at = end


def _line_by_line(search: Any, rough: Rough, data: bytes, at: int) -> Any:
    """What `search` finds from `at` on, asked only about lines that may hold it."""
    while at < len(data):
        end = _line_end(data, at)
        if rough(data[at:end].lower().decode("utf-8", "replace")) and (found := search(data, at, end + 1)):
            return found
        at = end + 1
    return None


def in_regions(
    data: bytes, hint: bytes, change: Callable[[bytes], bytes], rough: Rough = may_hold_secret
) -> bytes:
    """The text with every region changed.

    All are handed over as one text, with a line between that nothing matches: a pattern takes longer to
    begin than to read a line.
    """
    found = list(regions(data, hint, rough))
    if not found:
        return data
    old = [data[start:end] for start, end in found]
    new = change(APART.join(old)).split(APART)
    if len(new) != len(old):  # the text itself has such a line
        new = [change(region) for region in old]
    parts, at = [], 0
    for (start, end), text in zip(found, new, strict=True):
        parts += [data[at:start], text]
        at = end
    return b"".join([*parts, data[at:]])


def _start(data: bytes, least: int, at: int) -> int:
    """The start of the line at `at`, or of the first line of a key whose beginning is cut off."""
    start = data.rfind(b"\n", least, at) + 1 or least
    if not data.startswith(b"END ", at):
        before = data.rfind(b"\n", least, max(least, start - 1)) + 1 or least
        return before if start > before and _is_pair(data, before, start) else start
    while start > least:
        before = data.rfind(b"\n", least, start - 1) + 1 or least
        if not _OF_KEY.search(data[before:start]):
            break
        start = before
    return start


def _end(data: bytes, at: int) -> int:
    """The end of the line at `at`, or of one below it while the sentence goes on."""
    end = _line_end(data, at)
    if data.find(b"-----BEGIN", data.rfind(b"\n", 0, at) + 1, end) >= 0:
        return _key_end(data, at, end)
    for _line in range(_MOST_LINES):
        if end >= len(data) or not _goes_on(data, end):
            break
        end = _line_end(data, end + 1)
    return end


def _goes_on(data: bytes, end: int) -> bool:
    """Whether the line that ends there goes on in the next."""
    if data[max(0, end - 9) : end].rstrip().endswith(_GOES_ON):
        return True
    return _is_pair(data, data.rfind(b"\n", 0, end) + 1, end + 1)


def _is_pair(data: bytes, one: int, other: int) -> bool:
    """Whether the two lines that start there name a variable and say its value."""
    halves = (_HALF_OF_PAIR.search(data[at : min(at + 200, _line_end(data, at))]) for at in (one, other))
    return all(halves)


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _key_end(data: bytes, at: int, end: int) -> int:
    last = data.rfind(b"-----END", at, at + _MOST_KEY)
    if last >= 0:
        return max(end, _line_end(data, last))
    return max(end, min(len(data), _line_end(data, at + _MOST_KEY)))
