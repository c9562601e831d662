"""Limits of the shell and of the services that start NPU jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import without_ascend
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.parse.ulimit import UNLIMITED
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.host.limits import ServiceLimits

FIELD_REPORT = "field report: a long-context chat model on Ascend 910B (CANN 7.0, driver 6.0)"
STACK_KB = 16384
OPEN_FILES = 65535
PROCESSES_PER_NPU = 64
ENGINES = ("docker", "containerd", "isulad", "crio", "podman", "kubelet")


@check(
    "limits.stack",
    title=N_("The stack limit of the shell is at least 16 MB"),
    sources=(FIELD_REPORT,),
    dated="2026-08",
    role="host_tuning",
)
def stack(host: Host) -> Verdict:
    """The CANN runtime needs a stack of 16 MB; the usual limit is 8192 KB.

    A field report of an Ascend 910B service found three causes of ACL_ERROR_RT_FAILED: a driver that is too
    old, PCIe ASPM, and `ulimit -s` at 8192 KB. A small stack also ends in a segmentation fault without any
    CANN code. Right is 16384 or more, or `unlimited`, in the shell that starts the job.
    """
    if reason := without_ascend(host):
        return skip(reason)
    limit = host.limits.stack_kb
    actual, expected = _in_kb(limit.value), _("at least {kb} KB").format(kb=STACK_KB)
    if _reaches(limit.value, STACK_KB):
        return ok(limit, actual=actual, expected=expected)
    return fail(
        limit, actual=actual, expected=expected, fix=_for(host, _raise_stack(), "stack=67108864:67108864")
    )


@check(
    "limits.stack_services",
    title=N_("Services that start NPU jobs pass on a stack of at least 16 MB"),
    sources=(FIELD_REPORT, "systemd.exec(5), LimitSTACK="),
    dated="2026-08",
    role="host_tuning",
)
def stack_services(host: Host) -> Verdict:
    """A container or a unit inherits its stack limit from what starts it, not from your shell.

    Docker, containerd, kubelet and systemd units start with 8 MB where nothing sets `LimitSTACK` or, for
    Docker, `default-ulimits`. The runtime needs 16 MB (see `limits.stack`). An engine or kubelet is a
    warning, because a container may set its own (`--ulimit stack=…`); any other service fails.
    """
    if reason := without_ascend(host):
        return skip(reason)
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    services = host.limits.services.value
    if not services:
        return skip(_("no such service"))
    small = [
        one for one in services if not _reaches(one.stack_kb, STACK_KB) and not _set_for_docker(host, one)
    ]
    expected = _("at least {kb} KB").format(kb=STACK_KB)
    if not small:
        lines = (one.evidence for one in services)
        return ok(*lines, actual=", ".join(_service(one) for one in services), expected=expected)
    judge = warn if all(one.unit in ENGINES for one in small) else fail
    return judge(
        *(one.evidence for one in small),
        actual=", ".join(_service(one) for one in small),
        expected=expected,
        fix=_raise_services(small),
    )


@check(
    "limits.open_files",
    title=N_("A process may open enough files"),
    sources=(
        "github.com/vllm-project/vllm vllm/utils (set_ulimit: 65535)",
        "github.com/hicann/ge base/common/error_registry/error_registry.cc (E13001)",
    ),
    dated="2026-08",
    role="host_tuning",
)
def open_files(host: Host) -> Verdict:
    """Sockets to every rank, shards of weights and logs all count as open files.

    vLLM raises its own limit to 65535 and warns where the hard limit forbids that; CANN reports E13001
    where a file cannot be opened for want of a descriptor. Right is a hard limit of 65535 or more.
    """
    if reason := without_ascend(host):
        return skip(reason)
    soft, hard = host.limits.open_files, host.limits.open_files_hard
    most = hard if hard.known else soft
    expected = _("at least {count}").format(count=OPEN_FILES)
    if _reaches(soft.value, OPEN_FILES) or _reaches(most.value, OPEN_FILES):
        return ok(soft, hard, actual=_count(soft.value), expected=expected)
    lines = ("*  -  nofile  1048576", "root  -  nofile  1048576")
    fix = _for(host, _limits_conf("nofile", lines), "nofile=1048576:1048576")
    return warn(soft, hard, actual=_count(most.value), expected=expected, fix=fix)


@check(
    "limits.processes",
    title=N_("The user may start enough processes and threads"),
    sources=(
        "https://www.hiascend.com/document/detail/en/canncommercial/850/appdevg/acldevg/aclcppdevg_000222.html",
        "github.com/hicann/runtime src/dfx/error_manager/error_code.json (EE1021, EK0203)",
    ),
    dated="2026-08",
    role="host_tuning",
)
def processes(host: Host) -> Verdict:
    """CANN reports EE1021 or EK0203 where the limit of processes keeps it from starting a thread.

    The vendor allows up to 64 user processes on one NPU. A limit (`ulimit -u`, the `pids` control group)
    below 64 for each NPU cannot even hold these, and every thread of theirs counts too.
    """
    if reason := without_ascend(host):
        return skip(reason)
    needed = PROCESSES_PER_NPU * max(host.npus.count.or_none() or 1, 1)
    group = host.limits.cgroup_processes
    known = [limit for limit in (host.limits.processes, group) if limit.known]
    tight = [limit for limit in known if not _reaches(limit.value, needed)]
    expected = _("at least {count}").format(count=needed)
    if tight:
        lines = ("*  -  nproc  unlimited",)
        actual = ", ".join(_count(limit.value) for limit in tight)
        fix = _for(host, _limits_conf("nproc", lines), "nproc=-1:-1")
        return fail(*tight, actual=actual, expected=expected, fix=fix)
    return ok(*known, actual=_count(host.limits.processes.value), expected=expected)


@check(
    "limits.locked_memory",
    title=N_("A key-value cache in host memory may be locked"),
    sources=("https://github.com/LMCache/LMCache-Ascend/issues/5",),
    dated="2025-08",
    role="host_tuning",
)
def locked_memory(host: Host) -> Verdict:
    """LMCache-Ascend locks the host memory that it keeps the key-value cache in.

    With a small `ulimit -l` that ends in "Unable to pin host memory with error code: -1"; in containers the
    limit comes from the engine (`LimitMEMLOCK=infinity` in its unit). Judged only where LMCache is installed.
    """
    interpreters = host.python.interpreters.or_none() or ()
    if not any(name.startswith("lmcache") for one in interpreters for name in one.packages):
        return skip(_("LMCache is not installed"))
    limit = host.limits.locked_memory_kb
    if limit.value == UNLIMITED:
        return ok(limit, actual=_in_kb(limit.value))
    lines = ("*  -  memlock  unlimited", "root  -  memlock  unlimited")
    fix = _for(host, _limits_conf("memlock", lines), "memlock=-1:-1")
    return warn(limit, actual=_in_kb(limit.value), expected="unlimited", fix=fix)


def _reaches(limit: int, wanted: int) -> bool:
    return limit == UNLIMITED or limit >= wanted


def _in_kb(limit: int) -> str:
    return "unlimited" if limit == UNLIMITED else f"{limit} KB"


def _count(limit: int) -> str:
    return "unlimited" if limit == UNLIMITED else str(limit)


def _service(one: ServiceLimits) -> str:
    return f"{one.unit}: {_in_kb(one.stack_kb)}"


def _set_for_docker(host: Host, service: ServiceLimits) -> bool:
    """Whether Docker gives every container a stack of its own (`default-ulimits` of daemon.json)."""
    config = host.containers.config.or_none()
    limits = config.default_ulimits.get("stack") if config else None
    if service.unit not in ("docker", "containerd") or limits is None:
        return False
    return limits[0] == UNLIMITED or limits[0] >= STACK_KB * 1024


def _for(host: Host, fix: Fix, ulimit: str) -> Fix:
    """The remedy on a host; a container has the limits that it was started with."""
    if not host.system.in_container.or_none():
        return fix
    summary = _("Start the container again with a higher limit.")
    return Fix(Action.CONFIGURE, summary, (f"docker run --ulimit {ulimit} …",), role="serving")


def _raise_stack() -> Fix:
    lines = tuple(f"{who}  soft  stack  {STACK_KB}" for who in ("*", "root"))
    there = _limits_conf("stack", lines)
    return Fix(there.action, there.summary, (f"ulimit -s {STACK_KB}", *there.commands), there.role)


def _limits_conf(topic: str, lines: tuple[str, ...]) -> Fix:
    file = f"/etc/security/limits.d/90-ascend-{topic}.conf"
    text = "\\n".join(lines)
    return Fix(
        Action.CONFIGURE,
        _("Raise the limit for every login, then log in again."),
        (f"printf '{text}\\n' | sudo tee {file}",),
        role="host_tuning",
    )


def _raise_services(services: list[ServiceLimits]) -> Fix:
    units = [one.unit for one in services]
    folders = " ".join(f"/etc/systemd/system/{unit}.service.d" for unit in units)
    files = " ".join(f"{folder}/90-ascend-stack.conf" for folder in folders.split())
    commands = (
        f"sudo mkdir -p {folders}",
        f"printf '[Service]\\nLimitSTACK=16M:infinity\\n' | sudo tee {files}",
    )
    restart = f"sudo systemctl daemon-reload && sudo systemctl restart {' '.join(units)}"
    summary = _("Raise LimitSTACK of the service; restarting an engine may stop its containers.")
    return Fix(Action.CONFIGURE, summary, (*commands, restart), role="host_tuning")
