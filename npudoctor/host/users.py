"""The user who runs this, HwHiAiUser, and the owners of folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.host.paths import Paths, read_paths
from npudoctor.parse.passwd import Group, Identity, User, parse_group, parse_id, parse_passwd

if TYPE_CHECKING:
    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.fact import Fact

RUN_USER = "HwHiAiUser"
"""The user and group that the driver belongs to where its installer is not told another pair."""


@dataclass(frozen=True, slots=True)
class Users:
    """The user who runs this, HwHiAiUser, and the owners of folders."""

    uid: Fact[int]
    """Of the user who runs this."""
    me: Fact[Identity]
    """The user who runs this, with all groups."""
    users: Fact[tuple[User, ...]]
    """Rows of `/etc/passwd`."""
    groups: Fact[tuple[Group, ...]]
    """Rows of `/etc/group`."""
    pam_su: Fact[str]
    """Text of `/etc/pam.d/su`."""
    paths: Paths
    """Owners and modes of the folders that were looked at."""

    def user(self, name: str) -> Fact[User | None]:
        """The user of that name; None where there is none."""
        found = self.users.map(lambda rows: next((row for row in rows if row.name == name), None))
        row = found.or_none()
        line = f"{row.name}:x:{row.uid}:{row.gid}::{row.home}:{row.shell}" if row else f"no row {name}:"
        return found.map(lambda same: same, text=line)

    def group(self, name: str) -> Fact[Group | None]:
        """The group of that name; None where there is none."""
        found = self.groups.map(lambda rows: next((row for row in rows if row.name == name), None))
        row = found.or_none()
        line = f"{row.name}:x:{row.gid}:{','.join(row.members)}" if row else f"no row {name}:"
        return found.map(lambda same: same, text=line)


def read_users(snapshot: Snapshot) -> Users:
    """Read it out of a snapshot."""
    me = snapshot.command("id").map(parse_id)
    return Users(
        uid=me.map(lambda identity: identity.uid),
        me=me,
        users=snapshot.file("/etc/passwd").map(parse_passwd),
        groups=snapshot.file("/etc/group").map(parse_group),
        pam_su=snapshot.file("/etc/pam.d/su"),
        paths=read_paths(snapshot),
    )
