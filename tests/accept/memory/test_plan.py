"""Against what model cards and vLLM's own log lines say of public models."""

import pytest

from npudoctor.accept.memory.plan import Wanted, plan_of, smallest_cards
from npudoctor.accept.memory.precision import precision_of
from npudoctor.accept.memory.shape import shape_of
from npudoctor.errors import UsageError

GIB = 1024**3


def plan(config, cards=1, concurrency=1, length=None, hbm=64 * GIB, dtype=None, stored=None):
    wanted = Wanted(cards, concurrency, length, hbm, stored)
    return plan_of(shape_of(config, "config.json"), precision_of(config, dtype), wanted)


@pytest.mark.parametrize(
    ("model", "billions"),
    [  # what the model cards say
        ("Qwen2.5-7B", 7.62),
        ("Qwen2.5-14B", 14.77),
        ("Qwen2.5-72B", 72.7),
        ("Llama-3-8B", 8.03),
        ("Llama-3-70B", 70.6),
        ("Qwen3-0.6B", 0.596),
        ("Qwen3-4B", 4.02),
        ("Qwen3-14B", 14.77),
        ("Qwen3-30B-A3B", 30.5),
        ("Qwen3-235B-A22B-FP8", 235.1),
        ("gemma-2-9b", 9.24),
        ("Mixtral-8x7B", 46.7),
        ("glm-4-9b", 9.4),
        ("DeepSeek-V2-Lite", 15.7),
        ("DeepSeek-V3", 671.0),
        ("gpt-oss-120b", 116.8),
    ],
)
def test_parameters_are_those_of_the_model_card(model, billions, configs):
    assert plan(configs[model]).parameters / 1e9 == pytest.approx(billions, rel=0.003)


@pytest.mark.parametrize(
    ("model", "billions"),
    [("falcon-40b", 41.8), ("starcoder", 15.5), ("Llama-4-Maverick", 401), ("ERNIE-4.5-300B-A47B", 300)],
)
def test_parameters_of_rarer_families_are_within_1_percent(model, billions, configs):
    assert plan(configs[model]).parameters / 1e9 == pytest.approx(billions, rel=0.01)


def test_weights_in_mxfp4_take_what_the_files_of_the_model_take(configs):
    """The index of openai/gpt-oss-120b: 65.25 GB."""
    assert plan(configs["gpt-oss-120b"]).weights / 1e9 == pytest.approx(65.25, rel=0.05)


AWQ = {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}, "torch_dtype": "float16"}


@pytest.mark.parametrize(
    ("model", "more", "cards", "gib"),
    [
        ("Llama-3-8B", {}, 1, 14.96),  # vllm pull request 10511, Memory profiling results
        ("Llama-3-8B", {}, 2, 7.48),  # the same, -tp 2
        ("Llama-3-8B", {}, 1, 14.9888),  # vllm issue 10517, of Llama 3.1, which is as large
        ("Qwen2.5-14B", {}, 2, 13.9476),  # vllm issue 13061, of DeepSeek-R1-Distill-Qwen-14B
        ("Qwen3-4B", {}, 1, 7.6785),  # kyuz0/amd-strix-halo-vllm-toolboxes pull request 5
        ("Qwen3-14B", {}, 1, 27.5376),  # vllm-ascend issue 9372
        ("Qwen2.5-7B", AWQ, 1, 5.2032),  # vllm issue 13882, Loading model weights took
        ("Qwen3-0.6B", {}, 1, 1.1195),  # vllm-ascend issue 2963
    ],
)
def test_weights_are_within_5_percent_of_what_vllm_logs(model, more, cards, gib, configs):
    got = plan({**configs[model], **more}, cards=cards)
    assert got.weights_card / GIB == pytest.approx(gib, rel=0.05)


def test_activations_are_near_what_vllm_measures(configs):
    """vllm pull request 10511: PyTorch activation peak memory 1.26 GiB for Llama-3-8B."""
    assert plan(configs["Llama-3-8B"]).activations_card / GIB == pytest.approx(1.26, rel=0.05)


