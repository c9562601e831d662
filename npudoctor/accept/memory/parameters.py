"""How many parameters a model has: those quantised or kept, split over cards or on each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from npudoctor.accept.memory.shape import Experts, Latent, Shape


@dataclass(frozen=True, slots=True)
class Parameters:
    """Numbers of parameters.

    Attributes:
        linear: Matrices that a quantisation makes smaller and tensor parallelism splits.
        keys_values: Likewise, but split no further than there are heads of keys and values.
        kept: Embedding and output: never quantised, split by rows.
        everywhere: On every card: norms, routers, the compressing half of latent attention.
        compressing: That half alone; of `everywhere`, and quantised.
        vision: Of a vision tower; not quantised, on every card.
    """

    linear: int
    keys_values: int
    kept: int
    everywhere: int
    compressing: int
    vision: int

    @property
    def total(self) -> int:
        """All of them, once."""
        return self.linear + self.keys_values + self.kept + self.everywhere + self.vision


def parameters_of(shape: Shape) -> Parameters:
    """Count them out of the shape."""
    linear, keys_values, compressing = _attention(shape)
    blocks, routers = _blocks(shape)
    norms = shape.layers * 2 * shape.hidden + shape.hidden
    if shape.head_norms:
        norms += shape.layers * 2 * shape.head
    embeddings = shape.vocabulary * shape.hidden * (1 if shape.tied else 2)
    return Parameters(
        linear=shape.layers * linear + blocks,
        keys_values=shape.layers * keys_values,
        kept=embeddings,
        everywhere=norms + routers + shape.layers * compressing,
        compressing=shape.layers * compressing,
        vision=shape.vision,
    )


def _attention(shape: Shape) -> tuple[int, int, int]:
    """Of one layer: split by heads, keys and values, on every card."""
    if shape.latent is not None:
        return _latent(shape, shape.latent)
    queries, groups = shape.heads * shape.head, shape.kv_heads * shape.head
    bias = 1 if shape.biased else 0
    return queries * (2 * shape.hidden + bias), 2 * groups * (shape.hidden + bias), 0


def _latent(shape: Shape, latent: Latent) -> tuple[int, int, int]:
    query = shape.heads * (latent.plain + latent.rope)
    up = latent.rank * shape.heads * (latent.plain + latent.value)
    out = shape.heads * latent.value * shape.hidden
    down = shape.hidden * (latent.rank + latent.rope) + latent.rank
    if not latent.query_rank:
        return shape.hidden * query + up + out, 0, down
    return latent.query_rank * query + up + out, 0, down + (shape.hidden + 1) * latent.query_rank


def _blocks(shape: Shape) -> tuple[int, int]:
    """Of all layers: the matrices behind attention, and the routers of experts."""
    matrices = 3 if shape.gated else 2
    experts = shape.experts
    dense_layers = shape.layers - (experts.layers if experts else 0)
    dense = dense_layers * matrices * shape.hidden * shape.intermediate
    if experts is None:
        return dense, 0
    return dense + _sparse(shape.hidden, experts), experts.layers * shape.hidden * experts.count


def _sparse(hidden: int, experts: Experts) -> int:
    return experts.layers * 3 * hidden * (experts.count * experts.size + experts.shared)
