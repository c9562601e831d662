"""Who and where a host is: its names, people and serial numbers, out of what was collected of it.

The same table says where a name stands for sure (`/etc/hosts`, `uid=1000(NAME)`): there it is learnt, and
there it is replaced even where it is a word like any other.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from npudoctor.collect.redact import known
from npudoctor.collect.redact.engine import compiled
from npudoctor.collect.redact.names import Names
from npudoctor.collect.redact.tokens import is_token
from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.collect.snapshot import Entry, Snapshot

_NAME = rb"[A-Za-z0-9_][A-Za-z0-9._-]*"
_FEWEST_DIGITS = 6
"""Letters and digits of a serial number that is replaced wherever it stands."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name of a kind stands: in entries whose path matches, as a group of the pattern."""

    path: str
    kind: str
    pattern: bytes


OUTSIDE = "host/"
"""Where a container's bundle holds what was read of its host."""
_HOST_NAME = rb"(?i)(\b(?:hostname|server_id)(?:\\*\"[ \t]*:[ \t]*\\*\"|=\"?)|\bstatic hostname:[ \t]*)"
PLACES = (
    Place("files/proc/sys/kernel/hostname", "host", rb"^()(\S+)"),
    Place("files/etc/hostname", "host", rb"^()(\S+)"),
    Place("commands/uname_-a", "host", rb"^(Linux )(\S+)"),
    Place("commands/docker_info", "host", rb"(?m)^( *Name: )(\S+)"),
    Place(
        "environment",
        "host",
        rb"(?m)^((?:HOSTNAME|HOST|NODE_NAME|NODENAME|SLURMD_NODENAME|MASTER_ADDR|POD_NAME)=)(\S+)$",
    ),
    Place(
        "environment",
        "host",
        rb"(?m)^((?:SLURM_SUBMIT_HOST|SLURM_(?:JOB_|STEP_)?NODELIST)=)(\S+)$",
    ),
    Place(
        "environment",
        "host",
        rb"(?mi)^((?:https?|ftp|all)_proxy=(?:[^\s/@]*@)?)([a-z0-9][a-z0-9.-]*)(?::[0-9]+)?/?$",
    ),
    Place("environment", "user", rb"(?m)^((?:USER|LOGNAME|USERNAME|SUDO_USER|SLURM_JOB_USER)=)(\S+)$"),
    Place("files/etc/passwd", "name", rb"(?m)^([^:\n]*:[^:\n]*:[1-9][0-9]{3,}:[0-9]+:)([^:\n]+)"),
    Place("commands/docker_info", "user", rb"(?m)^( *Username: )(\S+)"),
    Place("commands/docker_info", "serial", rb"(?m)^( *(?:Node|Cluster)?ID: )([A-Za-z0-9:-]{16,})"),
    Place(
        "commands/docker_inspect_*",
        "host",
        rb"(?m)^([ \t]*\")([A-Za-z][A-Za-z0-9._-]*):[0-9]{1,3}(?:\.[0-9]{1,3}){3}\"",
    ),
    Place("commands/id", "user", rb"(uid=[1-9]\d{3,}\()(" + _NAME + rb")"),
    Place("logs/journalctl*", "host", rb"(?m)^(\d{4}-\d\d-\d\dT[0-9:+.-]+ )(\S+)"),
)
EVERYWHERE = (
    Place("*", "user", rb"(/home/)([A-Za-z0-9_\x80-\xff][A-Za-z0-9._\x80-\xff-]*)"),
    Place("*", "host", _HOST_NAME + rb"(" + _NAME + rb")"),
    Place("*", "host", rb"()([A-Za-z0-9-]*[A-Za-z0-9])\.domain-[0-9a-f]{8}"),
)
OF_NAMES = ("files/etc/hosts", "files/etc/passwd", "files/etc/group", "commands/id")
"""Paths of entries that hold nothing but names."""
_HOSTS_LINE = rb"(?m)^[ \t]*[0-9A-Fa-f:.]+[ \t]+([^#\n]+)"
_PASSWD_LINE = rb"(?m)^([^:#\n]+):[^:\n]*:(\d+):\d+:([^:\n]*):"
_OWNER = rb"(?m)^[bcdlps-][rwxsStT-]{9}[.+@]?[ \t]+\d+[ \t]+(" + _NAME + rb")[ \t]"
SERIAL = (
    rb"(?i)(\b(?:serial[ _-]?(?:number|num|no\.?)|serial|sn|(?:product|system|board|chassis)[ _-]uuid"
    rb"|(?:part)?uuid|machine[ _-]?id|asset[ _-]?tag|[nv]?die[ _-]?id)"
    rb"\\*\"?(?:[ \t]*[=:][ \t]*|[ \t]+)\\*\"?)"
    rb"([A-Za-z0-9]+(?:-[0-9A-Za-z]{2,12}| [0-9A-F]{8})*)"
)
"""A label, and the number behind it: in one word, or in groups of hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a host says of itself.

    Attributes:
        names: Those that are replaced wherever they stand.
        words: Those too that are words like any other, for the few files that hold nothing but names.
        everybodys: Accounts of the system, which are no person's.
    """

    names: Names
    words: Names
    everybodys: frozenset[str]

    def is_own(self, kind: str, name: str) -> bool:
        """Whether a name at a place for names is one of a person or of this host."""
        if kind == "name":
            return not known.is_account(name)
        if known.is_number(name) or any(is_token(part) for part in name.split(".")):
            return False
        if kind == "host":
            return not known.is_host(name)
        return name not in self.everybodys and not known.is_account(name)


