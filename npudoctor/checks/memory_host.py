"""Memory of the host: what is left, swap, shared memory, huge pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import without_ascend
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host

GIB = 1024 * 1024
"""In KiB."""
SHM_KB = GIB
SHM_FREE_KB = 64 * 1024
LEAST_AVAILABLE = 0.05
MOST_RESERVED = 0.10


@check(
    "memory.available",
    title=N_("The host has memory left"),
    sources=("https://docs.kernel.org/filesystems/proc.html",),
    dated="2026-08",
)
def available(host: Host) -> Verdict:
    """Weights are read through the host's memory, and every rank keeps buffers there.

    With under 5 % available (`MemAvailable`) the kernel begins to kill; a job then ends with exit code 137.
    """
    left, total = host.memory.available_kb, host.memory.total_kb
    actual = _("{left} of {total}").format(left=_gib(left.value), total=_gib(total.value))
    if left.value >= LEAST_AVAILABLE * total.value:
        return ok(left, total, actual=actual)
    fix = Fix(Action.FREE, _("Find what holds the memory and stop it."), ("ps aux --sort=-rss | head",))
    return warn(left, total, actual=actual, expected=_("at least 5 %"), fix=fix)


@check(
    "memory.swap",
    title=N_("No swap where kubelet runs"),
    sources=("https://kubernetes.io/docs/concepts/cluster-administration/swap-memory-management/",),
    dated="2026-08",
    role="prerequisites",
)
def swap(host: Host) -> Verdict:
    """By default kubelet does not start on a machine with swap.

    Without Kubernetes swap is no fault as long as the kernel does not use it eagerly (`kernel.swappiness`).
    """
    total = host.memory.swap_total_kb
    if total.value == 0:
        return ok(total, actual=_("none"))
    units = host.limits.services.or_none() or ()
    if not any(one.unit == "kubelet" for one in units):
        return skip(_("no kubelet"))
    fix = Fix(
        Action.CONFIGURE,
        _("Switch swap off and take it out of /etc/fstab."),
        ("sudo swapoff -a", r"sudo sed -i '/\sswap\s/s/^/#/' /etc/fstab"),
        role="prerequisites",
    )
    return warn(total, actual=_gib(total.value), expected=_("none"), fix=fix)


@check(
    "memory.shm",
    title=N_("Shared memory is at least 1 GB and not full"),
    sources=(
        "github.com/vllm-project/vllm-ascend docs/source/installation.md (--shm-size=1g)",
        "github.com/Ascend/MindIE-LLM examples/atb_models (1g; 500g for DeepSeek)",
    ),
    dated="2026-08",
)
def shm(host: Host) -> Verdict:
    """Ranks and data loaders exchange tensors through /dev/shm; a full one ends a process with `Bus error`.

    Docker gives a container 64 MB. The guides of vLLM Ascend and MindIE start theirs with 1 GB; DeepSeek on
    MindIE with 500 GB.
    """
    if reason := without_ascend(host):
        return skip(reason)
    disk = host.memory.shm
    size = disk.value
    actual = _("{free} free of {total}").format(free=_gib(size.free), total=_gib(size.total))
    expected = _("at least 1 GiB")
    if size.free < SHM_FREE_KB:
        fix = Fix(Action.FREE, _("Remove what dead processes left there."), ("ls -lS /dev/shm | head",))
        return fail(disk, actual=actual, expected=expected, fix=fix)
    if size.total >= SHM_KB:
        return ok(disk, actual=actual, expected=expected)
    inside = host.system.in_container.or_none()
    command = "docker run --shm-size=1g …" if inside else "sudo mount -o remount,size=16g /dev/shm"
    fix = Fix(Action.CONFIGURE, _("Make shared memory larger."), (command,))
    return warn(disk, actual=actual, expected=expected, fix=fix)


@check(
    "memory.huge_pages",
    title=N_("No memory lies idle in reserved huge pages"),
    sources=("https://docs.kernel.org/admin-guide/mm/hugetlbpage.html",),
    dated="2026-08",
    role="host_tuning",
)
def huge_pages(host: Host) -> Verdict:
    """Huge pages that were set aside and are not used are lost to everything else.

    It counts from a tenth of the memory on. Pages of an NPU are its own and are not among them.
    """
    memory = host.memory
    if memory.huge_pages.value == 0:
        return ok(memory.huge_pages, actual=_("none reserved"))
    idle_kb = memory.huge_pages_free.value * memory.huge_page_kb.value
    actual = _("{idle} idle").format(idle=_gib(idle_kb))
    if idle_kb < MOST_RESERVED * memory.total_kb.value:
        return ok(memory.huge_pages, memory.huge_pages_free, actual=actual)
    return warn(
        memory.huge_pages,
        memory.huge_pages_free,
        actual=actual,
        expected=_("under a tenth of memory"),
        fix=Fix(
            Action.FREE,
            _("Give them back, unless a program that uses them is about to start."),
            ("sudo sysctl -w vm.nr_hugepages=0", "grep -r nr_hugepages /etc/sysctl.conf /etc/sysctl.d"),
            role="host_tuning",
        ),
    )


def _gib(kb: int) -> str:
    return f"{kb / GIB:.1f} GiB" if kb >= GIB else f"{kb / 1024:.0f} MiB"
