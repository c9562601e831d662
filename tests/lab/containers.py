"""A simulated Ascend host with real containers: an engine, nodes and a driver that nobody else sees."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import docker

from npudoctor.checks.registry import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.container import Engine
from npudoctor.collect.containers import description, within
from npudoctor.collect.script import render
from npudoctor.collect.snapshot import Snapshot
from npudoctor.collect.stream import StreamReader
from npudoctor.finding import Finding, Status
from npudoctor.host import Host
from npudoctor.matrix import load_matrix

LAB = Path(__file__).parent
MANAGERS = ("davinci_manager", "devmm_svm", "hisi_hdc")
NPUS = 4
DRIVER = "25.0.rc1.1"
CANN = "8.2.RC1"
IMAGE = "quay.io/ascend/cann:8.2.rc1-910b-openeuler24.03-py3.11"
PROGRAM = "/usr/local/Ascend/Ascend-Docker-Runtime/ascend-docker-runtime"
MODEST = "/usr/local/bin/modest-runc"
"""A runtime that gives no CAP_SYS_RESOURCE: a machine without it starts no privileged container."""
RUNTIMES = {"runtimes": {"ascend": {"path": PROGRAM}, "modest": {"path": MODEST}}}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MOUNTS = (
    "/usr/local/Ascend/driver/lib64",
    "/usr/local/Ascend/driver/version.info",
    "/usr/local/dcmi",
    "/usr/local/bin/npu-smi",
    "/etc/ascend_install.info",
)
_HOST = {
    "usr-local/bin/getconf": (
        "#!/bin/sh\ncase $1 in GNU_LIBC_VERSION) echo glibc 2.38 ;; *) echo 4096 ;; esac\n"
    ),
    "usr-local/Ascend/driver/version.info": f"Version={DRIVER}\npackage_version={DRIVER}\n",
    "usr-local/Ascend/driver/lib64/libascend_hal.so": "",
    "usr-local/dcmi/libdcmi.so": "",
    "usr-local/Ascend/Ascend-Docker-Runtime/ascend-docker-runtime": '#!/bin/sh\nexec runc "$@"\n',
    "usr-local/bin/modest-runc": (
        "#!/bin/sh\n"
        'for word; do [ "$last" != --bundle ] || bundle=$word; last=$word; done\n'
        '[ -z "$bundle" ] || sed -i \'s/"CAP_SYS_RESOURCE"/"CAP_KILL"/g\' "$bundle/config.json"\n'
        'exec runc "$@"\n'
    ),
    "etc/ascend_install.info": (
        "UserName=HwHiAiUser\nUserGroup=HwHiAiUser\nDriver_Install_Type=full\n"
        "Driver_Install_Path_Param=/usr/local/Ascend\nDriver_Install_For_All=no\n"
    ),
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nHwHiAiUser:x:1000:1000::/home/HwHiAiUser:/bin/sh\n",
    "etc/group": "root:x:0:\nHwHiAiUser:x:1000:\n",
    "etc/docker/daemon.json": json.dumps(RUNTIMES),
}
_TREE = f"usr/local/Ascend/cann-{CANN}"
_ARCH = os.uname().machine
_KERNELS = f"{_TREE}/opp/built-in/op_impl/ai_core/tbe/kernel"
_IMAGE = {
    "etc/os-release": 'NAME="openEuler"\nID="openEuler"\nVERSION="24.03 (LTS)"\nVERSION_ID="24.03"\n',
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "etc/group": "root:x:0:\n",
    "bin/getconf": _HOST["usr-local/bin/getconf"],
    "entrypoint.sh": (
        "#!/bin/sh\n"
        "echo npus: $(ls /dev | grep -c '^davinci[0-9]') >/usr/local/host.yaml\n"
        f"echo driver: {DRIVER} >>/usr/local/host.yaml\n"
        f". /{_TREE}/set_env.sh\n"
        'exec "$@"\n'
    ),
    f"{_TREE}/set_env.sh": (
        f"export ASCEND_TOOLKIT_HOME=/{_TREE} ASCEND_HOME_PATH=/{_TREE} ASCEND_OPP_PATH=/{_TREE}/opp\n"
        f"export LD_LIBRARY_PATH=/{_TREE}/lib64:/usr/local/Ascend/driver/lib64\n"
    ),
    f"{_TREE}/lib64/libascendcl.so": "",
    f"{_TREE}/bin/atc": "",
    f"{_TREE}/bin/msprof": "",
    f"{_TREE}/{_ARCH}-linux/ascend_toolkit_install.info": (
        f"package_name=Ascend-cann-toolkit\nversion={CANN}\narch={_ARCH}\nos=linux\npath=/{_TREE}/{_ARCH}-linux\n"
    ),
    f"{_TREE}/{_ARCH}-linux/data/platform_config/Ascend910B3.ini": "",
    f"{_KERNELS}/ascend910b/add.o": "",
    f"{_KERNELS}/config/ascend910b/add.json": "",
}


def missing() -> str:
    """Why there can be no such host on this machine; empty where there can."""
    if os.geteuid() != 0:
        return "not root"
    if lacking := [
        tool for tool in ("dockerd", "docker", "busybox", "unshare", "nsenter") if not shutil.which(tool)
    ]:
        return f"no {', '.join(lacking)}"
    if list(Path("/dev").glob("davinci*")):
        return "a machine with NPUs"
    return ""


@dataclass
class DockerHost:
    """The host, from its start to `stop`.

    Attributes:
        folder: Holds all of it; short, as the path of the engine's socket lies in it.
        engine: The process that the others of this host belong to.
    """

    folder: Path
    engine: subprocess.Popen[bytes]
    client: docker.DockerClient = field(init=False)

    @property
    def socket(self) -> str:
        """What DOCKER_HOST is for this host."""
        return f"unix://{self.folder}/docker.sock"

    def start(self, name: str = "serve", numbers: tuple[int, ...] = (0,), **settings: Any) -> Any:
        """Start a container that is right, but for what `settings` (of docker-py) say."""
        wanted: dict[str, Any] = {
            "image": IMAGE,
            "command": ["sleep", "1000"],
            "devices": nodes(*numbers),
            "volumes": [f"{path}:{path}:ro" for path in MOUNTS],
            "shm_size": "1g",
            "ulimits": [docker.types.Ulimit(name="stack", soft=64 << 20, hard=64 << 20)],
            "restart_policy": {"Name": "unless-stopped"},
            "network_mode": "none",
        } | settings
        return self.client.containers.run(name=name, detach=True, **wanted)

    def clear(self) -> None:
        """End all containers."""
        for one in self.client.containers.list(all=True):
            one.remove(force=True)

    def run(
        self, *command: str, text: str = "", check: bool = True, **more: Any
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command on this host."""
        prefix = ["nsenter", f"--mount=/proc/{self.engine.pid}/ns/mnt", "--wd=/"]
        environment = {**os.environ, "PATH": PATH, "DOCKER_HOST": ""}
        options: dict[str, Any] = {"env": environment, "capture_output": True, "timeout": 60} | more
        return subprocess.run([*prefix, *command], input=text.encode(), check=check, **options)

    def write(self, path: str, text: str) -> None:
        """Write a file of this host."""
        self.run("sh", "-c", 'cat >"$1"', "sh", path, text=text)

    def read(self) -> Snapshot:
        """What `check` reads of it."""
        reader = StreamReader()
        reader.feed(self.run("sh", text=render()).stdout)
        return reader.finish("lab", "local")

    def inside(self, name: str, timeout: float | None = None) -> Snapshot:
        """What `check --container` reads."""
        engine = Engine(self.socket)
        try:
            found = engine.find(name)
            inside = engine.read(found, render(pid=1, timeout=timeout))
            return within(self.read(), description(found.attributes), inside)
        finally:
            engine.close()

    def judge(self, name: str | None = None) -> dict[str, Finding]:
        """The findings that are neither pass nor skip: of its containers, or all of one container."""
        if name:
            return findings_of(self.inside(name))
        return findings_of(self.read(), "container")

    def reload(self, *names: str) -> None:
        """Register these runtimes only, and let the engine take it."""
        kept = {name: RUNTIMES["runtimes"][name] for name in names}
        self.write("/etc/docker/daemon.json", json.dumps({"runtimes": kept}))
        self.engine.send_signal(signal.SIGHUP)
        until = time.monotonic() + 10
        while set(self.client.info()["Runtimes"]) & set(RUNTIMES["runtimes"]) != set(names):
            assert time.monotonic() < until, "the engine does not take its configuration"
            time.sleep(0.05)

    def build(self, tag: str, without: tuple[str, ...] = (), env: tuple[str, ...] = (), **files: str) -> None:
        """An image from what is on this machine: busybox and some files. `files` are by path, `_` for `/`."""
        changes = [f"ENV {each}" for each in ("PATH=/usr/local/bin:/bin", *env)]
        if "entrypoint.sh" not in without:
            changes.append('ENTRYPOINT ["/entrypoint.sh"]')
        content = {path: text for path, text in {**_IMAGE, **files}.items() if path not in without}
        self.client.api.import_image_from_data(_root(content, without), repository=tag, changes=changes)

    def stop(self) -> None:
        """End everything that this object started."""
        with contextlib.suppress(docker.errors.DockerException):
            self.clear()
            self.client.close()
        self.engine.terminate()
        self.engine.wait(20)


