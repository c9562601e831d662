"""Kernel settings that cost speed: huge pages, swapping, NUMA balancing, clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import without_ascend
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Verdict, ok, skip, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host

TUNING = (
    "https://docs.vllm.ai/projects/ascend/en/latest/developer_guide/performance_and_debug/"
    "optimization_and_tuning.html"
)
MSPRECHECKER = "PyPI msprechecker 0.4.0 presets/default.yaml"
MINDIE = "github.com/Ascend/MindIE-LLM examples/atb_models"
_SYSCTL = "/etc/sysctl.d/90-ascend.conf"


@check(
    "kernel.thp",
    title=N_("Programs may have transparent huge pages"),
    sources=(MSPRECHECKER, MINDIE),
    dated="2026-08",
    role="host_tuning",
)
def thp(host: Host) -> Verdict:
    """Serving allocates much host memory; with pages of 4 KB the processor spends its time on look-ups.

    MindIE's guide and msprechecker advise `always`. `madvise`, the default of most systems, gives them to
    the programs that ask; that is slower for some and breaks nothing, so only `never` is a finding.
    """
    if reason := without_ascend(host):
        return skip(reason)
    mode = host.kernel.thp
    if mode.value in ("always", "madvise"):
        return ok(mode, expected="always, madvise")
    file = "/sys/kernel/mm/transparent_hugepage/enabled"
    summary = _("Switch them on now; add transparent_hugepage=always to the kernel command line to keep it.")
    fix = Fix(Action.CONFIGURE, summary, (f"echo always | sudo tee {file}",), role="host_tuning")
    return warn(mode, expected="always, madvise", fix=fix)


@check(
    "kernel.swappiness",
    title=N_("The kernel does not swap eagerly"),
    sources=(TUNING,),
    dated="2026-08",
    role="host_tuning",
)
def swappiness(host: Host) -> Verdict:
    """A process that feeds an NPU and is swapped out stalls the NPU.

    The tuning guide of vLLM Ascend sets `vm.swappiness` to 0 (or 1). Where there is no swap the value has no
    effect on programs' memory, and the check passes.
    """
    if reason := without_ascend(host):
        return skip(reason)
    value, swap = host.kernel.swappiness, host.memory.swap_total_kb
    if value.value <= 1:
        return ok(value, expected="0, 1")
    if swap.or_none() == 0:
        return ok(value, swap, actual=_("{value}, without swap").format(value=value.value))
    return warn(value, swap, actual=str(value.value), expected="0, 1", fix=_sysctl("vm.swappiness", 1))


@check(
    "kernel.numa_balancing",
    title=N_("Automatic NUMA balancing is off"),
    sources=(TUNING,),
    dated="2026-08",
    role="host_tuning",
)
def numa_balancing(host: Host) -> Verdict:
    """The kernel moves pages between NUMA nodes and faults on them to find out who uses them.

    Processes that are bound to the cores near their NPU gain nothing and pay for the faults. The tuning guide
    of vLLM Ascend sets `kernel.numa_balancing` to 0.
    """
    if reason := without_ascend(host):
        return skip(reason)
    value = host.kernel.numa_balancing
    if value.absent:
        return skip(_("the kernel does not balance NUMA nodes"))
    if value.value == 0:
        return ok(value, expected="0")
    return warn(value, expected="0", fix=_sysctl("kernel.numa_balancing", 0))


@check(
    "kernel.governor",
    title=N_("The processors run at full clock"),
    sources=(TUNING, MSPRECHECKER, MINDIE),
    dated="2026-08",
    role="host_tuning",
)
def governor(host: Host) -> Verdict:
    """Launching operators is work of the host: a slow clock leaves the NPU waiting.

    The vendor's guides ask for the `performance` governor. Where the firmware or a hypervisor steers the
    clock there is none to choose.
    """
    if reason := without_ascend(host):
        return skip(reason)
    names = host.kernel.governors
    if names.absent:
        return skip(_("the kernel does not steer the clock here"))
    actual = ", ".join(names.value)
    if names.value == ("performance",):
        return ok(names, actual=actual, expected="performance")
    files = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
    fix = Fix(
        Action.CONFIGURE,
        _("Choose the performance governor."),
        (f"echo performance | sudo tee {files}",),
        role="host_tuning",
    )
    return warn(names, actual=actual, expected="performance", fix=fix)


def _sysctl(name: str, value: int) -> Fix:
    return Fix(
        Action.CONFIGURE,
        _("Set it now and for the next boot."),
        (f"echo '{name} = {value}' | sudo tee -a {_SYSCTL}", f"sudo sysctl -p {_SYSCTL}"),
        role="host_tuning",
    )
