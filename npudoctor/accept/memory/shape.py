"""The shape of a model, as its `config.json` tells it; names of Hugging Face transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping

_GATED_NOT = ("gpt2", "gpt_neox", "opt", "bloom", "falcon", "starcoder2", "phi", "gpt_bigcode")
_BIASED = ("qwen2", "qwen2_moe", "qwen2_vl", "qwen2_5_vl", "qwen2_vl_text", "qwen2_5_vl_text")
_TIED = (
    *("gemma", "gemma2", "gemma3", "gemma3_text", "cohere", "cohere2"),
    *("gpt2", "bloom", "opt", "falcon", "gpt_bigcode"),
)
"""Kinds that share them where their config says nothing; all others then do not."""
_LARGEST = 10**9
"""Of a size: a hundred times the longest context there is."""
_HEAD_NORMS = ("qwen3", "qwen3_moe", "qwen3_vl_text", "qwen3_vl_moe_text")


@dataclass(frozen=True, slots=True)
class Latent:
    """Multi-head latent attention (DeepSeek): ranks and head sizes, in elements."""

    query_rank: int
    rank: int
    rope: int
    plain: int
    value: int


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of experts.

    Attributes:
        count: Routed experts in a layer.
        size: Intermediate size of one.
        shared: Intermediate size of what all tokens pass.
        layers: How many layers have experts; the others are dense.
    """

    count: int
    size: int
    shared: int
    layers: int


@dataclass(frozen=True, slots=True)
class Shape:
    """A decoder; all sizes in elements.

    Attributes:
        kind: `model_type`.
        hidden: Hidden size.
        layers: Decoder layers.
        cached_layers: Layers with a KV cache that grows with the length.
        heads: Attention heads.
        kv_heads: Heads of keys and values: fewer with grouped queries.
        head: Size of a head.
        intermediate: Intermediate size of a dense layer.
        gated: Whether the dense part has three matrices (gate, up, down) or two.
        vocabulary: Rows of the embedding.
        tied: Whether the output shares them.
        biased: Whether queries, keys and values have biases.
        head_norms: Whether queries and keys are normed by head.
        longest: `max_position_embeddings`; None where not told.
        latent: Where keys and values are compressed.
        experts: Where there are any.
        vision: Parameters of a vision tower, roughly.
        left_out: Layers that a plain service does not load (multi-token prediction).
    """

    kind: str
    hidden: int
    layers: int
    cached_layers: int
    heads: int
    kv_heads: int
    head: int
    intermediate: int
    gated: bool
    vocabulary: int
    tied: bool
    biased: bool
    head_norms: bool
    longest: int | None
    latent: Latent | None
    experts: Experts | None
    vision: int
    left_out: int


