"""The plan: what each card holds, what is left for the KV cache, and how much fits into that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.accept.memory.parameters import Parameters, parameters_of
from npudoctor.checks.memory_pool import OF, RESERVED
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.accept.memory.precision import Precision
    from npudoctor.accept.memory.shape import Shape

BLOCK = 128
"""Tokens in a block of vllm-ascend's KV cache."""
BATCHED = 8192
"""Tokens that vLLM computes at once; it measures its activations with so many."""
_SEQUENCES = 256
_LOGIT = 10  # bytes: a logit as computed, in float32, and as a probability


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for.

    Attributes:
        cards: Tensor parallelism.
        concurrency: Requests at once.
        length: Tokens of each, prompt and answer; None: as long as the model can.
        hbm: Memory of a card in bytes; None where it is not known.
        stored: Bytes of the weights as their index says; None where only the config is there.
    """

    cards: int
    concurrency: int
    length: int | None
    hbm: int | None
    stored: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """All in bytes and tokens; `card` is for each card, the rest for the whole model.

    Attributes:
        parameters: How many the model has.
        weights: The weights, once.
        weights_card: On each card.
        token: KV cache of a token, once.
        token_card: On each card.
        length: Tokens of a request.
        cache_card: KV cache for all requests, in whole blocks.
        activations_card: An estimate of vLLM's measurement.
        reserve: What driver, runtime and their buffers take; None without `hbm`.
        hbm: Memory of a card.
        tokens: Tokens that fit into what is left; None without `hbm`.
        concurrency: Requests of `length` that fit.
        longest: The longest request that fits so many times as are wanted.
    """

    parameters: int
    weights: int
    weights_card: int
    token: int
    token_card: int
    length: int
    cache_card: int
    activations_card: int
    reserve: int | None
    hbm: int | None
    tokens: int | None
    concurrency: int | None
    longest: int | None

    @property
    def needed_card(self) -> int:
        """What a card must hold besides the reserve."""
        return self.weights_card + self.cache_card + self.activations_card

    @property
    def pool(self) -> int | None:
        """What may be taken on a card."""
        return None if self.hbm is None or self.reserve is None else self.hbm - self.reserve

    @property
    def utilisation(self) -> float | None:
        """The pool as a share of the card's memory, two decimals, rounded down."""
        return None if self.pool is None or not self.hbm else self.pool * 100 // self.hbm / 100

    @property
    def fits(self) -> bool | None:
        """Whether it does; None where the memory of a card is not known."""
        return None if self.pool is None else self.needed_card <= self.pool


def plan_of(shape: Shape, precision: Precision, wanted: Wanted) -> Plan:
    """Plan one model.

    Raises:
        UsageError: The heads cannot be spread over so many cards.
    """
    if shape.heads % wanted.cards or not _spread(shape, wanted.cards):
        raise UsageError(
            _("{heads} heads cannot be spread over {cards} cards").format(
                heads=shape.kv_heads if shape.heads % wanted.cards == 0 else shape.heads, cards=wanted.cards
            ),
            _("give --tp a divisor of the heads"),
        )
    counted = parameters_of(shape)
    once, card = _weights(shape, counted, precision, 1), _weights(shape, counted, precision, wanted.cards)
    weights = wanted.stored or once
    weights_card = round(card * weights / once)
    length = wanted.length or shape.longest or BLOCK
    token_card = _token(shape, precision, wanted.cards)
    activations = _activations(shape, precision, wanted.cards)
    reserve = None if wanted.hbm is None else wanted.hbm * RESERVED // OF
    left = (
        None if wanted.hbm is None or reserve is None else wanted.hbm - reserve - weights_card - activations
    )
    tokens = None if left is None else max(0, left) // (max(1, token_card) * BLOCK) * BLOCK
    return Plan(
        parameters=counted.total,
        weights=weights,
        weights_card=weights_card,
        token=_token(shape, precision, 1),
        token_card=token_card,
        length=length,
        cache_card=wanted.concurrency * _blocks(length) * BLOCK * token_card,
        activations_card=activations,
        reserve=reserve,
        hbm=wanted.hbm,
        tokens=tokens,
        concurrency=None if tokens is None else tokens // (_blocks(length) * BLOCK),
        longest=None if tokens is None else _longest(tokens // wanted.concurrency, shape.longest),
    )


def smallest_cards(shape: Shape, precision: Precision, wanted: Wanted) -> int | None:
    """The fewest cards that hold what is wanted, of 1, 2, 4, … and divisors of the heads; None: not so."""
    from dataclasses import replace

    for cards in (1, 2, 4, 8, 16, 32, 64):
        if shape.heads % cards or not _spread(shape, cards):
            continue
        asked = replace(wanted, cards=cards)
        if plan_of(shape, precision, asked).fits:
            return cards
    return None


def _spread(shape: Shape, cards: int) -> bool:
    """Whether heads of keys and values go evenly on the cards, or the cards on them, as vLLM wants it."""
    return shape.latent is not None or 0 in (shape.kv_heads % cards, cards % shape.kv_heads)


def _weights(shape: Shape, counted: Parameters, precision: Precision, cards: int) -> int:
    """Bytes on one of so many cards."""
    groups = min(cards, shape.kv_heads)
    split = counted.linear / cards + counted.keys_values / groups + counted.compressing
    kept = counted.kept / cards + counted.everywhere - counted.compressing + counted.vision
    return round(split * precision.linear + kept * precision.kept)


def _token(shape: Shape, precision: Precision, cards: int) -> int:
    """Bytes of the KV cache that a token takes on one of so many cards: latent attention is not split."""
    if shape.latent is not None:
        elements = shape.latent.rank + shape.latent.rope
    else:
        elements = 2 * -(-shape.kv_heads // cards) * shape.head
    return round(shape.cached_layers * elements * precision.cache)


def _activations(shape: Shape, precision: Precision, cards: int) -> int:
    """What a full step needs at its widest, and the logits of all sequences: estimated, not measured."""
    experts = shape.experts
    wide = shape.intermediate if experts is None else max(shape.intermediate, experts.shared + experts.size)
    inner = (3 if shape.gated else 2) * wide // cards
    step = BATCHED * (inner + 4 * shape.hidden) * 2 * max(1, round(precision.kept / 2))
    return step + _SEQUENCES * shape.vocabulary * _LOGIT


def _blocks(length: int) -> int:
    return -(-length // BLOCK)


def _longest(tokens: int, limit: int | None) -> int:
    whole = tokens // BLOCK * BLOCK
    return whole if limit is None else min(whole, limit)
