"""Call `npudoctor provision` on lab hosts as a person does: in a process of its own, that can be killed."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

STACK = "a2-cann8.5.0-vllm0.13.0"
OLD = {"driver": "25.2.0", "firmware": "7.7.0.2.220"}
NEW = {"driver": "25.5.0", "firmware": "7.8.0.5.216"}
PACE = "0.1"


@dataclass
class Caller:
    """Who calls: with an inventory, a folder of packages, and a folder for runs.

    Attributes:
        more: Options of every call.
    """

    inventory: Path
    packages: Path
    runs: Path
    more: tuple[str, ...] = ("--only", "driver,firmware")

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Call `provision` with these options, and those that every call has."""
        given = ["--hosts", str(self.inventory), "--stack", STACK, "--packages", str(self.packages), "--yes"]
        return self.start(*given, *self.more, *words)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start any call of `provision`."""
        command = [sys.executable, "-m", "npudoctor", "provision", *words, "--run-dir", str(self.runs)]
        home = self.runs.parent / "home"
        home.mkdir(exist_ok=True)
        environment = {**os.environ, "NPUDOCTOR_PROVISION_PACE": PACE, "HOME": str(home)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
        return subprocess.Popen(command, text=True, env=environment, **pipes)

    def call(self, *words: str) -> tuple[int, str]:
        """Call `provision` and wait: the exit code and all that it said."""
        return ended(self.begin(*words))

    def resume(self) -> tuple[int, str]:
        """Go on with the newest run."""
        return ended(self.start("resume"))

    def retry(self) -> tuple[int, str]:
        """Try the newest run again."""
        return ended(self.start("retry", "--yes"))

    def newest(self) -> Path:
        """The folder of the newest run."""
        return max(path for path in self.runs.glob("*-*-*"))

    def words(self) -> dict[str, str]:
        """Each host's word in the newest report."""
        report = json.loads((self.newest() / "report.json").read_text())
        return {host["name"]: host["word"] for host in report["hosts"]}

    def kill_at(self, process: subprocess.Popen[str], line: int, later: float = 0.0) -> bool:
        """Kill it when its journal has so many lines, and a moment later; False where it had ended before."""
        known = {*self.runs.glob("*-*-*")} if self.runs.exists() else set()
        while process.poll() is None:
            fresh = [path for path in self.runs.glob("*-*-*") if path not in known]
            if fresh and lines_of(fresh[0] / "journal.jsonl") >= line:
                time.sleep(later)
                break
            time.sleep(0.02)
        alive = process.poll() is None
        process.send_signal(signal.SIGKILL)
        ended(process)
        return alive


def lines_of(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    said, _nothing = process.communicate(timeout=600)
    return process.returncode, said


def record_of(host) -> dict:
    """The record on a host, whole."""
    outer = json.loads(host.run("cat", "/var/lib/npudoctor/record.json").stdout)
    record: dict = json.loads(outer["record"])
    return record


def installed_twice(installs) -> list[str]:
    """What was installed with success more than once."""
    good = [(one.component, one.version) for one in installs if one.code in (0, 2)]
    return [f"{name} {version}" for name, version in set(good) if good.count((name, version)) > 1]
