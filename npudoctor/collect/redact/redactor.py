"""Redact what was collected of a host: secrets go, names and numbers of the host become tokens."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from npudoctor.collect.redact import known
from npudoctor.collect.redact.addresses import Addresses
from npudoctor.collect.redact.engine import compiled
from npudoctor.collect.redact.identity import (
    EVERYWHERE,
    OF_NAMES,
    OUTSIDE,
    SERIAL,
    Identity,
    Place,
    is_serial,
    learn,
    places,
    spellings,
)
from npudoctor.collect.redact.names import Names
from npudoctor.collect.redact.numbers import ADDRESSES, Numbers
from npudoctor.collect.redact.quick import holds, may_hold_address, may_hold_secret
from npudoctor.collect.redact.scan import SECRETS, in_regions
from npudoctor.collect.redact.secrets import TOKEN, redact_lines, redact_variables
from npudoctor.collect.redact.tokens import Tokens
from npudoctor.collect.snapshot import slug

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

    from npudoctor.collect.snapshot import Entry, Snapshot

_SERVER = rb"(://(?:[^\s/@\"']*@)?)([A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9])"
_MAIL = rb"(^|[^A-Za-z0-9._%+/@-])([A-Za-z0-9][A-Za-z0-9._%+-]*)@((?:[A-Za-z0-9-]+\.)+([A-Za-z]{2,24}))\b"
_MAILED = rb"[a-z0-9_%+.-]@[a-z0-9-]{1,63}\.[a-z0-9]"
_NO_DOMAINS = frozenset(
    (
        *(b"service", b"socket", b"timer", b"slice", b"scope", b"mount", b"target", b"device", b"path"),
        *(
            b"so",
            b"py",
            b"js",
            b"sh",
            b"log",
            b"conf",
            b"json",
            b"yaml",
            b"yml",
            b"txt",
            b"bin",
            b"tar",
            b"gz",
        ),
    )
)
"""How units of systemd and files end, which may have an `@` in their names."""
_HINT_WORDS = (
    "@",
    "/home/",
    "hostname",
    "server_id",
    "://",
    "serial",
    "sn",
    "uuid",
    "machine",
    "asset",
    "die",
)
_MOST_WORDS = 300
_HINTS = (
    rb"/home/[a-z0-9_\x80-\xff]|hostname|server_id|\.domain-[0-9a-f]{8}|://[a-z0-9]"
    rb"|" + _MAILED + rb"|serial|\bsn\b|uuid|machine[ _-]?id|asset|die[ _-]?id"
)


class Run:
    """One run of `collect`: its tokens, and the names that are known before any host is read.

    Attributes:
        tokens: Drawn so far; what they stand for belongs into the private map only.
    """

    def __init__(
        self, tokens: Tokens | None = None, hosts: Iterable[str] = (), users: Iterable[str] = ()
    ) -> None:
        """Begin.

        Args:
            tokens: With the key of earlier runs, for the same tokens as then; None: a key of its own.
            hosts: What the inventory calls its hosts, and where they are.
            users: Who logs in there.
        """
        self.tokens = tokens or Tokens()
        found = [pair for host in hosts for pair in spellings(host)]
        found += [("user", name) for name in users if not known.is_account(name)]
        found += self.tokens.names()
        self._names = Names((name, kind) for kind, name in found if not known.is_word(name))
        self._numbers = Numbers(Addresses(self.tokens))

    def host(self, snapshot: Snapshot) -> Redactor:
        """What redacts the snapshot of one host, seeded with all that it says of itself."""
        return Redactor(self.tokens, self._numbers, self._names, learn(snapshot))


class Redactor:
    """Redacts the entries of one host.

    Attributes:
        ledger: How many of each kind were replaced, by path in the bundle.
    """

    def __init__(self, tokens: Tokens, numbers: Numbers, names: Names, identity: Identity) -> None:
        self.ledger: dict[str, Counter[str]] = {}
        self._tokens, self._numbers = tokens, numbers
        self._names, self._identity = (names, identity.names), identity
        self._count: Counter[str] = Counter()
        hints = [SECRETS, ADDRESSES, _HINTS, *(each.hint for each in self._names if each.hint)]
        self._scan = b"|".join(hints)
        self._words = (*_HINT_WORDS, *(word for each in self._names for word in each.kinds))

    def label(self, entry: Entry) -> Entry:
        """The entry under a path and an origin that may leave the host; its outputs as they were."""
        self._count = Counter()
        origin = self._said(entry.origin)
        path = self._path(entry, origin)
        self.ledger.setdefault(path, self._count)
        return replace(entry, path=path, origin=origin)

    def entry(self, entry: Entry) -> Entry:
        """The entry as it may leave the host."""
        label = self.label(entry)
        self._count = self.ledger[label.path]
        out, err = self._output(entry), self._text(entry.stderr, "")
        return replace(label, stdout=out, stderr=err)

    def words(self, text: str) -> str:
        """A line about the host, as the manifest has it."""
        self._count = Counter()
        return self._said(text)

    def name(self, host: str) -> str:
        """The token of the host itself, whatever it is called."""
        self._count = Counter()
        return "/".join(self._name(part.strip()) for part in host.split("/"))

    def _name(self, host: str) -> str:
        kind, _text = next(spellings(host), ("", ""))
        said = self._said(host)
        return self._tokens.name(kind, host) if kind and said == host else said

    def _path(self, entry: Entry, origin: str) -> str:
        for old, new in ((entry.origin, origin), ("/" + slug(entry.origin), "/" + slug(origin))):
            top = entry.path.removesuffix(old)
            if old and top != entry.path:
                return top + new
        return self._said(entry.path)

    def _output(self, entry: Entry) -> bytes:
        data, path = entry.stdout, entry.path.removeprefix(OUTSIDE)
        if path == "environment":
            data = self._counted(redact_variables, data)
        for place in places(path):
            data = self._in_place(place, data)
        if path in OF_NAMES:
            data = self._identity.words.replace(data, self._token)
        return self._text(data, path)

    def _said(self, text: str) -> str:
        return self._text(text.encode("utf-8", "surrogatepass"), "").decode("utf-8", "replace")

    def _text(self, data: bytes, path: str) -> bytes:
        return in_regions(data, self._scan, lambda lines: self._lines(lines, path), self._rough)

    def _rough(self, low: str) -> bool:
        if len(self._words) > _MOST_WORDS or may_hold_secret(low) or may_hold_address(low):
            return True
        return holds(low, self._words)

    def _lines(self, data: bytes, path: str) -> bytes:
        if _may_hold(SECRETS, data):
            data = self._counted(redact_lines, data)
        if _may_hold(_MAILED, data):
            data = compiled(_MAIL).sub(self._mail, data)
        data = self._named(data)
        if _may_hold(_HINTS, data):
            data = self._labelled(data)
        return self._numbers.replace(data, path, self._count) if _may_hold(ADDRESSES, data) else data

    def _named(self, data: bytes) -> bytes:
        for names in self._names:
            data = names.replace(data, self._token)
        return data

    def _mail(self, found: re.Match[bytes]) -> bytes:
        """`user@domain` for the address of a person; `git@forge` keeps what is everybody's."""
        if found[4].lower() in _NO_DOMAINS:
            return found[0]
        person, domain = found[2].decode(), found[3].decode()
        if self._identity.is_own("user", person):
            person = self._token("user", person)
        new = self._named(found[3]).decode()
        if new == domain and not known.is_host(domain):
            new = self._token("domain", domain)
        return found[1] + f"{person}@{new}".encode()

    def _labelled(self, data: bytes) -> bytes:
        """What stands behind something that says what it is."""
        for place in EVERYWHERE:
            data = self._in_place(place, data)
        data = compiled(_SERVER).sub(self._server, data)
        replaced: bytes = compiled(SERIAL).sub(self._serial, data)
        return replaced

    def _counted(self, redact: Callable[[bytes], bytes], data: bytes) -> bytes:
        new = redact(data)
        if new is not data:
            self._count["secret"] += max(0, new.count(TOKEN) - data.count(TOKEN))
        return new

    def _in_place(self, place: Place, data: bytes) -> bytes:
        replaced: bytes = compiled(place.pattern).sub(partial(self._at, place.kind), data)
        return replaced

    def _at(self, kind: str, found: re.Match[bytes]) -> bytes:
        name = found[2].decode("utf-8", "replace")
        if not self._identity.is_own(kind, name):
            return found[0]
        return found[1] + self._token(kind, name).encode() + found[0][len(found[1]) + len(found[2]) :]

    def _server(self, found: re.Match[bytes]) -> bytes:
        return self._at("host", found)

    def _serial(self, found: re.Match[bytes]) -> bytes:
        number = found[2].decode()
        if number in self._tokens.originals or not is_serial(number):
            return found[0]
        return found[1] + self._token("serial", number).encode()

    def _token(self, kind: str, name: str) -> str:
        self._count[kind] += 1
        if kind == "serial":
            return self._tokens.shaped(kind, name)
        return self._tokens.name(kind, name)


def _may_hold(hint: bytes, data: bytes) -> bool:
    return compiled(b"(?i)" + hint).search(data) is not None
