"""The host keys that this user trusts: `known_hosts` files as OpenSSH reads them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


USUAL = "~/.ssh/known_hosts"
"""Where OpenSSH notes a new key where nothing else is said."""
_MARKERS = ("", "@revoked", "@cert-authority")


@dataclass(frozen=True, slots=True)
class KnownKey:
    """One line of a file.

    Attributes:
        hosts: Its first field: names and patterns with commas between, or one hashed name.
        kind: `ssh-ed25519`, `ssh-rsa`, …
        data: The key itself in base64.
        revoked: Whether it must never be accepted.
        authority: Whether it signs the keys of hosts, and is none itself.
    """

    hosts: str
    kind: str
    data: str
    revoked: bool = False
    authority: bool = False

    def belongs_to(self, name: str) -> bool:
        """Whether the line speaks of the host `name`, or `[name]:port`."""
        if self.hosts.startswith("|1|"):
            return _hashed(self.hosts, name)
        patterns = self.hosts.lower().split(",")
        if any(_matches(name, pattern[1:]) for pattern in patterns if pattern.startswith("!")):
            return False
        return any(_matches(name, pattern) for pattern in patterns)


def read_known_hosts(paths: Iterable[Path]) -> tuple[KnownKey, ...]:
    """All keys of some files; a file that is not there, or cannot be read, holds none."""
    return tuple(key for path in paths for line in _lines(path) if (key := _key(line)))


def name_in_known_hosts(host: str, port: int) -> str:
    """What the files call a host: its name alone for port 22."""
    return host.lower() if port == 22 else f"[{host.lower()}]:{port}"


def fingerprint(data: str) -> str:
    """`SHA256:…`, as `ssh-keygen -l` prints it, of a key in base64."""
    digest = hashlib.sha256(base64.b64decode(data)).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _key(line: str) -> KnownKey | None:
    fields = line.split()
    marker = fields.pop(0) if fields and fields[0].startswith("@") else ""
    if len(fields) < 3 or fields[0].startswith("#") or marker not in _MARKERS:
        return None
    return KnownKey(fields[0], fields[1], fields[2], marker == "@revoked", marker == "@cert-authority")


def _matches(name: str, pattern: str) -> bool:
    if "*" in pattern or "?" in pattern:
        return fnmatchcase(name, pattern.replace("[", "[[]"))
    return name == pattern


def _hashed(field: str, name: str) -> bool:
    try:
        salt, digest = (base64.b64decode(part, validate=True) for part in field[3:].split("|"))
    except (ValueError, binascii.Error):
        return False
    return hmac.compare_digest(hmac.new(salt, name.encode(), hashlib.sha1).digest(), digest)