@pytest.mark.parametrize(
    ("model", "cards", "bytes"),
    [
        ("Qwen2.5-7B", 1, 2 * 28 * 4 * 128 * 2),
        ("Qwen2.5-7B", 2, 2 * 28 * 2 * 128 * 2),
        ("Llama-3-70B", 1, 2 * 80 * 8 * 128 * 2),
        ("Llama-3-70B", 16, 2 * 80 * 1 * 128 * 2),  # a card has one head at least
        ("Qwen3-30B-A3B", 1, 2 * 48 * 4 * 128 * 2),
        ("DeepSeek-V3", 1, 61 * (512 + 64) * 2),
        ("falcon-40b", 1, 2 * 60 * 8 * 64 * 2),
        ("starcoder", 1, 2 * 40 * 1 * 128 * 2),  # all heads share one
        ("Qwen3-Next-80B-A3B", 1, 2 * 12 * 2 * 256 * 2),  # each fourth layer has a cache
        ("DeepSeek-V3", 16, 61 * (512 + 64) * 2),  # latent attention is not split
    ],
)
def test_a_token_takes_what_its_heads_and_layers_take(model, cards, bytes, configs):
    assert plan(configs[model], cards=cards).token_card == bytes


@pytest.mark.parametrize(
    ("model", "cards", "gib", "tokens"),
    [
        ("Qwen3-235B-A22B-FP8", 4, 8.11, 178_880),  # vllm issue 21348
        ("Llama-3-8B", 1, 3.81, 1952 * 16),  # vllm issue 10517: 1952 blocks of 16 tokens
        ("Llama-3-8B", 1, 2.89, 1478 * 16),  # the same
        ("DeepSeek-V2-Lite", 1, 0.95, 32_768),  # vllm issue 15871: what a request of this length needs
    ],
)
def test_tokens_in_the_cache_are_within_5_percent_of_what_vllm_logs(model, cards, gib, tokens, configs):
    assert gib * GIB / plan(configs[model], cards=cards).token_card == pytest.approx(tokens, rel=0.05)


def test_what_fits_leaves_driver_and_runtime_their_share(configs):
    got = plan(configs["Qwen2.5-7B"], concurrency=8, length=8192)
    assert got.reserve == 10 * GIB
    assert got.pool == 54 * GIB
    assert got.utilisation == 0.84
    assert got.fits
    assert got.tokens % 128 == 0
    assert got.tokens * got.token_card <= got.pool - got.weights_card - got.activations_card
    assert got.concurrency == got.tokens // 8192
    full = plan(configs["Qwen2.5-7B"], concurrency=got.concurrency, length=8192)
    assert full.fits
    assert not plan(configs["Qwen2.5-7B"], concurrency=got.concurrency + 1, length=8192).fits


def test_the_longest_request_fits_so_many_times(configs):
    got = plan(configs["Llama-3-70B"], cards=4, concurrency=100)
    assert 0 < got.longest < 8192
    assert plan(configs["Llama-3-70B"], cards=4, concurrency=100, length=got.longest).fits
    assert not plan(configs["Llama-3-70B"], cards=4, concurrency=100, length=got.longest + 128).fits


def test_the_fewest_cards_are_found(configs):
    shape = shape_of(configs["Qwen2.5-72B"], "x")
    precision = precision_of(configs["Qwen2.5-72B"], None)
    assert smallest_cards(shape, precision, Wanted(1, 1, 8192, 64 * GIB, None)) == 4
    assert smallest_cards(shape, precision, Wanted(1, 10**9, 8192, 64 * GIB, None)) is None


def test_without_the_memory_of_a_card_nothing_is_said_to_fit(configs):
    got = plan(configs["Llama-3-8B"], hbm=None)
    assert (got.fits, got.tokens, got.pool, got.concurrency) == (None, None, None, None)
    assert got.weights > 0


