"""Tokens that stand for names and numbers of hosts: the same for the same name and key."""

from __future__ import annotations

import os
import re
from hashlib import blake2b

KEY_BYTES = 32
_TOKEN = re.compile(r"(?:host|domain|user|name)-[0-9a-f]{8}")


class Tokens:
    """Draws tokens from a secret key, and remembers what each stands for.

    Without the key nobody can tell what a token stands for, not even by trying all names.

    Attributes:
        key: Secret. Two runs with the same key give the same tokens.
        originals: What each token that was drawn stands for.
    """

    def __init__(self, key: bytes | None = None, originals: dict[str, str] | None = None) -> None:
        self.key = key or os.urandom(KEY_BYTES)
        self.originals: dict[str, str] = originals or {}
        self._drawn = {(_kind(token), text.lower()): token for token, text in self.originals.items()}

    def digest(self, *parts: str, size: int = 16) -> bytes:
        """Bytes that only the key and the parts decide."""
        return blake2b("\0".join(parts).encode("utf-8", "replace"), key=self.key, digest_size=size).digest()

    def name(self, kind: str, text: str) -> str:
        """`host-1a2b3c4d` for a name; the kinds are `host`, `domain`, `user` and `name` (of a person)."""
        token = self._drawn.get((kind, text.lower()))
        count = 0
        while token is None:
            drawn = f"{kind}-{self.digest(kind, text.lower(), str(count), size=4).hex()}"
            token = drawn if drawn not in self.originals else None
            count += 1
        self._drawn[kind, text.lower()] = token
        return self.note(token, text)

    def shaped(self, kind: str, text: str) -> str:
        """A text of the same shape: digits for digits, letters for letters, all else as it was."""
        digest = self.digest(kind, text.upper(), size=64)
        bases = ("0123456789", *(("ABCDEF", "abcdef") if _is_hexadecimal(text) else _LETTERS))
        new = "".join(_like(letter, digest[at % 64], bases) for at, letter in enumerate(text))
        return self.note(new, text)

    def note(self, token: str, original: str) -> str:
        """Remember what a token stands for; the token."""
        self.originals.setdefault(token, original)
        return token

    def names(self) -> list[tuple[str, str]]:
        """Kind and text of every name that has a token."""
        return [(_kind(token), text) for token, text in self.originals.items() if is_token(token)]


def is_token(text: str) -> bool:
    """Whether a word is a token of a name already."""
    return _TOKEN.fullmatch(text) is not None


_LETTERS = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def _kind(token: str) -> str:
    return token.partition("-")[0] if is_token(token) else ""


def _is_hexadecimal(text: str) -> bool:
    return re.fullmatch(r"[0-9A-Fa-f]+(?:[ -][0-9A-Fa-f]+)*", text) is not None


def _like(letter: str, byte: int, bases: tuple[str, ...]) -> str:
    for base in bases:
        if letter in base:
            return base[byte % len(base)]
    return letter
