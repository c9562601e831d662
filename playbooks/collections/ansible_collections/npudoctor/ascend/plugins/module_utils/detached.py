"""Programs that outlive the connection by which they were started: a transient unit, or a session of their own."""

from __future__ import annotations

import os
import subprocess

_SYSTEMD = "/run/systemd/system"
_NULL = subprocess.DEVNULL


def detach(unit: str, argv: list) -> None:
    """Start a program as a unit; where there is no systemd (or it refuses), in a session of its own."""
    if os.path.isdir(_SYSTEMD):
        command = ["systemd-run", "--quiet", "--collect", "--unit", unit]
        if subprocess.run(command + argv, stdout=_NULL, stderr=_NULL, check=False).returncode == 0:
            return
    subprocess.Popen(argv, stdin=_NULL, stdout=_NULL, stderr=_NULL, start_new_session=True)


def unit_active(unit: str) -> bool:
    """Whether a unit runs."""
    if not os.path.isdir(_SYSTEMD):
        return False
    command = ["systemctl", "is-active", "--quiet", unit + ".service"]
    return subprocess.run(command, stdout=_NULL, stderr=_NULL, check=False).returncode == 0
