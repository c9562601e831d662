"""One word for where the time goes, what stands out beside it, and the next step in the order of the field.

The order is that of founding report B: profile, fuse with torchair and ATB, quantise, then the KV cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.accept.profile.layouts import pattern
from npudoctor.words import N_

if TYPE_CHECKING:
    from npudoctor.accept.profile.figures import Figures

COPIES_LIMIT = 0.05
"""Copies between host and device over this share mean that preprocessing is wrong (founding report A)."""
MOSTLY = 0.5
_SMALL_SHARE = 0.15
_SMALL_US = 50.0
_AICPU_LIMIT = 0.01

ADVICE = {
    "host-bound": N_(
        "The NPU waits for launches: run the model as a graph (torch.compile with torchair), send larger "
        "batches, bind the process to cores (CPU_AFFINITY_CONF), take synchronisation and printing out of "
        "the loop, and see that ASCEND_LAUNCH_BLOCKING is unset."
    ),
    "communication": N_(
        "Transfers between NPUs take the time: overlap them with computation, send fewer and larger packets, "
        "shorten the way (tensor parallelism within one server), and examine links and HCCL settings."
    ),
    "wait": N_(
        "This device waits for another: even out the work (sequence lengths, experts, layers per stage, "
        "micro-batches) and examine the one that the others wait for, not the network."
    ),
    "copy": N_(
        "Copies take the time: keep tensors on the device, use pinned memory and non_blocking copies, move "
        "preprocessing to the NPU or to the build of the model, and avoid changes of format and axes."
    ),
    "aicpu": N_(
        "Operators run on the AI CPU: replace their data types (int64, double) or shapes, or the operators "
        "themselves, by ones that run on the AI Core."
    ),
    "fuse": N_(
        "Next: fuse (torch.compile with torchair, ATB): one operator for matmul with what follows it, fused "
        "attention, fused norms."
    ),
    "quantise": N_(
        "Next: quantise (AMCT or msModelSlim: weights per channel, activations per tensor, about 100 samples "
        "to calibrate), and compare the output (npudoctor accept compare)."
    ),
    "kv-cache": N_("Next: the KV cache: blocks of 32 to 128 tokens, a limit on length, free what is unused."),
    "many-small": N_("Many small norms and softmaxes are launched one by one: fuse them."),
    "copies": N_("Copies take over 5 %: look at preprocessing."),
    "stream-waits": N_("Waits over 10 ms: launches are uneven."),
    "aicpu-operators": N_("Some operators run on the AI CPU."),
}


def bottleneck(figures: Figures, wait_ratio: float | None) -> str:
    """The largest part of the time, as one word; see `ADVICE` for what to do about it."""
    exposed = figures.communication_exposed_share
    parts = {
        "communication": figures.communication_share if exposed is None else exposed,
        "host-bound": figures.free_share,
        "copy": figures.copy_share,
        "aicpu": figures.aicpu_share,
        "compute-matmul": figures.cube_share,
        "compute-vector": figures.vector_share,
    }
    word = max(parts, key=lambda part: parts[part] or 0.0)
    if word == "communication" and _waits(figures, wait_ratio, parts[word] or 0.0):
        return "wait"
    return word


def _waits(figures: Figures, wait_ratio: float | None, communication: float) -> bool:
    ratio = wait_ratio if wait_ratio is not None else 0.0
    return ratio > MOSTLY or (figures.bubble_share or 0.0) > MOSTLY * communication


def next_step(figures: Figures) -> str:
    """`fuse`, `quantise` or `kv-cache`: the first one that the operators do not show as done."""
    if _many_small(figures) or not _taken(figures, "fused"):
        return "fuse"
    return "kv-cache" if _taken(figures, "quantised") else "quantise"


def flags(figures: Figures) -> tuple[str, ...]:
    """What stands out beside the bottleneck: many-small, copies, stream-waits, aicpu-operators."""
    standing = {
        "copies": (figures.copy_share or 0.0) > COPIES_LIMIT,
        "stream-waits": figures.long_waits > 0,
        "aicpu-operators": (figures.aicpu_share or 0.0) > _AICPU_LIMIT,
        "many-small": _many_small(figures),
    }
    return tuple(name for name, stands in standing.items() if stands)


def steps(word: str, figures: Figures) -> tuple[str, ...]:
    """The keys of `ADVICE`, most urgent first."""
    first = word if word in ADVICE else next_step(figures)
    beside = [flag for flag in flags(figures) if (word, flag) not in _SAID]
    last = [next_step(figures)] if first in ADVICE and first != next_step(figures) else []
    return tuple(dict.fromkeys([first, *beside, *last]))


_SAID = {("copy", "copies"), ("aicpu", "aicpu-operators"), ("host-bound", "stream-waits")}


def _taken(figures: Figures, name: str) -> float:
    """Share of the operators' time in those of a kind of name."""
    wanted = pattern("operators", name)
    return sum(one.share for one in figures.operators if wanted.fullmatch(one.name))


def _many_small(figures: Figures) -> bool:
    normal = pattern("operators", "normal")
    small = [
        one
        for one in figures.operators
        if normal.fullmatch(one.name) and one.time_us / max(one.count, 1) < _SMALL_US
    ]
    return sum(one.share for one in small) > _SMALL_SHARE
