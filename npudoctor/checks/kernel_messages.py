"""What the kernel's messages say about processes that died or hang."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.driver_running import without_messages
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, ok, skip, warn
from npudoctor.regex import regex
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.parse.kernel_trouble import KernelEvent

LINES_SHOWN = 3
_CANN_LIBRARY = regex(
    r"^lib(?:ascend|acl|ge_|ge\.|graph|runtime|hccl|hcomm|hccp|opapi|nnopbase|atb|torch_npu|mki|asdops|profapi"
    r"|msprof|tsdclient|te_fusion|tbe|dcmi|drv|aicpu|mindie|mindspore|register|op_proto|optiling)"
)


@check(
    "kernel.oom_kills",
    title=N_("The kernel has killed no process for want of memory"),
    sources=("https://docs.kernel.org/admin-guide/mm/concepts.html",),
    dated="2026-08",
)
def oom_kills(host: Host) -> Verdict:
    """A job that ends with exit code 137 and no error of its own was killed from outside.

    The kernel does that when the machine or the control group runs out of memory, and names the process. Look
    at the memory of the host (weights are read through it) and at the container's limit.
    """
    if reason := without_messages(host):
        return skip(reason)
    events = host.kernel.trouble.value.of("oom")
    if not events:
        return ok(Evidence("dmesg", "no such line"), actual=_("none"))
    summary = _("Give the job more host memory, or start fewer processes at once.")
    return _report(events, Fix(Action.FREE, summary, ("free -h", "cat /sys/fs/cgroup/memory.max")))


@check(
    "kernel.crashes",
    title=N_("No process has crashed inside a CANN library"),
    sources=(
        "field report: a long-context chat model on Ascend 910B (CANN 7.0, driver 6.0)",
        "https://github.com/vllm-project/vllm-ascend/issues/16773",
    ),
    dated="2026-08",
)
def crashes(host: Host) -> Verdict:
    """A segmentation fault in a CANN library has no CANN code; the kernel's message names the library.

    In the field report nine in ten crashes in `libge.so` were an input whose shape was not the declared one.
    Others come from a small stack (`limits.stack`) or from libraries of two CANN versions in one process.
    """
    if reason := without_messages(host):
        return skip(reason)
    all_crashes = host.kernel.trouble.value.of("crash")
    events = tuple(one for one in all_crashes if _CANN_LIBRARY.match((one.library or "").rpartition("/")[2]))
    if not events:
        return ok(Evidence("dmesg", "no such line"), actual=_("none"))
    summary = _("Compare input shapes with the declared ones; run once with ASCEND_LAUNCH_BLOCKING=1.")
    return _report(events, Fix(Action.CONFIGURE, summary, ("ulimit -s", "echo $LD_LIBRARY_PATH")))


@check(
    "kernel.stalls",
    title=N_("No task hangs in the kernel"),
    sources=("https://docs.kernel.org/admin-guide/lockup-watchdogs.html",),
    dated="2026-08",
)
def stalls(host: Host) -> Verdict:
    """A task that blocks for minutes or a processor that never yields holds up every rank that waits for it.

    The kernel's watchdogs report soft and hard lock-ups, stalls and tasks blocked for more than 120 seconds.
    """
    if reason := without_messages(host):
        return skip(reason)
    events = host.kernel.trouble.value.of("stall")
    if not events:
        return ok(Evidence("dmesg", "no such line"), actual=_("none"))
    summary = _("Look at what the task waited for (disk, network storage, driver); reboot if it still hangs.")
    return _report(events, Fix(Action.REBOOT, summary, ("dmesg -T | grep -A 20 'blocked for more'",)))


@check(
    "kernel.iommu_faults",
    title=N_("The IOMMU has refused no memory access"),
    sources=(
        "https://github.com/vllm-project/vllm-ascend/issues/3017",
        "https://docs.kernel.org/arch/x86/iommu.html",
    ),
    dated="2026-08",
)
def iommu_faults(host: Host) -> Verdict:
    """An SMMU or IOMMU fault means that a device reached for memory that it was not given.

    Next to copies that fail (`sdma error`) it points at the driver or at passing devices through to a virtual
    machine, not at the model.
    """
    if reason := without_messages(host):
        return skip(reason)
    events = host.kernel.trouble.value.of("iommu")
    if not events:
        return ok(Evidence("dmesg", "no such line"), actual=_("none"))
    summary = _("Match the device in the message with `lspci`; update the driver if it is an NPU.")
    return _report(events, Fix(Action.UPGRADE, summary, ("lspci -nn | grep 19e5",)))


def _report(events: tuple[KernelEvent, ...], fix: Fix) -> Verdict:
    """A warning that counts the events by what they hit and shows the latest lines."""
    hit = [one.process or "-" for one in events]
    names = ", ".join(f"{name} ×{hit.count(name)}" for name in dict.fromkeys(hit))
    where = ", ".join(dict.fromkeys(one.library for one in events if one.library))
    actual = _("{names} in {library}").format(names=names, library=where) if where else names
    shown = (Evidence("dmesg", one.line) for one in events[-LINES_SHOWN:])
    return warn(*shown, actual=actual, expected=_("none"), fix=fix)
