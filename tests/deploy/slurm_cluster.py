"""A real Slurm of one node on the loopback net: munged, slurmctld and slurmd of this machine, run as root."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab.sshd import free_port

SBIN = f"{os.environ.get('PATH', '')}:/usr/sbin"
DAEMONS = {name: shutil.which(name, path=SBIN) for name in ("munged", "slurmctld", "slurmd")}
MISSING = [name for name, path in DAEMONS.items() if path is None]
NODE = "lab"
_CONFIG = """\
ClusterName=lab
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmdPort={node_port}
AuthInfo=socket={folder}/munge.sock
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
NodeName={node} NodeAddr=127.0.0.1 NodeHostname=localhost CPUs=1
PartitionName=all Nodes={node} Default=YES State=UP
"""


@dataclass
class Cluster:
    """The running daemons and their folder."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, lines: str) -> None:
        """Write slurm.conf, with `lines` at its end, and start all three daemons."""
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(64))
        key.chmod(0o600)
        config = _CONFIG.format(folder=self.folder, node=NODE, ctld_port=free_port(), node_port=free_port())
        (self.folder / "slurm.conf").write_text(config + lines)
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self._run("munged", "--foreground", "--force", *self._munge_files())
        until((self.folder / "munge.sock").exists, "munged does not listen")
        config_file = str(self.folder / "slurm.conf")
        self._run("slurmctld", "-D", "-f", config_file)
        self._run("slurmd", "-D", "-N", NODE, "-f", config_file)
        until(lambda: self.state() == "idle", "the node does not register", self.logs)

    def _munge_files(self) -> list[str]:
        names = {
            "key-file": "key",
            "socket": "sock",
            "pid-file": "pid",
            "log-file": "log",
            "seed-file": "seed",
        }
        return [f"--{option}={self.folder}/munge.{ending}" for option, ending in names.items()]

    def _run(self, daemon: str, *arguments: str) -> None:
        path = DAEMONS[daemon]
        assert path
        with (self.folder / f"{daemon}.out").open("wb") as out:
            self.processes.append(
                subprocess.Popen(
                    [path, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.environment
                )
            )

    @property
    def environment(self) -> dict[str, str]:
        """What makes Slurm's commands talk to this cluster."""
        return {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def call(self, *command: str, seconds: float = 20) -> subprocess.CompletedProcess[str]:
        """Run one of Slurm's commands."""
        return subprocess.run(
            command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            cwd=self.folder,
        )

    def state(self) -> str:
        """The node's state: `idle`, `drained`, ..."""
        return self._node("%T")

    def reason(self) -> str:
        """Why it is drained; `none` where it is not."""
        return self._node("%E")

    def _node(self, what: str) -> str:
        return self.call("sinfo", "-h", "-N", "-n", NODE, "-o", what).stdout.strip()

    def update(self, *settings: str) -> None:
        """What an administrator does: `scontrol update NodeName=lab ...`."""
        done = self.call("scontrol", "update", f"NodeName={NODE}", *settings)
        assert done.returncode == 0, done.stderr

    def logs(self) -> str:
        """The end of every log, for a failed test."""
        return "\n".join(f"{file.name}: {file.read_text()[-800:]}" for file in self.folder.glob("*.log"))

    def stop(self) -> None:
        """End the daemons that this object started, the last first."""
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def slurm_cluster(folder: Path, lines: str = "") -> Iterator[Cluster]:
    """A cluster in an empty folder; its processes end with the block."""
    cluster = Cluster(folder)
    try:
        cluster.start(lines)
        yield cluster
    finally:
        cluster.stop()


def until(holds, what: str, told=lambda: "", seconds: float = 20) -> None:
    """Wait until `holds()`; fails with `what` where it does not within so many seconds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"{what}\n{told()}"
        time.sleep(0.1)