@pytest.mark.parametrize(
    ("dtype", "gib"), [("float32", 28.37), ("bfloat16", 14.19), ("int8", 8.1), ("w8a8", 8.1), ("int4", 5.2)]
)
def test_a_precision_makes_weights_smaller_but_not_the_embeddings(dtype, gib, configs):
    assert plan(configs["Qwen2.5-7B"], dtype=dtype).weights / GIB == pytest.approx(gib, rel=0.01)


@pytest.mark.parametrize(
    ("quantisation", "linear"),
    [
        ({"quant_method": "gptq", "bits": 8, "group_size": -1}, 1.0),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 0.5),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"group_0": {"weights": {"num_bits": 4, "group_size": 64}}},
            },
            0.5 + 2.5 / 64,
        ),
        ({"quant_method": "mxfp4"}, 0.5 + 1 / 32),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, 0.5 + 1 / 16),
        ({"quant_method": "fbgemm_fp8"}, 1.0),
        ({"quant_method": "ascend", "quant_type": "W4A8"}, 0.5),
        ({"quant_method": "gptq", "bits": "4", "group_size": "channel"}, 0.5),
    ],
)
def test_quantisations_are_read_from_the_config(quantisation, linear):
    assert precision_of({"quantization_config": quantisation}, None).linear == linear


@pytest.mark.parametrize("told", [{}, {"bits": "few"}, {"bits": -4}, {"bits": {"a": 8}}])
def test_bits_that_are_not_told_are_asked_for_and_not_made_up(told):
    with pytest.raises(UsageError, match="aqlm does not tell its bits; --dtype int8"):
        precision_of({"quantization_config": {"quant_method": "aqlm", **told}}, None)


@pytest.mark.parametrize(
    "odd",
    [
        {"layer_types": ["linear_attention"] * 28},
        {"num_attention_heads": 7168, "num_key_value_heads": None},
        {"num_experts": 8, "moe_intermediate_size": 100, "mlp_only_layers": 5},
        {"num_experts": 8, "moe_intermediate_size": 100, "num_hidden_layers": 10**9},
        {"vision_config": {"hidden_size": 8, "depth": 2, "mlp_ratio": "wide"}},
        {"vision_config": {"hidden_size": 8, "depth": 2, "mlp_ratio": float("inf")}},
    ],
)
def test_an_odd_config_is_planned_all_the_same(odd, configs):
    assert plan({**configs["Qwen2.5-7B"], **odd}).weights > 0


def test_a_size_that_no_model_has_is_refused(configs):
    with pytest.raises(UsageError, match="hidden_size is missing or is no number"):
        plan({**configs["Qwen2.5-7B"], "hidden_size": 10**400})


def test_what_lies_on_disk_is_more_than_a_count(configs):
    got = plan(configs["Qwen2.5-7B"], cards=2, stored=16 * GIB)
    assert got.weights == 16 * GIB
    assert got.weights_card == pytest.approx(8 * GIB, rel=0.001)


def test_heads_that_cannot_be_spread_are_refused(configs):
    with pytest.raises(UsageError, match="28 heads cannot be spread over 8 cards"):
        plan(configs["Qwen2.5-7B"], cards=8)


def test_heads_of_keys_and_values_that_cannot_be_spread_are_refused(configs):
    """vLLM starts only where one of heads and cards divides the other."""
    with pytest.raises(UsageError, match="4 heads cannot be spread over 7 cards"):
        plan(configs["Qwen2.5-7B"], cards=7)


def test_the_text_part_of_a_model_that_sees_is_read(configs):
    inner = {key: value for key, value in configs["Qwen2.5-7B"].items() if key != "torch_dtype"}
    config = {
        "model_type": "qwen2_5_vl",
        "torch_dtype": "bfloat16",
        "text_config": inner,
        "vision_config": {
            "depth": 32,
            "hidden_size": 1280,
            "intermediate_size": 3420,
            "hidden_act": "silu",
            "out_hidden_size": 3584,
        },
    }
    got = plan(config)
    assert got.parameters / 1e9 == pytest.approx(8.29, rel=0.01)  # the model card of Qwen2.5-VL-7B
    assert got.token == 2 * 28 * 4 * 128 * 2
