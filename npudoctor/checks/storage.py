"""Space, inodes and kind of the file systems that NPU jobs, CANN and containers write to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.fact import Fact
    from npudoctor.host import Host
    from npudoctor.parse.df import FileSystem

CANN_GUIDE = "hiascend.com CANN installation guide (8.3, 8.5, 9.0, 9.1)"
KUBERNETES_NODES = (
    "github.com/Ascend/mind-cluster docs/zh/scheduling/03_installation_guide/01_environment_dependencies.md"
)
KUBELET_EVICTS = (
    "https://www.hiascend.com/document/detail/en/mindcluster/730/clustersched/schedulingug/"
    "dlug_installation_001.html"
)
ERRNO_28 = "https://github.com/hiyouga/LlamaFactory/issues/6309"

ASCEND = "/usr/local/Ascend"
PLACES = ("/", "/tmp", "/var/log", "/root", "/home", ASCEND)  # noqa: S108 (looked at, not written to)
GIB = 1024 * 1024
"""In KiB."""
FULL_KB = 100 * 1024
TIGHT_KB = GIB
CANN_KB = 10 * 1000 * 1000
KUBERNETES_KB = 300 * 1000 * 1000
BOOT_KB = 500 * 1000
MOST_USED = 85
MOST_INODES = 95


@check(
    "storage.space",
    title=N_("System, temporary files and logs have room"),
    sources=(ERRNO_28,),
    dated="2026-08",
)
def space(host: Host) -> Verdict:
    """CANN compiles operators, writes logs and unpacks in /tmp, home and its own folder.

    When one of these is full, the first error is errno 28 and the failures of CANN_KB, TBE and GE after it
    only follow. Under 100 MB left fails, under 1 GB warns.
    """
    disks = list(_distinct(host.storage.space_at(place) for place in _places(host)))
    tight = [disk for disk in disks if disk.value.free < TIGHT_KB]
    expected = _("at least 1 GiB free")
    if not tight:
        return ok(*disks, actual=_free(disks), expected=expected)
    judge = fail if any(disk.value.free < FULL_KB for disk in tight) else warn
    mounts = " ".join(disk.value.mount for disk in tight)
    fix = Fix(Action.FREE, _("Free space there."), (f"sudo du -xh --max-depth=2 {mounts} | sort -h | tail",))
    return judge(*tight, actual=_free(tight), expected=expected, fix=fix)


@check(
    "storage.inodes",
    title=N_("File systems have inodes left"),
    sources=(ERRNO_28,),
    dated="2026-08",
)
def inodes(host: Host) -> Verdict:
    """A file system with space but no inode left also answers with errno 28.

    Operator caches (`kernel_meta`) and logs are many small files. None left fails, over 95 % used warns.
    """
    disks = list(_distinct(host.storage.inodes_at(place) for place in _places(host)))
    tight = [disk for disk in disks if disk.value.total and disk.value.used_percent > MOST_INODES]
    if not tight:
        return ok(*disks, actual=_shares(disks))
    judge = fail if any(disk.value.free <= 0 for disk in tight) else warn
    command = "sudo find {} -xdev -printf '%h\\n' | sort | uniq -c | sort -n | tail"
    fix = Fix(
        Action.FREE,
        _("Remove the folder with the most files."),
        tuple(command.format(disk.value.mount) for disk in tight),
    )
    return judge(
        *tight, actual=_shares(tight), expected=_("under {percent} %").format(percent=MOST_INODES), fix=fix
    )


@check(
    "storage.install_space",
    title=N_("CANN has 10 GB where it is installed"),
    sources=(CANN_GUIDE, "PyPI ascend-deployer 26.0.0 library_utils/cann_checks.py"),
    dated="2026-08",
)
def install_space(host: Host) -> Verdict:
    """CANN from 8.5 on takes 10 GB to install or upgrade, older ones 7 GB; its installer stops below that.

    Where a CANN is installed already, too little space only stands in the way of the next one.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    if host.npus.present.or_none() is False:
        return skip(_("no NPU on this machine"))
    disk = host.storage.space_at(ASCEND)
    expected = _("at least 10 GB free")
    if disk.value.free >= CANN_KB:
        return ok(disk, actual=_free([disk]), expected=expected)
    judge = fail if host.cann.installations.value == () else warn
    fix = Fix(Action.FREE, _("Free space, or install elsewhere (--install-path)."), (f"du -sh {ASCEND}/*",))
    return judge(disk, actual=_free([disk]), expected=expected, fix=fix)


