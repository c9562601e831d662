"""Settings of containers that a model server trips over: memory, limits, restarts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.container_scope import (
    VLLM_ASCEND,
    Trouble,
    judge_each,
    npu_containers,
    trouble,
    verdict_of,
)
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Status, Verdict, skip
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.host import Host
    from npudoctor.host.containers import NpuContainer
    from npudoctor.parse.docker import DaemonConfig

FIELD_REPORT = "field report: a long-context chat model on Ascend 910B (CANN 7.0, driver 6.0)"
DOCKER_SHM = 64 * 1024**2
ENOUGH_SHM = 1024**3
STACK_BYTES = 16 * 1024**2
UNLIMITED = -1


@check(
    "container.shm",
    title=N_("Containers with several NPUs have shared memory for their workers"),
    sources=(VLLM_ASCEND, "github.com/vllm-project/vllm-ascend issue 3513", "MindIE installation guide"),
    dated="2026-08",
    role="serving",
)
def shm(host: Host) -> Verdict:
    """Workers of one model talk through /dev/shm, and Docker gives 64 MB of it.

    A container with several NPUs dies with a bus error once it is full. The run lines of vllm-ascend ask for
    1 GB and those of MindIE for 1 GB or more; --ipc=host shares the host's. One NPU alone needs none.
    (vllm-ascend installation page and issue 3513, MindIE guide; 2026-08.)
    """
    fix = Fix(
        Action.CONFIGURE,
        _("Start the container with more shared memory."),
        ("docker run --shm-size=16g …",),
        role="serving",
    )
    return judge_each(host, _shm_troubles, expected=_("1 GB or more, or --ipc=host"), fix=fix)


@check(
    "container.stack",
    title=N_("Containers that set a stack limit set 16 MB or more"),
    sources=(FIELD_REPORT,),
    dated="2026-08",
    role="serving",
)
def stack(host: Host) -> Verdict:
    """The CANN runtime wants a stack of 16 MB; a container has what it was started with.

    The order is --ulimit stack=… of the container, then default-ulimits of daemon.json, then the limit of
    the engine's service, which `limits.stack_services` judges. (Field report on Ascend 910B: `ulimit -s` of
    8192 KB ends in ACL_ERROR_RT_FAILED; 2026-08.)
    """
    containers, reason = npu_containers(host)
    if reason:
        return skip(reason)
    config = host.containers.config.or_none()
    if not any(_stack_of(npu, config) for npu in containers):
        return skip(_("no container sets one: see limits.stack_services"))
    troubles = [found for npu in containers for found in _stack_troubles(npu, config)]
    fix = Fix(
        Action.CONFIGURE,
        _("Start the container with a stack of 16 MB or more."),
        ("docker run --ulimit stack=67108864:67108864 …",),
        role="serving",
    )
    return verdict_of(troubles, containers, _("16384 KB or more"), fix)


@check(
    "container.restart",
    title=N_("Serving containers come back after a reboot"),
    sources=("docs.docker.com: start containers automatically",),
    dated="2026-08",
    role="serving",
)
def restart(host: Host) -> Verdict:
    """A container without a restart policy stays down after a reboot, which every firmware change needs.

    Judged for containers that run without a terminal: those with one are somebody's session. Right:
    `unless-stopped` or `always`, or a supervisor of your own. (Docker manual, 2026-08.)
    """
    fix = Fix(
        Action.CONFIGURE,
        _("Give the container a restart policy, if nothing else starts it after a reboot."),
        ("docker update --restart unless-stopped NAME",),
        role="serving",
    )
    return judge_each(host, _restart_troubles, expected="unless-stopped", fix=fix)


def _shm_troubles(npu: NpuContainer) -> Iterator[Trouble]:
    container = npu.container
    size = container.shm_bytes
    shared = container.ipc in ("host",) or container.ipc.startswith("container:")
    mounted = any(mount.destination == "/dev/shm" for mount in container.mounts)  # noqa: S108
    several = len(npu.numbers) > 1 or (container.privileged and not npu.numbers)
    if shared or mounted or not several:
        return
    if size is None:
        yield trouble(Status.UNKNOWN, npu, _("the size of its shared memory is not told"), "ShmSize: -")
    elif size < ENOUGH_SHM:
        status = Status.FAIL if size <= DOCKER_SHM else Status.WARN
        words = _("{size} MB for several NPUs").format(size=size // 1024**2)
        yield trouble(status, npu, words, f"ShmSize: {size}")


def _stack_of(npu: NpuContainer, config: DaemonConfig | None) -> tuple[int, str] | None:
    """The soft stack limit in bytes that is set for a container, and where."""
    if own := npu.container.ulimits.get("stack"):
        return own[0], "Ulimits"
    default = config.default_ulimits.get("stack") if config else None
    return (default[0], "default-ulimits") if default else None


def _stack_troubles(npu: NpuContainer, config: DaemonConfig | None) -> Iterator[Trouble]:
    found = _stack_of(npu, config)
    if found and found[0] != UNLIMITED and found[0] < STACK_BYTES:
        words = _("stack of {kb} KB").format(kb=found[0] // 1024)
        yield trouble(Status.FAIL, npu, words, f"{found[1]}: stack {found[0]}")


def _restart_troubles(npu: NpuContainer) -> Iterator[Trouble]:
    container = npu.container
    if container.running and not container.terminal and container.restart == "no":
        yield trouble(Status.WARN, npu, _("no restart policy"), "RestartPolicy: no")