def learn(snapshot: Snapshot) -> Identity:
    """What a snapshot says of its host."""
    identity = Identity(Names(()), Names(()), _system_accounts(snapshot))
    found: dict[str, str] = {}
    for kind, name in _all(snapshot, identity):
        found.setdefault(name, kind)
    plain = (
        (name, kind) for name, kind in found.items() if kind in ("serial", "name") or not known.is_word(name)
    )
    people = ((name, kind) for name, kind in found.items() if kind in ("user", "host") and len(name) > 1)
    return Identity(Names(plain), Names(people), identity.everybodys)


def is_serial(text: str) -> bool:
    """Whether what stands behind a label is a number of something, and not `NA` or a word."""
    plain = text.replace("-", "").replace(" ", "")
    return len(plain) >= _FEWEST_DIGITS and len(set(plain)) > 2 and any(letter.isdigit() for letter in plain)


def spellings(host: str) -> Iterator[tuple[str, str]]:
    """Kind and text of a host's short name and of its domain, as far as they are its own."""
    host = host.strip(".")
    if not host or known.is_number(host) or known.is_host(host):
        return
    short, _dot, domain = host.partition(".")
    yield "host", host if known.is_word(short) or known.is_number(short) else short
    if "." in domain and not known.is_host(domain):
        yield "domain", domain


def _all(snapshot: Snapshot, identity: Identity) -> Iterator[tuple[str, str]]:
    for part in snapshot.name.split("/"):
        yield from spellings(part)
    for entry in snapshot.entries.values():
        path = entry.path.removeprefix(OUTSIDE)
        for kind, name in () if path.startswith("logs/") else _in_entry(entry, path):
            if kind == "host":
                yield from spellings(name)
            elif kind != "user" or identity.is_own(kind, name):
                yield kind, name


def _in_entry(entry: Entry, path: str) -> Iterator[tuple[str, str]]:
    for place in (*places(path), *EVERYWHERE):
        if place.kind == "name":
            continue  # `_people` tells which of them are more than a word
        for text in (entry.stdout, entry.origin.encode() if place in EVERYWHERE else b""):
            yield from ((place.kind, _text(found[2])) for found in compiled(place.pattern).finditer(text))
    if path == "files/etc/hosts":
        for found in compiled(_HOSTS_LINE).finditer(entry.stdout):
            yield from (("host", _text(name)) for name in found[1].split())
    if path in ("files/etc/passwd", "commands/getent_passwd"):
        yield from _people(entry.stdout)
    if path.startswith("commands/ls_-l"):
        yield from (("user", _text(found[1])) for found in compiled(_OWNER).finditer(entry.stdout))
    for found in compiled(SERIAL).finditer(entry.stdout):
        if is_serial(_text(found[2])):
            yield "serial", _text(found[2])


def _people(passwd: bytes) -> Iterator[tuple[str, str]]:
    """Accounts of people, and what they are called in full."""
    for found in compiled(_PASSWD_LINE).finditer(passwd):
        name, number, full = _text(found[1]), int(found[2]), _text(found[3]).partition(",")[0]
        if _is_persons(number):
            yield "user", name
            if (
                len(full.encode()) > 4
                and full != name
                and not (known.is_account(name) or known.is_word(full))
            ):
                yield "name", full


def places(path: str) -> Iterable[Place]:
    """Where names stand for sure in the entry of a path, and in no other."""
    return (place for place in PLACES if fnmatchcase(path, place.path))


def _system_accounts(snapshot: Snapshot) -> frozenset[str]:
    """The accounts of `/etc/passwd` that are no person's."""
    entry = snapshot.entry("files/etc/passwd")
    rows = compiled(_PASSWD_LINE).finditer(entry.stdout if entry else b"")
    return frozenset(_text(row[1]) for row in rows if not _is_persons(int(row[2])))


def _is_persons(number: int) -> bool:
    return 1000 <= number < 65000 or number > 65535


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
