"""The memory plan of a model as JSON (`npudoctor.memory/1`) and as text. Each key names its unit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.checks.memory_pool import AHEAD, SIZE
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.accept.memory.plan import Plan, Wanted
    from npudoctor.accept.memory.precision import Precision
    from npudoctor.accept.memory.shape import Shape
    from npudoctor.report.style import Style

SCHEMA = "npudoctor.memory/1"


def to_json(shape: Shape, precision: Precision, wanted: Wanted, plan: Plan, cards: int | None) -> str:
    """The whole plan as indented JSON text; `cards`: the fewest that hold it."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "fits": plan.fits,
        "model_type": shape.kind,
        "parameters": plan.parameters,
        "dtype": precision.name,
        "tensor_parallel_size": wanted.cards,
        "smallest_tensor_parallel_size": cards,
        "concurrency": wanted.concurrency,
        "length_tokens": plan.length,
        "weights_bytes": plan.weights,
        "weights_bytes_per_card": plan.weights_card,
        "kv_bytes_per_token": plan.token,
        "kv_bytes_per_token_per_card": plan.token_card,
        "kv_cache_bytes_per_card": plan.cache_card,
        "activation_bytes_per_card": plan.activations_card,
        "needed_bytes_per_card": plan.needed_card,
        "runtime_reserve_bytes": plan.reserve,
        "hbm_bytes": plan.hbm,
        "pool_bytes": plan.pool,
        "kv_cache_tokens": plan.tokens,
        "max_concurrency": plan.concurrency,
        "max_length_tokens": plan.longest,
        "environment": _environment(plan),
        "vllm": _vllm(wanted, plan),
        "notes": list(_notes(shape, wanted)),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def to_text(
    shape: Shape, precision: Precision, wanted: Wanted, plan: Plan, cards: int | None, style: Style
) -> str:
    """The plan for a person: whether it fits, what a card holds, and what to set."""
    lines = [style.bold(_verdict(plan, cards)), "", *_sizes(precision, wanted, plan), ""]
    if plan.hbm is not None and plan.fits:
        lines += [f"export {name}={value}" for name, value in _environment(plan).items()]
        lines += [
            " ".join(f"--{name.replace('_', '-')} {value}" for name, value in _vllm(wanted, plan).items())
        ]
    lines += [f"  {note}" for note in _notes(shape, wanted)]
    return "\n".join(lines).rstrip() + "\n"


def _verdict(plan: Plan, cards: int | None) -> str:
    if plan.fits is None:
        return _("Whether it fits is not known: give --chip or --hbm, or run it on a host with NPUs.")
    if plan.fits:
        return _("It fits.")
    if cards is None:
        return _("It does not fit: take a smaller precision, fewer requests or shorter ones.")
    return _("It does not fit; it does with --tp {cards}.").format(cards=cards)


def _sizes(precision: Precision, wanted: Wanted, plan: Plan) -> Iterator[str]:
    weights = _("weights ({dtype}, {parameters:.2f} billion parameters)")
    cache = _("KV cache: {requests} × {tokens} tokens, {each} bytes a token")
    rows = [
        (plan.weights_card, weights.format(dtype=precision.name, parameters=plan.parameters / 1e9)),
        (
            plan.cache_card,
            cache.format(requests=wanted.concurrency, tokens=plan.length, each=plan.token_card),
        ),
        (plan.activations_card, _("activations, estimated")),
        (plan.needed_card, _("in all on each card (--tp {cards})").format(cards=wanted.cards)),
    ]
    if plan.hbm is not None:
        rows += [
            (plan.reserve or 0, _("driver, runtime and their buffers")),
            (plan.hbm, _("memory of a card")),
        ]
    yield from (f"{size / 1024**3:10.2f} GiB  {title}" for size, title in rows)
    if plan.tokens is not None:
        room = _("room for {tokens} tokens: {requests} requests of {length}")
        if plan.longest != plan.length:
            room = _("room for {tokens} tokens: {requests} requests of {length}, or {wanted} of {longest}")
        yield room.format(
            tokens=plan.tokens,
            requests=plan.concurrency,
            length=plan.length,
            wanted=wanted.concurrency,
            longest=plan.longest,
        )


def _environment(plan: Plan) -> dict[str, str]:
    """Variables for a service that takes its memory as one pool; vLLM has its own option."""
    return {} if plan.pool is None else {AHEAD: "1", SIZE: str(plan.pool)}


def _vllm(wanted: Wanted, plan: Plan) -> dict[str, Any]:
    if plan.utilisation is None or not plan.longest:
        return {}
    return {
        "tensor_parallel_size": wanted.cards,
        "gpu_memory_utilization": plan.utilisation,
        "max_model_len": min(plan.length, plan.longest),
        "max_num_seqs": wanted.concurrency,
    }


def _notes(shape: Shape, wanted: Wanted) -> Iterator[str]:
    if shape.left_out:
        yield _("Layers for multi-token prediction are not counted: {count}.").format(count=shape.left_out)
    if shape.vision:
        yield _("The vision tower is counted roughly.")
    if wanted.length and shape.longest and wanted.length > shape.longest:
        said = _("The model is made for {longest} tokens; --length {length} is more.")
        yield said.format(longest=shape.longest, length=wanted.length)
    if wanted.stored:
        yield _("The weights are as large as their index or their files say.")
