"""A simulated Ascend host: its tools stand first on PATH, its state is one flat YAML file."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from npudoctor.collect.script import render
from npudoctor.collect.snapshot import Snapshot
from npudoctor.collect.stream import StreamReader

LAB = Path(__file__).parent
TOOLS = ("npu-smi", "hccn_tool", "lspci")
SHELLS = {"dash": ("dash",), "bash": ("bash",), "busybox": ("busybox", "sh")}


@dataclass
class LabHost:
    """One simulated host.

    Attributes:
        folder: Holds `bin`, `host.yaml` and the record of calls.
        seconds: How long the last run took.
        nonce: Of the last script that was run.
    """

    folder: Path
    seconds: float = 0.0
    nonce: str = ""

    def run(
        self,
        shell: tuple[str, ...] = ("sh",),
        script: str | None = None,
        variables: dict[str, str] | None = None,
        user: str | None = None,
    ) -> Snapshot:
        """Run the script in a shell of this host and read its stream."""
        (self.folder / "calls").write_text("")
        (self.folder / "calls").chmod(0o666)
        text = self._with_room(script or self.script())
        self.nonce = text.split("N=@")[1][:32]
        environment = {**os.environ, **self.variables, **(variables or {})}
        begin = time.monotonic()
        done = subprocess.run(
            shell,
            input=text.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
            user=user,
            timeout=100,
            check=False,
        )
        self.seconds = time.monotonic() - begin
        reader = StreamReader()
        reader.feed(done.stdout)
        return reader.finish("lab", "ssh")

    def script(self, **wanted: object) -> str:
        """The rendered script, which looks for device nodes in this host's own folder."""
        return render(**wanted).replace("/dev/davinci", f"{self.folder}/dev/davinci")  # type: ignore[arg-type]

    def _with_room(self, script: str) -> str:
        """Away from the 64 MB in memory that a container has, where the tools of several tests flood it."""
        shared = os.statvfs("/dev/shm") if os.path.isdir("/dev/shm") else None
        if shared is None or shared.f_blocks * shared.f_frsize >= 256 << 20:
            return script
        floods = any(word in (self.folder / "host.yaml").read_text() for word in ("flood", "errors"))
        return script.replace("for d in /dev/shm ", "for d in ") if floods else script

    @property
    def variables(self) -> dict[str, str]:
        """What makes a process live on this host."""
        return {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def calls(self, tool: str = "npu-smi") -> list[str]:
        """Every call of a tool in the last run, in the order in which they began."""
        lines = (self.folder / "calls").read_text().splitlines()
        return [line[2:] for line in lines if line.startswith(f"+ {tool}")]

    def most_at_once(self, tool: str = "npu-smi") -> int:
        """The greatest number of calls of a tool that ran side by side."""
        now = most = 0
        for line in (self.folder / "calls").read_text().splitlines():
            if line[2:].startswith(tool):
                now += 1 if line[0] == "+" else -1
                most = max(most, now)
        return most


def build(folder: Path, without: tuple[str, ...] = (), **state: object) -> LabHost:
    """A simulated host in `folder`. `state` is written to its `host.yaml`; see `lab.sh` for the keys.

    A fault is a key with the command line (or a list of them) that it befalls:
    `hang="npu-smi info -t ecc -i 3"`.
    """
    folder.chmod(0o755)
    shutil.copytree(LAB / "bin", folder / "bin")
    shutil.copy(LAB / "lab.sh", folder / "lab.sh")
    for tool in without:
        (folder / "bin" / tool).unlink()
    rows = [
        (key, item)
        for key, value in state.items()
        for item in (value if isinstance(value, list) else [value])
    ]
    (folder / "host.yaml").write_text("".join(f"{key}: {value}\n" for key, value in rows))
    (folder / "dev").mkdir()
    for number in range(int(str(state.get("npus", 8)))):
        (folder / "dev" / f"davinci{number}").touch()
    (folder / "dev" / "davinci_manager").touch()
    return LabHost(folder)
