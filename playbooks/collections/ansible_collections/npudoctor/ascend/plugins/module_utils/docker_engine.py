"""Docker's engine: what it says of itself, and when it may be restarted.

`daemon.json` is read again at a reload (SIGHUP), which disturbs no container; of its entries the runtimes, the default
runtime and live-restore count then, and limits only after a restart (dockerd(8), "configuration reload behavior",
read 2026-11-30). With live-restore containers outlive a restart.
"""

from __future__ import annotations

import json
import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools

DAEMON = "/etc/docker/daemon.json"
OLDEST, NEWEST = (18, 9), (28, 5, 1)
WINDOW = "18.09 to 28.5.1"
"""Docker for the Ascend runtime (MindCluster installation guide, Ascend/mind-cluster@22bb3d9, read 2026-08)."""


class Engine:
    """The engine of one host. `version` is empty where there is none."""

    def __init__(self, state) -> None:
        self.state = state
        self.tools = Tools(state)
        self.info = self._info() if self.tools.has("docker") else {}
        self.installed = self.tools.has("dockerd") or self._has_unit()
        self.running = bool(self.info.get("ServerVersion"))
        self.version = self.info.get("ServerVersion") or (self._asked() if self.installed else "")
        self.containers = int(self.info.get("ContainersRunning") or 0)
        self.live_restore = self.info.get("LiveRestoreEnabled") is True
        self.runtimes = sorted(self.info.get("Runtimes") or {})

    def facts(self) -> dict:
        """What a person wants to know."""
        return {
            "version": self.version or "absent",
            "running": self.running,
            "containers": self.containers,
            "live_restore": self.live_restore,
            "runtimes": self.runtimes,
        }

    def may_restart(self, allowed: bool) -> bool:
        """Whether no container ends by it, or the caller accepts that."""
        return allowed or self.live_restore or not self.containers

    def refusal(self) -> Failure:
        """What to say where it may not be restarted."""
        words = "Docker must be restarted, and {0} containers run without live-restore".format(self.containers)
        return Failure(
            "docker-containers-running", words, "stop them, or allow it with docker_restart (--restart-docker)"
        )

    def reload(self) -> None:
        """Have it read what a reload can change."""
        self._call("reload")

    def restart(self) -> None:
        """Restart it. Ask `may_restart` first."""
        self._call("restart")

    def enable(self) -> None:
        """Start it, now and at each boot."""
        self._systemctl("enable", "--now", "docker")

    def enabled(self) -> bool:
        """Whether it starts at boot."""
        return self.tools.run("systemctl", "is-enabled", "docker").text.strip() == "enabled"

    def stale(self) -> bool:
        """Whether daemon.json was written after the engine started, so that parts of it may not count."""
        try:
            written = os.stat(self.state.host(DAEMON)).st_mtime
            shown = self.tools.run("systemctl", "show", "--property=MainPID", "docker").text
            pid = int(re.search(r"MainPID=([1-9]\d*)", shown).group(1))
            ticks = int(read_text(self.state.host("/proc/{0}/stat".format(pid))).rsplit(")", 1)[1].split()[19])
            booted = int(re.search(r"(?m)^btime (\d+)", read_text(self.state.host("/proc/stat"))).group(1))
        except (OSError, ValueError, IndexError, AttributeError):
            return False
        # Both clocks count whole seconds or worse: only a clear difference is one.
        return written > booted + ticks / os.sysconf("SC_CLK_TCK") + 2

    def _has_unit(self) -> bool:
        folders = ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")
        return any(os.path.exists(self.state.host(folder + "/docker.service")) for folder in folders)

    def _call(self, verb: str) -> None:
        self._systemctl(verb, "docker")
        self.info = self._info()
        self.runtimes = sorted(self.info.get("Runtimes") or {})

    def _systemctl(self, *argv: str) -> None:
        answer = self.tools.run("systemctl", *argv)
        if answer.rc:
            words = "systemctl {0}: {1}".format(" ".join(argv), answer.last)
            raise Failure("docker-service", words, "see journalctl -u docker")

    def _info(self) -> dict:
        answer = self.tools.run("docker", "info", "--format", "{{json .}}", seconds=60)
        line = next((line for line in answer.text.splitlines() if line.startswith("{")), "{}")
        try:
            found = json.loads(line)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def _asked(self) -> str:
        program = "dockerd" if self.tools.has("dockerd") else "docker"
        found = re.search(r"version (\d[\w.+~-]*)", self.tools.run(program, "--version").text)
        return found.group(1) if found else ""


def in_window(version: str) -> bool:
    """Whether the Ascend runtime is made for this version of Docker."""
    return bool(numbers(version)) and OLDEST <= numbers(version) <= NEWEST


def numbers(version: str) -> tuple:
    """`(24, 0, 7)` of `5:24.0.7-1~ubuntu`; empty for text that is no version."""
    found = re.match(r"(?:\d+:)?(\d+)\.(\d+)(?:\.(\d+))?", version)
    return tuple(int(part) for part in found.groups() if part is not None) if found else ()
