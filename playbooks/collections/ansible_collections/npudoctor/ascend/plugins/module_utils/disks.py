"""Where a folder lies: on which file system, and with how much room."""

from __future__ import annotations

import os

from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text

_MIB = 1 << 20


def filesystem(path: str, mounts: str = "") -> tuple:
    """Kind and place of the file system that holds a path, as /proc/mounts (or this text of one) has it."""
    rows = [line.split() for line in (mounts or read_text("/proc/mounts")).splitlines()]
    fitting = [row for row in rows if len(row) > 2 and (path + "/").startswith(row[1].rstrip("/") + "/")]
    # Of two on the same place the later one hides the other.
    best = max(enumerate(fitting), key=lambda each: (len(each[1][1]), each[0]), default=(0, ["", "/", ""]))[1]
    return best[2], best[1]


def free_mb(path: str) -> int:
    """MiB free for root where a path is or will be."""
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    held = os.statvfs(path)
    return held.f_bavail * held.f_frsize // _MIB
