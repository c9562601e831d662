"""A Docker engine of a lab host's own: the programs are this machine's, daemon and containers the host's.

`lab.boot("node1", docker="real")`. It starts at every boot, and its containers end with the host.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

REAL = "real"
_PLACE = "/opt/docker"
_BRIDGE = "npudoctor-lab0"
_PROGRAMS = ("dockerd", "containerd", "containerd-shim-runc-v2", "runc", "docker")
_ROOT_HAS = re.compile(r"(ld-linux|lib(c|m|dl|rt|pthread|resolv|systemd)\.so)")
"""Libraries that must be those of the host's root: its own C library, and what belongs to its systemd."""


def engine_options(folder: Path, state: str) -> list[str]:
    """Options of `docker run` that bring the engine into a host; none where its `docker` is another.

    Args:
        folder: The folder of the host; images and containers lie in it.
        state: The text of its `host.yaml`.
    """
    if f"docker: {REAL}\n" not in state:
        return []
    programs = [_path(name) for name in _PROGRAMS]
    files = [(path, "bin") for path in programs] + [(path, "lib") for path in _libraries(programs)]
    capability = ["--cap-add", "NET_ADMIN"]  # for containers with the net of the host
    mounts = [f"{folder}/docker:/var/lib/docker"]  # overlay2 wants a file system that is not overlay itself
    mounts += [f"{path.resolve()}:{_PLACE}/{kind}/{path.name}:ro" for path, kind in files]
    return capability + [word for mount in mounts for word in ("-v", mount)]


def remove_bridge() -> None:
    """Remove what all engines of the lab share on this machine; one that starts makes it again."""
    subprocess.run(["ip", "link", "delete", _BRIDGE], capture_output=True, check=False)


def _path(program: str) -> Path:
    found = shutil.which(program, path=f"/usr/sbin:/usr/bin:{os.environ.get('PATH', '')}")
    assert found, f"{program} is not on this machine"
    return Path(found)


def _libraries(programs: list[Path]) -> list[Path]:
    """What they are linked to, but for what the root of a host has."""
    done = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, check=False)
    found = {Path(path) for path in re.findall(r"=> (/\S+)", done.stdout)}
    return sorted(path for path in found if not _ROOT_HAS.match(path.name))
