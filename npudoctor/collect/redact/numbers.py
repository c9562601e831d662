"""Addresses in a text, told apart from versions, times and places in code that look like them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.collect.redact.engine import compiled, pattern

if TYPE_CHECKING:
    import re
    from collections import Counter

    from npudoctor.collect.redact.addresses import Addresses

ADDRESSES = (
    rb"(?:\b|_)[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\b"
    rb"|\bip-[0-9]{1,3}-[0-9]{1,3}-[0-9]{1,3}-[0-9]{1,3}\b"
    rb"|\b[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}\b"
    rb"|\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b|\b(?:[0-9a-f]{2}-){5}[0-9a-f]{2}\b"
    rb"|\b(?:[0-9a-f]{1,4}:){7}[0-9a-f]|\b[0-9a-f]{1,4}::|[^0-9a-z:]::[0-9a-f]"
)
"""What an address needs, in small letters."""
_CANDIDATE = (
    rb"((?:::[Ff]{4}:)?[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3})(/[0-9]{1,2})?"
    rb"|((?:[0-9A-Fa-f]{1,4}:){5,15}[0-9A-Fa-f]{1,4}"
    rb"|(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6}:?)?)"
    rb"|((?:[0-9A-Fa-f]{2}-){5,7}[0-9A-Fa-f]{2}|[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4})"
)
_LOOK_BACK = 60
"""Bytes of the same line in which a word says what a number is."""
_OF_ADDRESS = pattern(
    rb"(?i)(?:addr|address|\bip|inet|gateway|hosts?|peer|server|client|remote|local|source|src|dst|destination"
    rb"|via|from|connect(?:ed|ing)?(?: to)?|listen\w*|endpoint|dns|proxy|network|subnet|route|master|rank"
    rb"|node|nic)[^a-z]*$"
)
_OF_VERSION = pattern(
    rb"(?i)(?:version|release|\brev|\bver|driver|firmware|software|package|build|bios|npu-smi|kernel|cann|toolkit|nnal"
    rb"|mindie|torch|hdk|gcc|clang|python|runtime|compiler|hccl|opp|\bv)[^\n]{0,50}$"
)
_HOST_BY_ADDRESS = pattern(rb"(?i)\b(ip-)([0-9]{1,3}-[0-9]{1,3}-[0-9]{1,3}-[0-9]{1,3})\b")
"""A host that is called after its address, as clouds do."""
_VERSION_SIGN = pattern(rb"[<>~!]=[ \t]*$|/[^\s:]*:$")
_COMPARED = pattern(rb"[A-Za-z][^=]*==[ \t]*$")
"""A package and its version, as `pip freeze` says it."""
_ADDRESS_COMPARED = pattern(rb"(?i)(?:\b|[._-])(?:ip|addr|address|host|peer|src|dst)[\"']?\]?[ \t]*==[ \t]*$")
_VERSION_PART = pattern(rb"[A-Za-z0-9]-$|[A-Za-z0-9]/v?$")
"""As in `torch-2.1.0.1` and `cuda/v12.1.0.1`; of a private net in `node-10.1.2.3` and `logs/10.1.2.3`."""
_JUST_VERSION = pattern(rb"(?i)version[\"']?[ \t]*[:=]?[ \t]*[\"'\[]*$")
_VERSION_FILES = (
    "version.info",
    "_install.info",
    "version.cfg",
    "python-packages",
    "os-release",
    ".egg-info",
)
_PRIVATE = (b"10.", b"192.168.", b"169.254.", *(b"172.%d." % second for second in range(16, 32)))
_ALONE = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_MAC_PARTS, _V6_PARTS = 6, 8


class Numbers:
    """Replaces the addresses of a text."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses

    def replace(self, data: bytes, path: str, count: Counter[str]) -> bytes:
        """The text with other addresses; `path` is the entry's, `count` is raised by what was replaced."""

        def other(found: re.Match[bytes]) -> bytes:
            kind, new = self._other(data, found, path)
            count[kind] += new != found[0]
            return new

        def other_host(found: re.Match[bytes]) -> bytes:
            new = self._addresses.v4(found[2].decode().replace("-", "."))
            count["ipv4"] += new is not None
            return found[0] if new is None else found[1] + new.replace(".", "-").encode()

        replaced: bytes = compiled(_CANDIDATE).sub(other, data)
        return _HOST_BY_ADDRESS.sub(other_host, replaced)

    def _other(self, data: bytes, found: re.Match[bytes], path: str) -> tuple[str, bytes]:
        if not _stands_alone(data, found):
            return "", found[0]
        if found[1]:
            return "ipv4", self._v4(data, found, path)
        text = found[0].decode()
        kind, new = ("mac", self._mac(text)) if found[4] else self._with_colons(text)
        return kind, new.encode()

    def _mac(self, text: str) -> str:
        """Of six octets, of seven (`BOOTIF=01-…`, the kind of net first), of eight, or `aabb.ccdd.eeff`."""
        if "." in text:
            if text.replace(".", "").isdigit():
                return text
            plain = text.replace(".", "")
            new = self._addresses.mac(":".join(plain[at : at + 2] for at in range(0, 12, 2))).replace(":", "")
            return f"{new[:4]}.{new[4:8]}.{new[8:]}"
        octets = text.count("-") + 1
        if octets == _MAC_PARTS:
            return self._addresses.mac(text)
        if octets == _V6_PARTS:
            return self._addresses.guid(text.replace("-", ":")).replace(":", "-")
        return text[:3] + self._addresses.mac(text[3:])

    def _v4(self, data: bytes, found: re.Match[bytes], path: str) -> bytes:
        line = data[data.rfind(b"\n", 0, found.start()) + 1 : found.start()][-_LOOK_BACK:]
        mapped, number = found[1][: found[1].rfind(b":") + 1], found[1][found[1].rfind(b":") + 1 :]
        if not mapped and _is_version(number, line, data[found.end() : found.end() + 2], path):
            return found[0]
        bits = int(found[2][1:]) if found[2] else 32
        new = self._addresses.v4(number.decode(), min(bits, 32))
        return found[0] if new is None else mapped + new.encode() + (found[2] or b"")

    def _with_colons(self, text: str) -> tuple[str, str]:
        """A MAC, the GUID of a port, or an address of IPv6; a time and `a::b` of a program are none."""
        parts = text.split(":")
        if all(len(part) == 2 for part in parts):
            kinds = {_MAC_PARTS: self._addresses.mac, _V6_PARTS: self._addresses.guid}
            return "mac", kinds.get(len(parts), str)(text)
        body = text[:-1] if text.endswith(":") and not text.endswith("::") else text
        if not any(letter.isdigit() for letter in body):
            return "", text
        return "ipv6", (self._addresses.v6(body) or body) + text[len(body) :]