def findings_of(snapshot: Snapshot, area: str | None = None) -> dict[str, Finding]:
    """The findings that are neither pass nor skip, by id."""
    checks = [check for check in all_checks() if area in (None, check.area)]
    found = run_checks(checks, Host(snapshot), load_matrix())
    return {one.id: one for one in found if one.status not in (Status.PASS, Status.SKIP)}


def nodes(*numbers: int, permissions: str = "rwm", without: tuple[str, ...] = ()) -> list[str]:
    """The `--device` values for some NPUs with their manager nodes."""
    names = [name for name in (*(f"davinci{number}" for number in numbers), *MANAGERS) if name not in without]
    return [f"/dev/{name}:/dev/{name}:{permissions}" for name in names]


@contextlib.contextmanager
def docker_host(folder: Path) -> Iterator[DockerHost]:
    """A host in an empty folder; it ends with the block."""
    _lay_out(folder)
    with (folder / "dockerd.log").open("wb") as log:
        engine = subprocess.Popen(
            ["unshare", "--mount", "sh", str(LAB / "docker_host.sh"), str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    host = DockerHost(folder, engine)
    try:
        host.client = _connect(host)
        host.build(IMAGE)
        yield host
    finally:
        host.stop()


def _lay_out(folder: Path) -> None:
    tools = {"usr-local/lab.sh": LAB / "lab.sh"}
    tools |= {f"usr-local/bin/{name}": LAB / "bin" / name for name in ("npu-smi", "lspci")}
    state = {"usr-local/host.yaml": f"npus: {NPUS}\ndriver: {DRIVER}\n"}
    for path, text in {**_HOST, **state, **{path: file.read_text() for path, file in tools.items()}}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
    (folder / "dev").mkdir()
    names = [*(f"davinci{number}" for number in range(NPUS)), *MANAGERS]
    (folder / "nodes").write_text("".join(f"{name}\n" for name in names))


def _connect(host: DockerHost) -> docker.DockerClient:
    until = time.monotonic() + 30
    while time.monotonic() < until and host.engine.poll() is None:
        with contextlib.suppress(docker.errors.DockerException, OSError):
            client = docker.DockerClient(host.socket, timeout=30)
            client.ping()
            return client
        time.sleep(0.05)
    raise AssertionError(f"no engine: {(host.folder / 'dockerd.log').read_text()[-2000:]}")


def _root(files: dict[str, str], without: tuple[str, ...]) -> bytes:
    """The root of an image: a tar with busybox, the simulated tools' library and files."""
    busybox = Path(shutil.which("busybox") or "/bin/busybox")
    applets = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        _add(tar, "bin/busybox", busybox.read_bytes())
        for name in applets:
            if name not in ("busybox", *without) and f"bin/{name}" not in files:
                link = tarfile.TarInfo(f"bin/{name}")
                link.type, link.linkname = tarfile.SYMTYPE, "busybox"
                tar.addfile(link)
        _add(tar, "usr/local/lab.sh", (LAB / "lab.sh").read_bytes())
        for path, text in files.items():
            _add(tar, path, text.encode())
        for folder in ("tmp", "root"):
            made = tarfile.TarInfo(folder)
            made.type, made.mode = tarfile.DIRTYPE, 0o1777
            tar.addfile(made)
    return buffer.getvalue()


def _add(tar: tarfile.TarFile, path: str, data: bytes) -> None:
    member = tarfile.TarInfo(path)
    member.size, member.mode = len(data), 0o755
    tar.addfile(member, io.BytesIO(data))
