"""Other addresses for addresses: subnets stay subnets, and what says nothing of a host stays as it is.

Two addresses that share their first N bits share them afterwards too, for every N. The last eight bits of an
IPv4 address stay, so that `.1` is still the gateway and `.255` still the broadcast; so does the class
(private, link-local, shared). Loopback, unspecified, multicast and netmasks are nobody's.
"""

from __future__ import annotations

from functools import cached_property
from ipaddress import IPv6Address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npudoctor.collect.redact.tokens import Tokens

_NOBODYS = {0, 127, *range(224, 256)}
_OF_CLASSES = {10, 100, 169, 172, 192}
"""First octets with a private, shared or link-local net in them."""
_ALWAYS = 0x80
"""The bit of the third octet that always changes, so that no address is mapped to itself."""
_KEPT_IN_SECOND = {10: 0, 100: 2, 169: 8, 172: 4, 192: 8}
"""Bits of the second octet that make the class."""


class Addresses:
    """Maps addresses by the key of the tokens."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._known: dict[str, str] = {}

    def v4(self, text: str, bits: int = 32) -> str | None:
        """Another address for `1.2.3.4`; of a net `1.2.0.0/16`, `bits` are 16. None: it is no address."""
        new = self._known.get(f"{text}/{bits}")
        return new or self._v4(text, bits)

    def _v4(self, text: str, bits: int) -> str | None:
        octets = [int(part) for part in text.split(".")]
        if max(octets) > 255 or any(part != str(int(part)) for part in text.split(".")):
            return None
        if octets[0] in _NOBODYS:
            return text
        new = self._octets(octets)
        if bits < 24:
            new = _as_net(octets, new, bits)
        return self._known.setdefault(f"{text}/{bits}", self._tokens.note(".".join(map(str, new)), text))

    def v6(self, text: str) -> str | None:
        """Another address for one of IPv6; None: it is no address."""
        try:
            address = IPv6Address(text)
        except ValueError:
            return None
        if address.is_loopback or address.is_unspecified or address.is_multicast:
            return text
        if address.ipv4_mapped:
            return f"::ffff:{self.v4(str(address.ipv4_mapped))}"
        new = self._known.get(text) or self._known.setdefault(text, str(IPv6Address(self._v6(address))))
        return self._tokens.note(new, text)

    def mac(self, text: str) -> str:
        """Another, locally administered, for `aa:bb:cc:dd:ee:ff`; nobody's and groups stay."""
        sign = text[2]
        octets = [int(part, 16) for part in text.split(sign)]
        if octets[0] & 1 or not any(octets):
            return text
        digest = self._tokens.digest("mac", bytes(octets).hex(), size=5)
        new = sign.join(f"{octet:02x}" for octet in (2, *digest))
        return self._tokens.note(new.upper() if text != text.lower() else new, text)

    def guid(self, text: str) -> str:
        """Another for the eight octets of a port of InfiniBand or RoCE, or of a device's serial number."""
        digest = self._tokens.digest("guid", text.lower(), size=8)
        return self._tokens.note(":".join(f"{octet:02x}" for octet in digest), text)

    def _octets(self, octets: list[int]) -> list[int]:
        first, second, third, last = octets
        return [self._first(first), self._second(first, second), self._third(first, second, third), last]

    @cached_property
    def _firsts(self) -> dict[int, int]:
        plain = [octet for octet in range(1, 224) if octet not in _NOBODYS | _OF_CLASSES]
        return self._shuffled(plain, "first")

    def _first(self, octet: int) -> int:
        return self._firsts.get(octet, octet)

    def _second(self, first: int, octet: int) -> int:
        if first not in _OF_CLASSES:
            return self._bits(octet, 0, f"second {first}")
        kept = _KEPT_IN_SECOND[first]
        inside = [other for other in range(256) if _in_class(first, other)]
        if octet in inside:
            return self._bits(octet, kept, f"second {first}")
        return self._shuffled([other for other in range(256) if other not in inside], f"s {first}")[octet]

    def _third(self, first: int, second: int, octet: int) -> int:
        return self._bits(octet, 1, f"third {first}.{second}") ^ _ALWAYS

    def _bits(self, octet: int, kept: int, net: str) -> int:
        """The octet with each bit flipped or not as the net and the bits before it decide."""
        known = f"{net} {octet}"
        if known not in self._known:
            flips = 0
            for bit in range(kept, 8):
                before = octet >> (8 - bit)
                flips |= (self._tokens.digest(net, f"{bit} {before}")[0] & 1) << (7 - bit)
            self._known[known] = str(octet ^ flips)
        return int(self._known[known])

    def _shuffled(self, numbers: list[int], what: str) -> dict[int, int]:
        order = sorted(numbers, key=lambda number: self._tokens.digest(what, str(number)))
        return dict(zip(numbers, order, strict=True))

    def _v6(self, address: IPv6Address) -> int:
        high, low = int(address) >> 64, int(address) & (1 << 64) - 1
        if low > 0xFFFF:  # a small number says no more than `.1`
            low = int.from_bytes(self._tokens.digest("v6", f"{low:x}", size=8), "big")
        if address.is_link_local:
            return high << 64 | low
        flips = 1 << 31  # so that none is mapped to itself
        for bit in range(8, 64):
            if bit != 32:
                flips |= (self._tokens.digest("v6", f"{bit} {high >> (64 - bit):x}")[0] & 1) << (63 - bit)
        return (high ^ flips) << 64 | low


def _in_class(first: int, second: int) -> bool:
    """Whether `first.second` lies in the private, shared or link-local net of its first octet."""
    return {
        10: True,
        100: 64 <= second < 128,
        169: second == 254,
        172: 16 <= second < 32,
        192: second == 168,
    }[first]


def _as_net(old: list[int], new: list[int], bits: int) -> list[int]:
    """The new octets with the host's part as it was, where that is all zeros."""
    hosts = (1 << (32 - bits)) - 1
    if int.from_bytes(bytes(old), "big") & hosts:
        return new
    return list((int.from_bytes(bytes(new), "big") & ~hosts).to_bytes(4, "big"))
