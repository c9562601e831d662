"""Hosts as trees of files, with and without Docker, and packages of the Ascend runtime that really run."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.provision.collection.calling import STANDINS, give, lay

ARCH = os.uname().machine
HOME = "usr/local/Ascend/Ascend-Docker-Runtime"
BOOTED = 1_700_000_000
_INSTALLER = """\
#!/bin/bash
# A runtime package that asks for consent and writes over daemon.json, as bad ones do.
home="{root}/{home}" config="{root}/etc/docker/daemon.json"
echo "install $*" >> "{root}/ran"
echo 'Do you accept the EULA to install Ascend-docker-runtime?[Y/N]'
read -r answer || exit 9
[ "$answer" = Y ] || {{ echo 'install cancelled, user declined EULA'; exit 0; }}
mkdir -p "$home/script"
{fault}
cat > "$config" <<TEXT
{{"runtimes": {{"ascend": {{"path": "/{home}/ascend-docker-runtime"}}}}, "default-runtime": "ascend"}}
TEXT
printf 'version=v{version}\\narch={arch}\\n' > "$home/ascend_docker_runtime_install.info"
cat > "$home/script/uninstall.sh" <<TEXT
#!/bin/bash
echo uninstall >> "{root}/ran"
rm -rf "$home"
echo {{}} > "$config"
echo "[INFO] uninstall.sh exec success"
TEXT
: > "$home/ascend-docker-runtime"
echo '[INFO] ascend-docker-runtime install success'
"""


def bare(root: Path, *offers: str) -> Path:
    """Debian without Docker, whose repositories offer these versions of docker.io."""
    give(root, "apt-get", "apt-cache", "systemctl")
    (root / "spare").mkdir()
    for tool in ("dockerd", "docker"):
        shutil.copy(STANDINS / tool, root / "spare" / tool)
    lines = "".join(f" docker.io | {offer} | http://mirror bookworm/main Packages\n" for offer in offers)
    lay(root, {"/offers": lines, "/proc/sys/kernel/random/boot_id": "1-2-3\n"})
    return root


def running(
    root: Path, version: str = "24.0.7", containers: int = 0, config: Mapping[str, Any] = MappingProxyType({})
) -> Path:
    """A host whose engine runs, with this daemon.json loaded."""
    bare(root)
    give(root, "dockerd", "docker")
    info = {"ServerVersion": version, "ContainersRunning": containers, "Runtimes": {"runc": {}}}
    lay(
        root,
        {
            "/engine": f"{version}\n",
            "/containers": f"{containers}\n",
            "/pid": "100\n",
            "/proc/100/stat": "100 (dockerd) " + "0 " * 19 + "0 0\n",
            "/proc/stat": f"btime {BOOTED}\n",
            "/loaded": json.dumps({**info, "LiveRestoreEnabled": config.get("live-restore", False)}),
        },
    )
    if config:
        lay(root, {"/etc/docker/daemon.json": json.dumps(dict(config))})
        os.utime(root / "etc/docker/daemon.json", (BOOTED, BOOTED))
    return root


def calls(root: Path) -> list[str]:
    """What was asked of systemd and the package manager."""
    path = root / "calls"
    return path.read_text().splitlines() if path.exists() else []


def daemon(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / "etc/docker/daemon.json").read_text())
    return found


def runtime_package(
    root: Path, version: str = "7.2.RC1", arch: str = ARCH, fault: str = ""
) -> dict[str, Any]:
    """A package in the store of the host."""
    text = _INSTALLER.format(root=root, home=HOME, version=version, arch=arch, fault=fault)
    return stored(root, f"Ascend-docker-runtime_{version}_linux-{arch}.run", text.encode())


def stored(root: Path, name: str, data: bytes) -> dict[str, Any]:
    """Any package in the store, as modules take it."""
    sha256 = hashlib.sha256(data).hexdigest()
    path = root / "var/lib/npudoctor/store/sha256" / sha256[:2] / sha256
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return {"name": name, "sha256": sha256, "size": len(data)}