def _stands_alone(data: bytes, found: re.Match[bytes]) -> bool:
    before, after = data[max(0, found.start() - 1) : found.start()], data[found.end() : found.end() + 1]
    if before == b"_" and found[1] and found[1].startswith(_PRIVATE):
        before = b""  # a log is called `worker_10.1.2.3.log`
    if (before and before in _ALONE + b".") or (after and after in _ALONE):
        return False
    return not (before == b":" and found[1] is None)


def _is_version(number: bytes, before: bytes, after: bytes, path: str) -> bool:
    """Whether four numbers with dots are a version, by what stands around them."""
    if _goes_on(after) or _VERSION_SIGN.search(before) or _JUST_VERSION.search(before):
        return True
    if _COMPARED.search(before) and not _ADDRESS_COMPARED.search(before):
        return True
    if number.startswith(_PRIVATE):
        return False
    if _VERSION_PART.search(before):
        return True
    if _OF_ADDRESS.search(before):
        return False
    return path.endswith(_VERSION_FILES) or _OF_VERSION.search(before) is not None


def _goes_on(after: bytes) -> bool:
    """`.5` of five numbers, `-rc1`."""
    sign, rest = after[:1], after[1:]
    return (sign == b"." and rest.isdigit()) or (sign == b"-" and rest.isalpha())
