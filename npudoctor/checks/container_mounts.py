"""What a container mounts from its host: the driver's libraries and tools, and nothing that hides CANN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.container_remedy import numbers_inside, with_driver
from npudoctor.checks.container_scope import (
    RUNTIME_SOURCE,
    VLLM_ASCEND,
    Trouble,
    also_inside,
    is_inside,
    judge_each,
    meant_for_npus,
    npu_containers,
    trouble,
    verdict_of,
)
from npudoctor.checks.npu_scope import without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Status, Verdict, fail, ok, skip
from npudoctor.host.driver import INSTALL_INFO, ROOT
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.fact import Fact
    from npudoctor.host import Host
    from npudoctor.host.containers import NpuContainer
    from npudoctor.host.paths import Paths
    from npudoctor.parse.docker import Container, Mount
    from npudoctor.parse.listing import Listed

LIBRARIES = f"{ROOT}/driver/lib64"
VERSION_FILE = f"{ROOT}/driver/version.info"
TOOLS = ("/usr/local/bin/npu-smi", "/usr/local/sbin/npu-smi", "/usr/local/sbin", "/usr/local/bin")
FILES = (
    VERSION_FILE,
    INSTALL_INFO,
    "/usr/local/bin/npu-smi",
    "/usr/local/sbin/npu-smi",
    "/etc/hccn.conf",
    f"{ROOT}/driver/tools/hccn_tool",
)
"""What must be a file; Docker makes a folder where the source of a mount is missing."""


@check(
    "container.driver_mounts",
    title=N_("Containers that map NPUs mount the driver"),
    sources=(VLLM_ASCEND, f"{RUNTIME_SOURCE} base.list", "github.com/Ascend/cann-container-image issue 46"),
    dated="2026-08",
    role="serving",
)
def driver_mounts(host: Host) -> Verdict:
    """Images hold CANN; the driver's libraries come from the host and must be mounted.

    Without /usr/local/Ascend/driver/lib64 no process in the container can open an NPU. Without
    /usr/local/dcmi, npu-smi, version.info or /etc/ascend_install.info npu-smi answers -8005 or -8020 and
    versions cannot be read. The Ascend runtime mounts them itself, unless ASCEND_RUNTIME_OPTIONS holds
    NODRV. Mounting the whole /usr/local/Ascend hides the CANN of the image behind the host's.
    (Run lines of vllm-ascend, base.list of the Ascend runtime, cann-container-image issue 46; 2026-08.)
    """
    if is_inside(host):
        return _driver_inside(host)
    verdict = judge_each(
        host,
        _mount_troubles,
        expected=_("driver/lib64, dcmi, npu-smi, version.info and ascend_install.info of the host"),
        fix=with_driver(),
    )
    return also_inside(host, verdict, _driver_inside)


@check(
    "container.mount_sources",
    title=N_("Files that containers mount are files on the host"),
    sources=("PyPI ascend-deployer 26.0.0 library_utils/npu_checks.py", VLLM_ASCEND),
    dated="2026-08",
    role="serving",
)
def mount_sources(host: Host) -> Verdict:
    """Docker makes an empty folder where the source of `-v` does not exist, on the host and inside.

    A folder named npu-smi cannot be run, and a folder named ascend_install.info makes npu-smi on the host
    warn that the driver is not completely installed. Right: version.info, ascend_install.info, npu-smi,
    hccn.conf and hccn_tool are files. (ascend-deployer checks for it; user reports, 2026-08.)
    """
    containers, reason = npu_containers(host)
    paths = host.containers.paths
    folders = _folders_for_files(paths)
    if not containers:
        if not folders:
            return skip(reason)
        return fail(*folders, actual=_folder_words(folders), expected=_("files"), fix=_folder_fix(folders))
    troubles = [found for npu in containers for found in _source_troubles(npu, paths)]
    if not troubles:
        _all_looked_at(containers, paths)
    return verdict_of(troubles, containers, _("files"), _folder_fix(folders))


def _mount_troubles(npu: NpuContainer) -> Iterator[Trouble]:
    mounts = npu.container.mounts
    whole = next((mount for mount in mounts if mount.destination.rstrip("/") == ROOT), None)
    if whole:
        line = f"{whole.source}:{whole.destination}"
        yield trouble(Status.WARN, npu, _("mounts the whole {path}").format(path=ROOT), line)
    elif npu.maps and not _runtime_mounts(npu):
        yield from _missing_mounts(npu)


def _runtime_mounts(npu: NpuContainer) -> bool:
    options = npu.container.environment.get("ASCEND_RUNTIME_OPTIONS", "").upper()
    return (npu.by_runtime and "NODRV" not in options) or bool(npu.container.cdi)


def _missing_mounts(npu: NpuContainer) -> Iterator[Trouble]:
    if not _covers(npu.container, LIBRARIES):
        line = f"Mounts: no {LIBRARIES}"
        yield trouble(Status.FAIL, npu, _("the driver is not mounted"), line)
        return
    wanted = (VERSION_FILE, "/usr/local/dcmi", INSTALL_INFO)
    missing = [path for path in wanted if not _covers(npu.container, path)]
    if not any(_covers(npu.container, path) for path in TOOLS):
        missing.append("npu-smi")
    if missing:
        words = _("{paths} not mounted").format(paths=", ".join(missing))
        yield trouble(Status.WARN, npu, words, f"Mounts: no {', '.join(missing)}")


def _covers(container: Container, path: str) -> bool:
    """Whether the path itself or a folder above it is mounted."""
    return any(f"{path}/".startswith(mount.destination.rstrip("/") + "/") for mount in container.mounts)


def _source_troubles(npu: NpuContainer, paths: Paths) -> Iterator[Trouble]:
    for mount in _file_mounts(npu):
        source = paths.of(mount.source)
        if source.known and source.value.kind == "folder":
            words = _("{path} is a folder").format(path=mount.source)
            yield trouble(Status.FAIL, npu, words, source.value.line)
        elif source.absent:
            words = _("{path} is not there: the next start makes a folder").format(path=mount.source)
            yield trouble(Status.WARN, npu, words, f"{mount.source}:{mount.destination}")


def _file_mounts(npu: NpuContainer) -> list[Mount]:
    return [mount for mount in npu.container.mounts if mount.destination in FILES]


def _all_looked_at(containers: tuple[NpuContainer, ...], paths: Paths) -> None:
    """Nothing is right of all mounts while nobody looked at the source of one.

    Raises:
        Unavailable: The source of a mounted file is not known.
    """
    for mount in (mount for npu in containers for mount in _file_mounts(npu)):
        _listed = paths.of(mount.source).value


def _folders_for_files(paths: Paths) -> list[Fact[Listed]]:
    facts = [paths.of(path) for path in FILES]
    return [fact for fact in facts if fact.known and fact.value.kind == "folder"]


def _folder_words(folders: Iterable[Fact[Listed]]) -> str:
    return _("{paths}: folder in place of a file").format(
        paths=", ".join(fact.value.path for fact in folders)
    )


def _driver_inside(host: Host) -> Verdict:
    """From within: the driver's version.info and its libraries must be there."""
    info, install = host.driver.on_disk, host.driver.install
    if (reason := without_npu(host)) and not meant_for_npus(host):
        return skip(reason)
    if info.absent and (meant_for_npus(host) or host.npus.present.value):
        actual = _("{path} is not there").format(path=VERSION_FILE)
        fix = with_driver(numbers=numbers_inside(host))
        missing = Evidence(VERSION_FILE, _("not there"))
        return fail(missing, actual=actual, expected=_("the driver of the host, mounted"), fix=fix)
    return ok(info, install, actual=info.value.version or "")


def _folder_fix(folders: Iterable[Fact[Listed]]) -> Fix:
    paths = [fact.value.path for fact in folders]
    commands = tuple(f"rmdir {path}" for path in paths)
    return Fix(
        Action.REINSTALL,
        _("Remove the empty folder, and mount the file from where it really is."),
        commands,
        role="driver",
    )
