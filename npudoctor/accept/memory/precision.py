"""Bytes a parameter takes, by precision and quantisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping

PLAIN = {"float32": 4.0, "float16": 2.0, "bfloat16": 2.0, "half": 2.0, "fp16": 2.0, "bf16": 2.0, "fp32": 4.0}
_FP4 = {"mxfp4": 32, "nvfp4": 16}
"""Elements that share a scale of one byte (Open Compute's MX 1.0; NVIDIA's NVFP4). Read 2026-11."""
_EIGHT, _FOUR = ("8bit", "int8", "fp8", "w8", "float8", "smoothquant"), ("4bit", "int4", "fp4", "w4")
QUANTISED = {"int8": 8, "w8a8": 8, "w8a16": 8, "fp8": 8, "int4": 4, "w4a16": 4, "w4a8": 4}
_BLOCK = 128
_GROUP = 128


@dataclass(frozen=True, slots=True)
class Precision:
    """What weights and cache are stored in.

    Attributes:
        name: As the config or the option calls it.
        linear: Bytes of a parameter of a quantised matrix, with its share of scales and zero points.
        kept: Bytes of a parameter that is not quantised.
        cache: Bytes of an element of the KV cache.
    """

    name: str
    linear: float
    kept: float
    cache: float


def precision_of(config: Mapping[str, Any], wanted: str | None, kind: str | None = None) -> Precision:
    """The precision that an option asks for, or else the one of the config.

    Args:
        config: A `config.json`.
        wanted: `--dtype`.
        kind: The quantisation that a description beside the weights names (`W8A8`).

    Raises:
        UsageError: There is no such precision.
    """
    kept_name = _plain(config)
    kept = PLAIN[kept_name]
    if wanted is not None and wanted != "auto":
        return _wanted(wanted.lower(), kept)
    if kind:
        return _wanted(kind.lower(), kept)
    method = config.get("quantization_config") or config.get("compression_config")
    if not isinstance(method, dict):
        return Precision(kept_name, kept, kept, kept)
    return _quantised(method, kept)


def _plain(config: Mapping[str, Any]) -> str:
    text = config.get("text_config")
    several = (config, text if isinstance(text, dict) else {})
    names = [str(one.get(key) or "") for one in several for key in ("torch_dtype", "dtype")]
    return next((name for name in names if name in PLAIN), "bfloat16")


def _wanted(name: str, kept: float) -> Precision:
    if name in PLAIN:
        return Precision(name, PLAIN[name], PLAIN[name], PLAIN[name])
    bits = QUANTISED.get(name)
    if bits is None:
        known = ", ".join((*PLAIN, *QUANTISED))
        raise UsageError(_("there is no precision {name}").format(name=name), known)
    return Precision(name, _bytes(bits, 0 if bits == 8 else _GROUP), kept, kept)


def _quantised(method: Mapping[str, Any], kept: float) -> Precision:
    name = str(method.get("quant_method") or "quantised")
    if name == "fp8":
        scale = 4 / _BLOCK**2 if method.get("weight_block_size") else 0
        return Precision(name, 1 + scale, kept, kept)
    told = f"{name} {method.get('quant_algo')}".lower()
    fp4 = next((share for kind, share in _FP4.items() if kind in told), None)
    if fp4:
        return Precision(told if name == "modelopt" else name, 0.5 + 1 / fp4, kept, kept)
    bits, group = _bits(method), _group(method)
    return Precision(f"{name} int{bits}", _bytes(bits, group), kept, kept)


def _bits(method: Mapping[str, Any]) -> int:
    if method.get("load_in_4bit"):
        return 4
    told = method.get("bits") or method.get("w_bit") or _of_groups(method).get("num_bits")
    bits = _number(told) or _of_name(method)
    if not 1 <= bits <= 32:
        what = _("quantization_config: {method} does not tell its bits")
        raise UsageError(what.format(method=method.get("quant_method")), "--dtype int8, --dtype int4")
    return bits


def _of_name(method: Mapping[str, Any]) -> int:
    """Bits of the weights as the names of the method say them: `w4a8`, `fbgemm_fp8`, `int4_weight_only`."""
    keys = ("quant_method", "quant_algo", "quant_type", "model_quant_type")
    names = " ".join(str(method.get(key) or "") for key in keys).lower()
    if any(word in names for word in _FOUR):
        return 4
    return 8 if method.get("load_in_8bit") or any(word in names for word in _EIGHT) else 0


def _group(method: Mapping[str, Any]) -> int:
    told = method.get("group_size") or method.get("q_group_size") or _of_groups(method).get("group_size")
    return _number(told)


def _number(told: Any) -> int:
    """0 where it is none above it."""
    return int(told) if str(told).isdecimal() and len(str(told)) < 10 else 0


def _of_groups(method: Mapping[str, Any]) -> Mapping[str, Any]:
    """What compressed-tensors says of the weights of its first group."""
    groups = method.get("config_groups")
    if not isinstance(groups, dict) or not groups:
        return {}
    first = next(iter(groups.values()))
    weights = first.get("weights") if isinstance(first, dict) else None
    return weights if isinstance(weights, dict) else {}


def _bytes(bits: int, group: int) -> float:
    """With a scale of two bytes and a zero point of `bits` for each group; per channel they do not count."""
    return bits / 8 + ((2 + bits / 8) / group if group else 0)
