"""Who uses the NPUs of a host now: processes, and the containers that are given them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, first_known, known
from npudoctor.parse.open_nodes import parse_open_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.host import Host
    from npudoctor.parse.fuser import Holder

_READERS = ("npu-smi", "hccn_tool", "upgrade-tool")
"""What reads NPUs for the survey itself, and holds their nodes meanwhile."""


@dataclass(frozen=True, slots=True)
class User:
    """A process with an NPU open. Its name may be unknown."""

    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} ({self.pid})" if self.name else str(self.pid)


@dataclass(frozen=True, slots=True)
class Use:
    """What would be cut off.

    Attributes:
        users: Processes, by /proc, fuser and npu-smi together.
        containers: Running containers that are given an NPU; absent where there is no engine.
        running: All running containers; absent likewise.
        outlive: Whether they outlive a restart of the engine (live-restore).
    """

    users: Fact[tuple[User, ...]]
    containers: Fact[tuple[str, ...]]
    running: Fact[tuple[str, ...]]
    outlive: bool


def read_use(host: Host) -> Use:
    """Read it out of a host."""
    config = host.containers.config.or_none()
    return Use(
        users=_users(host),
        containers=host.containers.names,
        running=host.snapshot.command("docker ps names").map(lambda text: tuple(text.split())),
        outlive=bool(config and config.live_restore),
    )


def _users(host: Host) -> Fact[tuple[User, ...]]:
    by_proc = host.snapshot.output("ls /proc/fd davinci").map(lambda entry: parse_open_nodes(entry.text))
    nodes = host.npus.nodes
    if by_proc.absent and nodes.known and all(node.number is None for node in nodes.value):
        return known((), "ls -l /dev", "no /dev/davinciN")
    found = dict(_named(host, by_proc))
    users = tuple(User(pid, name) for pid, name in sorted(found.items()))
    seen = (fact.map(lambda _any: users) for fact in (by_proc, host.npus.holders, host.npus.table))
    return first_known(*seen)


def _named(host: Host, by_proc: Fact[tuple[Holder, ...]]) -> Iterator[tuple[int, str]]:
    """Each process that is seen by anybody, with its name where that one knows it."""
    table = host.npus.table.or_none()
    for process in table.processes if table else ():
        yield process.pid, process.name or ""
    for holder in (*(host.npus.holders.or_none() or ()), *(by_proc.or_none() or ())):
        if (holder.command or "") not in _READERS:
            yield holder.pid, holder.command or ""