@check(
    "storage.container_space",
    title=N_("The container engine's disk is filled to less than 85 %"),
    sources=(KUBERNETES_NODES, KUBELET_EVICTS),
    dated="2026-08",
)
def container_space(host: Host) -> Verdict:
    """Images of NPU stacks have 10 GB and more, and kubelet begins to evict at 85 %.

    MindCluster asks nodes of Kubernetes for over 300 GB on the disk of Docker, and warns that a root disk
    above 85 % makes the services unavailable. Without kubelet only a full disk matters.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    engine, kubelet = host.containers.engine.or_none(), _has_kubelet(host)
    if engine is None and not kubelet:
        return skip(_("no container engine was seen"))
    disk = host.storage.space_at((engine.root if engine else None) or "/var/lib/docker")
    used = f"{disk.value.mount}: {disk.value.used_percent:.0f} %"
    clean = Fix(
        Action.FREE, _("Remove images that no container uses."), ("docker system df", "docker image prune -a")
    )
    if disk.value.used_percent > MOST_USED:
        judge = fail if kubelet else warn
        return judge(disk, actual=used, expected=_("under {percent} %").format(percent=MOST_USED), fix=clean)
    if kubelet and disk.value.total < KUBERNETES_KB:
        actual = f"{disk.value.mount}: {_gib(disk.value.total)}"
        return warn(disk, actual=actual, expected="> 300 GB", fix=clean)
    return ok(disk, actual=used)


@check(
    "storage.log_folders",
    title=N_("Ascend logs take less than what is left on their disk"),
    sources=("github.com/hicann/runtime docs/zh/log_ref",),
    dated="2026-08",
)
def log_folders(host: Host) -> Verdict:
    """Every process writes its own log files; debug levels and profiling fill a disk in hours.

    Judged by what is left: a folder of logs that is larger than the free space would fill the disk if it grew
    to twice its size.
    """
    folders = host.storage.log_folders_kb
    if not folders.value:
        return skip(_("no folder of Ascend logs"))
    large = {
        path: size
        for path, size in folders.value.items()
        if size > max(host.storage.space_at(path).value.free, 0)
    }
    sizes = large or folders.value
    actual = ", ".join(f"{path}: {_gib(size)}" for path, size in sizes.items())
    if not large:
        return ok(folders, actual=actual)
    commands = tuple(f"find {path} -type f -mtime +7 -delete" for path in large)
    fix = Fix(Action.FREE, _("Remove logs older than a week, and look at the log level."), commands)
    return warn(folders, *(host.storage.space_at(path) for path in large), actual=actual, fix=fix)


@check(
    "storage.boot",
    title=N_("/boot is large enough for another kernel"),
    sources=(KUBERNETES_NODES,),
    dated="2026-08",
)
def boot(host: Host) -> Verdict:
    """MindCluster asks for 500 MB for /boot; a full one breaks kernel and dkms updates half-way.

    Judged only where /boot is a file system of its own.
    """
    disk = host.storage.space_at("/boot")
    if disk.value.mount != "/boot":
        return skip(_("/boot is no file system of its own"))
    actual = _("{size}, {free} free").format(size=_gib(disk.value.total), free=_gib(disk.value.free))
    if disk.value.total >= BOOT_KB and disk.value.free >= FULL_KB:
        return ok(disk, actual=actual)
    summary = _("Remove kernels that are not used any more.")
    fix = Fix(Action.FREE, summary, ("sudo apt-get autoremove --purge || sudo dnf remove --oldinstallonly",))
    return warn(disk, actual=actual, expected=_("500 MB, 100 MB of it free"), fix=fix)


def _places(host: Host) -> tuple[str, ...]:
    variables = host.environment.variables.or_none() or {}
    home = variables.get("HOME", "")
    return (*PLACES, home) if home.startswith("/") else PLACES


def _distinct(disks: Iterator[Fact[FileSystem]]) -> Iterator[Fact[FileSystem]]:
    """Each file system once; the first that could not be read makes the check unknown."""
    seen: set[str] = set()
    for disk in disks:
        if disk.value.mount not in seen:
            seen.add(disk.value.mount)
            yield disk


def _free(disks: list[Fact[FileSystem]]) -> str:
    return ", ".join(f"{disk.value.mount}: {_gib(disk.value.free)}" for disk in disks)


def _shares(disks: list[Fact[FileSystem]]) -> str:
    return ", ".join(f"{disk.value.mount}: {disk.value.used_percent:.0f} %" for disk in disks)


def _has_kubelet(host: Host) -> bool:
    return any(one.unit == "kubelet" for one in host.limits.services.or_none() or ())


def _gib(kb: int) -> str:
    return f"{kb / GIB:.1f} GiB"