def shape_of(config: Mapping[str, Any], name: str) -> Shape:
    """Read a `config.json`, the text part of it where there are several.

    Raises:
        UsageError: A size is missing or is no number.
    """
    text = _text_part(config)
    read = _Sizes({**config, **text}, name)
    heads, hidden = read("num_attention_heads", "n_head", "n_heads"), read("hidden_size", "n_embd", "d_model")
    layers = read("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    kind = str(text.get("model_type") or config.get("model_type") or "")
    tied = config.get("tie_word_embeddings", text.get("tie_word_embeddings"))
    return Shape(
        kind=kind,
        hidden=hidden,
        layers=layers,
        cached_layers=_cached(read, text, layers),
        heads=heads,
        kv_heads=_kv_heads(read, text, heads),
        head=read("head_dim", "kv_channels", default=max(1, hidden // heads)),
        intermediate=read(
            "intermediate_size_mlp", "intermediate_size", "ffn_hidden_size", "n_inner", default=4 * hidden
        ),
        gated=kind not in _GATED_NOT,
        vocabulary=read("vocab_size", "padded_vocab_size"),
        tied=kind in _TIED if tied is None else bool(tied),
        biased=kind in _BIASED or bool(text.get("attention_bias") or text.get("add_qkv_bias")),
        head_norms=kind in _HEAD_NORMS,
        longest=read("max_position_embeddings", "seq_length", "n_positions", default=0) or None,
        latent=_latent(read) if text.get("kv_lora_rank") else None,
        experts=_experts(read, text, layers),
        vision=_vision(config, name),
        left_out=read("num_nextn_predict_layers", default=0),
    )


class _Sizes:
    """Sizes by their several names."""

    def __init__(self, config: Mapping[str, Any], name: str) -> None:
        self._config, self._name = config, name

    def __call__(self, *names: str, default: int | None = None) -> int:
        """The first of these that is there."""
        value = next((self._config[one] for one in names if self._config.get(one) is not None), default)
        if type(value) is int and 0 <= value <= _LARGEST and (value or default == 0):
            return value
        raise UsageError(
            _("{file}: {key} is missing or is no number").format(file=self._name, key=names[0]),
            _("give the config.json of a language model"),
        )


def _text_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in ("text_config", "llm_config", "language_config"):
        part = config.get(name)
        if isinstance(part, dict):
            return part
    thinker = config.get("thinker_config")
    return _text_part(thinker) if isinstance(thinker, dict) else config


def _kv_heads(read: _Sizes, config: Mapping[str, Any], heads: int) -> int:
    """Falcon and StarCoder say by a flag that all heads share one; Falcon's newer form counts them."""
    shared = config.get("multi_query") is True and not config.get("new_decoder_architecture")
    names = ("num_key_value_heads", "multi_query_group_num", "num_kv_heads")
    return read(*names, default=1 if shared else heads)


def _cached(read: _Sizes, config: Mapping[str, Any], layers: int) -> int:
    """Layers of linear attention, Mamba or convolution keep a state of one size."""
    types = config.get("layer_types")
    if not isinstance(types, list):
        return layers // read("full_attention_interval", default=1)
    return sum(str(one).endswith("attention") and one != "linear_attention" for one in types)


def _latent(read: _Sizes) -> Latent:
    return Latent(
        read("q_lora_rank", default=0),
        read("kv_lora_rank"),
        read("qk_rope_head_dim"),
        read("qk_nope_head_dim"),
        read("v_head_dim"),
    )


def _experts(read: _Sizes, config: Mapping[str, Any], layers: int) -> Experts | None:
    count = read("num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts", default=0)
    if not count:
        return None
    size = read("moe_intermediate_size", "intermediate_size")
    shared = read("shared_expert_intermediate_size", default=0)
    alike = 1 if config.get("model_type") == "llama4_text" else 0  # one beside the others, as large as each
    shared = shared or size * read("n_shared_experts", "moe_num_shared_experts", default=alike)
    first = read("first_k_dense_replace", "moe_layer_start_index", default=0)
    step = read("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", default=0) or 1
    sparse = layers // step - min(first, layers) // step
    return Experts(count, size, shared, sparse - _dense(config, first, step))


def _dense(config: Mapping[str, Any], first: int, step: int) -> int:
    """Layers that would have experts, were they not named as dense."""
    named = config.get("mlp_only_layers")
    if not isinstance(named, list):
        return 0
    return sum(type(at) is int and at >= first and (at + 1) % step == 0 for at in named)


def _vision(config: Mapping[str, Any], name: str) -> int:
    """Layers of the tower, and what joins it to the text: within a tenth."""
    vision = config.get("vision_config")
    if not isinstance(vision, dict):
        return 0
    read = _Sizes(vision, name)
    hidden = read("embed_dim", "hidden_size", "width", default=0)
    layers = read("depth", "num_hidden_layers", "layers", default=0)
    ratio = vision.get("mlp_ratio")
    wide = hidden * ratio if isinstance(ratio, (int, float)) and 0 < ratio < _LARGEST else 4 * hidden
    inner = read("intermediate_size", default=0) or int(wide)
    matrices = 3 if str(vision.get("hidden_act")) == "silu" else 2
    out = read("out_hidden_size", default=0)
    joined = (4 * hidden) ** 2 + 4 * hidden * out if out else 0
    return layers * (4 * hidden * hidden + matrices * hidden * inner) + joined
