"""Resource limits of the shell and of services."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, ParseError, unavailable
from npudoctor.parse.systemd import parse_systemctl_show, parse_systemd_unit, soft_limit
from npudoctor.parse.ulimit import UNLIMITED, parse_ulimit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.collect.snapshot import Entry, Snapshot

_UNIT_FILES = ("/usr/lib/systemd/system/*", "/lib/systemd/system/*", "/etc/systemd/system/*")


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """The soft stack limit that a service passes on.

    Attributes:
        unit: `docker`, without `.service`.
        stack_kb: KiB; -1 is unlimited.
        evidence: The line.
    """

    unit: str
    stack_kb: int
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of the shell and of services."""

    stack_kb: Fact[int]
    """Soft stack limit of the shell in KiB; -1 is unlimited."""
    open_files: Fact[int]
    """Soft limit of open files; -1 is unlimited."""
    open_files_hard: Fact[int]
    """Hard limit of open files, up to which a program may raise its own; -1 is unlimited."""
    locked_memory_kb: Fact[int]
    """Soft limit of locked memory in KiB; -1 is unlimited."""
    processes: Fact[int]
    """Soft limit of the user's processes and threads; -1 is unlimited."""
    cgroup_processes: Fact[int]
    """Limit of processes and threads of the control group; -1 is unlimited."""
    services: Fact[tuple[ServiceLimits, ...]]
    """Services whose stack limit is known, by name."""


def read_limits(snapshot: Snapshot) -> Limits:
    """Read it out of a snapshot."""
    return Limits(
        stack_kb=snapshot.command("ulimit -s").map(parse_ulimit),
        open_files=snapshot.command("ulimit -n").map(parse_ulimit),
        open_files_hard=snapshot.command("ulimit -Hn").map(parse_ulimit),
        locked_memory_kb=snapshot.command("ulimit -l").map(parse_ulimit),
        processes=snapshot.command("ulimit -u").map(parse_ulimit),
        cgroup_processes=snapshot.file("/sys/fs/cgroup/pids.max").map(_pids_max),
        services=_services(snapshot),
    )


def _pids_max(text: str) -> int:
    return UNLIMITED if text.strip() == "max" else parse_ulimit(text)


def _services(snapshot: Snapshot) -> Fact[tuple[ServiceLimits, ...]]:
    """What systemd says of its running configuration; where it was not asked, what its files say."""
    units = dict(_written(snapshot)) | dict(_loaded(snapshot))
    if not units:
        return unavailable("systemctl show: not collected", "systemctl show")
    return Fact(tuple(units[name] for name in sorted(units)))


def _loaded(snapshot: Snapshot) -> Iterator[tuple[str, ServiceLimits]]:
    for entry in snapshot.matching("commands/systemctl_show*"):
        for block in _blocks(entry):
            name = block.get("Id") or re.split(r"[ _/]", entry.origin)[-1]
            key = "LimitSTACKSoft" if "LimitSTACKSoft" in block else "LimitSTACK"
            if block.get("LoadState", "loaded") == "loaded" and _tells(block, key):
                line = f"Id={name} {key}={block[key]}"
                yield from _service(name, block[key], Evidence(entry.origin, line))


def _tells(block: Mapping[str, str], key: str) -> bool:
    """`LimitSTACK=infinity` of `systemctl show` is the hard limit and leaves the soft one open."""
    return key in block and (key == "LimitSTACKSoft" or block[key] != "infinity")


def _written(snapshot: Snapshot) -> Iterator[tuple[str, ServiceLimits]]:
    """Unit files, then their drop-ins, in systemd's own order: the later one counts."""
    for pattern in _UNIT_FILES:
        for path, text in snapshot.files(pattern):
            unit = re.search(r"/([^/]+)\.service(?:\.d/[^/]+\.conf)?$", path)
            stack = text.map(lambda it: parse_systemd_unit(it).get("LimitSTACK")).or_none()
            if unit and stack:
                yield from _service(unit[1], stack, Evidence(path, f"LimitSTACK={stack}"))


def _service(name: str, value: str, proof: Evidence) -> Iterator[tuple[str, ServiceLimits]]:
    unit = name.removesuffix(".service")
    try:
        limit = soft_limit(value)
    except ParseError:
        return
    stack_kb = limit if limit == UNLIMITED else limit // 1024
    yield unit, ServiceLimits(unit, stack_kb, proof)


def _blocks(entry: Entry) -> tuple[Mapping[str, str], ...]:
    try:
        return parse_systemctl_show(entry.text)
    except ParseError:
        return ()
