"""Who may change a host: the lease that lies there, and whether its owner still lives."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def owner(run: str) -> dict[str, Any]:
    """Who we are, so that a run that died on this machine is known to be dead."""
    pid = os.getpid()
    return {"run": run, "host": socket.gethostname(), "boot": _boot(), "pid": pid, "start": _start(pid)}


def in_use(lease: Mapping[str, Any], now: float, run: str) -> bool:
    """Whether another run works on the host: by its lease, and on this machine by its process.

    Args:
        lease: The object in the file; empty where there is none.
        now: Seconds since 1970, by the host's clock.
        run: The run that asks.
    """
    if not lease or lease.get("run") == run or now >= lease.get("until", 0):
        return False
    here = (lease.get("host"), lease.get("boot")) == (socket.gethostname(), _boot())
    return not here or _start(int(lease.get("pid", 0))) == lease.get("start")


def whose(lease: Mapping[str, Any]) -> str:
    """The run and its machine, for a person."""
    return f"{lease.get('run', '?')} ({lease.get('host', '?')})"


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _start(pid: int) -> str:
    """When a process began, in ticks since boot; empty where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
