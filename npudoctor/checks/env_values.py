"""Names and values of environment variables, and what goes together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.checks.env_scope import ENV_MANUAL, TABLE, judged, line
from npudoctor.checks.registry import check
from npudoctor.envvars import Judgement, Kind
from npudoctor.envvars.devices import NAME as VISIBLE
from npudoctor.envvars.devices import read_list
from npudoctor.finding import Action, Fix, Status, Verdict, fail, skip
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.fact import Fact
    from npudoctor.host import Host

_ALLOCATORS = ("PYTORCH_NPU_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
_POOL = ("ASCEND_MEMORY_PRE_ALLOCATE", "ASCEND_MEMORY_POOL_SIZE")


@check(
    "env.misspelt_names",
    title=N_("Names of variables are spelt right"),
    sources=("public scripts and manuals that misspell them", TABLE),
    dated="2026-08",
    role="environment",
)
def misspelt_names(host: Host) -> Verdict:
    """A misspelt variable is silently ignored, and everybody believes that it is set.

    Compared are names that begin like those of Ascend components: with those that were seen misspelt in
    public, then letter by letter with the known ones, two letters apart at most. Names that look odd and are
    real (ATB_OPSRUNNER_KERNEL_CACHE_GLOABL_COUNT) are left alone, and so are names that nobody knows.
    """
    return judged(
        host, lambda one: one.kind is Kind.MISSPELT, _("no misspelt name"), _("Set the right name.")
    )


@check(
    "env.values",
    title=N_("Variables have values that their readers take"),
    sources=(TABLE,),
    dated="2026-08",
    role="environment",
)
def values(host: Host) -> Verdict:
    """A value out of range stops the reader, or is silently taken for the default or the other state.

    `true` is 0 for torch_npu, stops vllm-ascend with ValueError, and is off for MindIE, which wants 1. A
    value that stops its reader fails; one that is read as something else is a warning. HCCL and the allocator
    of torch_npu have checks of their own.
    """
    return judged(host, _other_value, _("all values may stand"), _("Set a value that the reader takes."))


def _other_value(one: Judgement) -> bool:
    special = (*_ALLOCATORS, *_POOL, VISIBLE)
    return one.kind is Kind.VALUE and one.name not in special and not one.name.startswith("HCCL_")


@check(
    "env.hccl_values",
    title=N_("HCCL variables have values that HCCL takes, alone and together"),
    sources=(
        "hicann/hccl:docs/zh/user_guide/hccl_env@09300b70",
        "hicann/hccl:src/common/alg_env_config.cc@09300b70",
    ),
    dated="2026-08",
    role="environment",
)
def hccl_values(host: Host) -> Verdict:
    """HCCL reads its variables when a communicator is created, and ends with EI0001 at a wrong value.

    That is minutes after the start of a job, on all ranks. Checked are ranges, words, ports and key lists,
    HCCL_IF_IP, and pairs that exclude each other, such as PCIe and RoCE inside a server both on.
    """
    advice = _("Set a value that HCCL takes, on all nodes alike.")
    return judged(host, _of_hccl, _("HCCL takes all of them"), advice)


def _of_hccl(one: Judgement) -> bool:
    return one.name.startswith("HCCL_") and one.kind in (Kind.VALUE, Kind.COMBINATION)


@check(
    "env.allocator",
    title=N_("The allocator setting of torch_npu is one that it takes"),
    sources=("Ascend/pytorch:torch_npu/csrc/core/npu/NPUAllocatorConfig.cpp@9e73e708a",),
    dated="2026-08",
    role="environment",
)
def allocator(host: Host) -> Verdict:
    """PYTORCH_NPU_ALLOC_CONF is read at the first use of a device; an unknown key or `true` is a ValueError.

    Booleans are spelt True and False. `expandable_segments:True` excludes max_split_size_mb and
    garbage_collection_threshold, and the sleep mode of vLLM.
    """
    return judged(host, _of_allocator, _("torch_npu takes it"), _("Set a value that torch_npu takes."))


def _of_allocator(one: Judgement) -> bool:
    return one.name in _ALLOCATORS and one.kind in (Kind.VALUE, Kind.COMBINATION)


@check(
    "env.not_read",
    title=N_("This stack reads the variables that are set"),
    sources=("git tags of Ascend/pytorch and vllm-project/vllm-ascend", ENV_MANUAL, TABLE),
    dated="2026-08",
    role="environment",
)
def not_read(host: Host) -> Verdict:
    """A variable of an older or newer release, or of another chip, does nothing, and gives false confidence.

    Which version reads a name is known from git tags (torch_npu, vllm-ascend) and from manuals (CANN, HCCL).
    Where a manual only gives an upper bound, nothing is said.
    """
    kinds = (Kind.REMOVED, Kind.NOT_YET, Kind.CHIP)
    found = judged(
        host, lambda one: one.kind in kinds, _("all are read, as far as is known"), _("Take it out.")
    )
    if found.status is Status.PASS:
        _needs_versions(host)
    return found


def _needs_versions(host: Host) -> None:
    """For a verdict that nothing is amiss: it holds only where the versions that read the names are known.

    Raises:
        Unavailable: Why the Pythons or the CANN of this machine could not be read.
    """
    stack: tuple[Fact[Any], ...] = (host.python.interpreters, host.cann.active)
    for fact in stack:
        if not fact.absent:
            _known = fact.value


@check(
    "env.combinations",
    title=N_("No variables contradict each other"),
    sources=(TABLE,),
    dated="2026-08",
    role="environment",
)
def combinations(host: Host) -> Verdict:
    """Variables that are right one by one can be wrong together.

    Among them: blocking launches with a task queue, logs to stdout with a log folder, two tools that bind
    threads to cores, determinism for HCCL and not for LCCL, a rank table next to CM_* variables, and
    time-outs that hide each other. What concerns HCCL, the allocator or visible devices has its own checks.
    """
    return judged(host, _other_combination, _("nothing contradicts"), _("Keep one of the two."))


def _other_combination(one: Judgement) -> bool:
    own = one.name.startswith("HCCL_") or one.name in _ALLOCATORS
    elsewhere = own or one.topic in ("visible-devices", "blocking-with-queue")
    return one.kind is Kind.COMBINATION and not elsewhere


@check(
    "env.visible_devices",
    title=N_("ASCEND_RT_VISIBLE_DEVICES names devices that exist, in order"),
    sources=("hicann/runtime:docs/zh/env_vars/ASCEND_RT_VISIBLE_DEVICES.md@681ef7610",
             "https://github.com/vllm-project/vllm-ascend/pull/10227"),
    dated="2026-08",
    role="environment",
)  # fmt: skip
def visible_devices(host: Host) -> Verdict:
    """The list holds logical numbers in rising order, joined by commas, with no blanks and no ranges.

    The runtime stops reading at the first item that it does not understand, and refuses doubles and another
    order (EE2002). Inside a container the numbers of the container count, which start at 0. A number that no
    device has ends in 107001.
    """
    value = host.environment.of(VISIBLE)
    if value.absent:
        return skip(_("{name} is not set, so all devices are visible").format(name=VISIBLE))
    verdict = judged(host, lambda one: one.topic == "visible-devices", value.value, _("Set the list right."))
    too_high = _too_high(host, value.value)
    if too_high is None or verdict.status is not Status.FAIL:
        return too_high or verdict
    actual = _("; ").join((verdict.actual, too_high.actual))
    return fail(
        *too_high.evidence, actual=actual, expected=too_high.expected, fix=too_high.fix,
        references=verdict.references,
    )  # fmt: skip


def _too_high(host: Host, value: str) -> Verdict | None:
    dies = host.npus.dies.or_none()
    numbers, _stop = read_list(value)
    missing = [number for number in numbers if dies is not None and number >= dies]
    if not missing or dies is None:
        return None
    actual = _("there is no device {number} among {count}").format(number=missing[0], count=dies)
    kept = ",".join(str(number) for number in sorted(set(numbers)) if number < dies) or "0"
    fix = Fix(Action.CONFIGURE, _("Name devices that exist."), (f"export {VISIBLE}={kept}",))
    expected = _("0 to {last}").format(last=dies - 1)
    return fail(line(VISIBLE, value), host.npus.dies, actual=actual, expected=expected, fix=fix)
