"""Users and groups: `/etc/passwd`, `/etc/group`, `id`."""

from __future__ import annotations

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

_ID = regex(r"uid=(\d{1,18})(?:\(([^)]*)\))?\s+gid=(\d{1,18})(?:\(([^)]*)\))?(?:\s+(?:groups|组)=(\S+))?")
_GROUP = regex(r"(\d{1,18})(?:\(([^)]*)\))?")


@dataclass(frozen=True, slots=True)
class User:
    """A row of `/etc/passwd`."""

    name: str
    uid: int
    gid: int
    home: str
    shell: str


@dataclass(frozen=True, slots=True)
class Group:
    """A row of `/etc/group`; `members` does not hold those whose first group it is."""

    name: str
    gid: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Identity:
    """What `id` prints.

    Attributes:
        uid: 0 is root.
        name: None where the number has no name here.
        gid: Of the first group.
        groups: Name (None where it has none) by number, the first group too.
    """

    uid: int
    name: str | None
    gid: int
    groups: dict[int, str | None]

    def in_group(self, name: str) -> bool:
        """Whether a group of this name is among its groups."""
        return name in self.groups.values()


@parser("passwd", origin="/etc/passwd")
def parse_passwd(text: str) -> tuple[User, ...]:
    """The users, in order. Lines that are no row (comments, NIS marks) are passed over.

    Raises:
        ParseError: No row at all.
    """
    rows = [line.split(":") for line in text.splitlines()]
    users = [User(row[0], int(row[2]), int(row[3]), row[5], row[6]) for row in rows if _is_user(row)]
    if not users:
        raise ParseError("no row of the form name:x:uid:gid:comment:home:shell")
    return tuple(users)


@parser("group", origin="/etc/group")
def parse_group(text: str) -> tuple[Group, ...]:
    """The groups, in order.

    Raises:
        ParseError: No row at all.
    """
    rows = [line.split(":") for line in text.splitlines()]
    groups = [Group(row[0], int(row[2]), _names(row[3])) for row in rows if len(row) == 4 and _number(row[2])]
    if not groups:
        raise ParseError("no row of the form name:x:gid:members")
    return tuple(groups)


@parser("id", origin="id")
def parse_id(text: str) -> Identity:
    """The user, the first group and all groups of `id`.

    Raises:
        ParseError: The text has no `uid=… gid=…`.
    """
    match = _ID.search(text)
    if match is None:
        raise ParseError("no uid=… gid=… line")
    groups = {int(match[3]): match[4] or None}
    for gid, name in _GROUP.findall(match[5] or ""):
        groups[int(gid)] = name or None
    return Identity(int(match[1]), match[2] or None, int(match[3]), groups)


def _is_user(row: list[str]) -> bool:
    return len(row) >= 7 and _number(row[2]) and _number(row[3])


def _number(text: str) -> bool:
    return text.isdecimal() and len(text) <= 18


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
