"""What others set in login files and units that costs speed, or comes twice. It is theirs, and is only named."""

from __future__ import annotations

import glob
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text

_FILES = (
    "/etc/environment",
    "/etc/profile",
    "/etc/profile.d/*.sh",
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/root/.bashrc",
    "/root/.bash_profile",
    "/root/.profile",
    "/home/*/.bashrc",
    "/home/*/.bash_profile",
    "/home/*/.profile",
    "/etc/systemd/system.conf.d/*.conf",
    "/etc/systemd/system/*.service",
    "/etc/systemd/system/*.service.d/*.conf",
)
_BLOCKING = re.compile(r"[^#]*\bASCEND_LAUNCH_BLOCKING=[\"']?1\b")
_SOURCED = re.compile(r"[^#]*(?:^|[\s;&])(?:\.|source)\s+\S*(?:ascend-toolkit|cann)\S*/set_env\.sh")


def left_over(state, own: str, sourced_by_us: bool) -> list:
    """A sentence for each line. `own`: our file; `sourced_by_us`: whether that one sources set_env.sh."""
    found = []
    for path in sorted({path for pattern in _FILES for path in glob.glob(state.host(pattern))}):
        here = path[len(state.root.rstrip("/")) :]
        if here == own:
            continue
        for number, line in enumerate(read_text(path).splitlines(), 1):
            where = "{0}:{1}".format(here, number)
            if _BLOCKING.match(line):
                found.append(where + " sets ASCEND_LAUNCH_BLOCKING=1, which makes every operator wait for the NPU")
            elif sourced_by_us and _SOURCED.match(line):
                found.append(where + " sources set_env.sh too: its folders come twice")
    return found
