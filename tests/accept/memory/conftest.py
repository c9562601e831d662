"""Configs of public models, in the few keys that count."""

import pytest

QWEN2 = {"model_type": "qwen2", "torch_dtype": "bfloat16", "max_position_embeddings": 32768}
LLAMA = {"model_type": "llama", "torch_dtype": "bfloat16", "vocab_size": 128256, "num_key_value_heads": 8}


def sizes(hidden, layers, heads, groups, intermediate, vocabulary):
    return {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "intermediate_size": intermediate,
        "vocab_size": vocabulary,
        "tie_word_embeddings": False,
    }


LLAMA4 = {
    **sizes(5120, 48, 40, 8, 8192, 202048),
    "model_type": "llama4_text",
    "head_dim": 128,
    "intermediate_size_mlp": 16384,
}

CONFIGS = {
    "falcon-40b": {
        **sizes(8192, 60, 128, 8, 32768, 65024),
        "model_type": "falcon",
        "num_key_value_heads": None,
        "num_kv_heads": 8,
        "multi_query": True,
        "new_decoder_architecture": True,
    },
    "starcoder": {
        "model_type": "gpt_bigcode",
        "n_embd": 6144,
        "n_head": 48,
        "n_inner": 24576,
        "n_layer": 40,
        "n_positions": 8192,
        "vocab_size": 49152,
        "multi_query": True,
    },
    "Llama-4-Maverick": {
        "model_type": "llama4",
        "text_config": {**LLAMA4, "num_local_experts": 128, "interleave_moe_layer_step": 2},
    },
    "ERNIE-4.5-300B-A47B": {
        **sizes(8192, 54, 64, 8, 28672, 103424),
        "model_type": "ernie4_5_moe",
        "moe_num_experts": 64,
        "moe_intermediate_size": 3584,
        "moe_layer_start_index": 3,
        "moe_layer_interval": 1,
        "tie_word_embeddings": True,
    },
    "Qwen3-Next-80B-A3B": {
        **sizes(2048, 48, 16, 2, 5120, 151936),
        "model_type": "qwen3_next",
        "head_dim": 256,
        "moe_intermediate_size": 512,
        "num_experts": 512,
        "shared_expert_intermediate_size": 512,
        "decoder_sparse_step": 1,
        "full_attention_interval": 4,
    },
    "gpt-oss-120b": {
        **sizes(2880, 36, 64, 8, 2880, 201088),
        "model_type": "gpt_oss",
        "head_dim": 64,
        "num_local_experts": 128,
        "attention_bias": True,
        "quantization_config": {"quant_method": "mxfp4"},
    },
    "Qwen2.5-7B": {**QWEN2, **sizes(3584, 28, 28, 4, 18944, 152064)},
    "Qwen2.5-14B": {**QWEN2, **sizes(5120, 48, 40, 8, 13824, 152064)},
    "Qwen2.5-72B": {**QWEN2, **sizes(8192, 80, 64, 8, 29568, 152064)},
    "Llama-3-8B": {**LLAMA, **sizes(4096, 32, 32, 8, 14336, 128256), "max_position_embeddings": 8192},
    "Llama-3-70B": {**LLAMA, **sizes(8192, 80, 64, 8, 28672, 128256), "max_position_embeddings": 8192},
    "Qwen3-0.6B": {
        **sizes(1024, 28, 16, 8, 3072, 151936),
        "model_type": "qwen3",
        "head_dim": 128,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
        "max_position_embeddings": 40960,
    },
    "Qwen3-4B": {
        **sizes(2560, 36, 32, 8, 9728, 151936),
        "model_type": "qwen3",
        "head_dim": 128,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
        "max_position_embeddings": 40960,
    },
    "Qwen3-14B": {
        **sizes(5120, 40, 40, 8, 17408, 151936),
        "model_type": "qwen3",
        "head_dim": 128,
        "torch_dtype": "bfloat16",
        "max_position_embeddings": 40960,
    },
    "Qwen3-30B-A3B": {
        **sizes(2048, 48, 32, 4, 6144, 151936),
        "model_type": "qwen3_moe",
        "head_dim": 128,
        "moe_intermediate_size": 768,
        "num_experts": 128,
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
        "torch_dtype": "bfloat16",
        "max_position_embeddings": 40960,
    },
    "Qwen3-235B-A22B-FP8": {
        **sizes(4096, 94, 64, 4, 12288, 151936),
        "model_type": "qwen3_moe",
        "head_dim": 128,
        "moe_intermediate_size": 1536,
        "num_experts": 128,
        "torch_dtype": "bfloat16",
        "max_position_embeddings": 40960,
        "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
    },
    "gemma-2-9b": {
        key: value
        for key, value in {
            **sizes(3584, 42, 16, 8, 14336, 256000),
            "model_type": "gemma2",
            "head_dim": 256,
            "torch_dtype": "float32",
        }.items()
        if key != "tie_word_embeddings"
    },
    "Mixtral-8x7B": {
        **sizes(4096, 32, 32, 8, 14336, 32000),
        "model_type": "mixtral",
        "num_local_experts": 8,
        "torch_dtype": "bfloat16",
    },
    "glm-4-9b": {
        "model_type": "chatglm",
        "hidden_size": 4096,
        "num_layers": 40,
        "num_attention_heads": 32,
        "multi_query_group_num": 2,
        "kv_channels": 128,
        "ffn_hidden_size": 13696,
        "padded_vocab_size": 151552,
        "add_qkv_bias": True,
        "seq_length": 131072,
        "torch_dtype": "bfloat16",
    },
    "DeepSeek-V2-Lite": {
        **sizes(2048, 27, 16, 16, 10944, 102400),
        "model_type": "deepseek_v2",
        "kv_lora_rank": 512,
        "q_lora_rank": None,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "n_routed_experts": 64,
        "n_shared_experts": 2,
        "moe_intermediate_size": 1408,
        "first_k_dense_replace": 1,
        "torch_dtype": "bfloat16",
        "max_position_embeddings": 163840,
    },
    "DeepSeek-V3": {
        **sizes(7168, 61, 128, 128, 18432, 129280),
        "model_type": "deepseek_v3",
        "moe_intermediate_size": 2048,
        "n_routed_experts": 256,
        "n_shared_experts": 1,
        "first_k_dense_replace": 3,
        "kv_lora_rank": 512,
        "q_lora_rank": 1536,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "num_nextn_predict_layers": 1,
        "torch_dtype": "bfloat16",
        "max_position_embeddings": 163840,
        "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
    },
}


@pytest.fixture
def configs():
    """By the model's name."""
    return CONFIGS
