"""`npudoctor accept memory`: the contract of its output and its exit codes."""

import json

import pytest

CONFIG = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "torch_dtype": "bfloat16",
    "max_position_embeddings": 8192,
}


@pytest.fixture
def config(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    return "config.json"


def test_the_json_names_its_units(npudoctor, config):
    ended = npudoctor("accept", "memory", "--model", config, "--chip", "910B3", "--format", "json")
    document = json.loads(ended.stdout)
    assert ended.returncode == 0
    assert document["fits"] is True
    assert document["weights_bytes"] == 16060522496
    assert document["kv_bytes_per_token"] == 131072
    assert document["hbm_bytes"] == 64 << 30
    assert document["environment"] == {
        "ASCEND_MEMORY_PRE_ALLOCATE": "1",
        "ASCEND_MEMORY_POOL_SIZE": str(54 << 30),
    }
    assert document["vllm"] == {
        "tensor_parallel_size": 1,
        "gpu_memory_utilization": 0.84,
        "max_model_len": 8192,
        "max_num_seqs": 1,
    }


def test_what_does_not_fit_fails_and_says_how_it_would(npudoctor, config):
    ended = npudoctor(
        "accept",
        "memory",
        "--model",
        config,
        "--chip",
        "Ascend910B4",
        "--concurrency",
        "20",
        "--length",
        "8192",
    )
    assert ended.returncode == 1
    assert ended.stdout.startswith("It does not fit; it does with --tp 2.")


def test_the_memory_of_a_recorded_host_is_its_npus(npudoctor, config):
    ended = npudoctor("accept", "memory", "--model", ".", "--sample", "a2-healthy", "--format", "json")
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["hbm_bytes"] == 64 << 30


def test_the_memory_of_a_card_can_be_given(npudoctor, config):
    arguments = ("accept", "memory", "--model", config, "--format", "json", "--hbm")
    assert json.loads(npudoctor(*arguments, "128").stdout)["pool_bytes"] == 108 << 30
    assert npudoctor(*arguments, "16").returncode == 1


def test_with_no_chip_it_is_not_known(npudoctor, config):
    ended = npudoctor("accept", "memory", "--model", config, "--format", "json")
    assert ended.returncode == 3
    assert json.loads(ended.stdout)["fits"] is None


def test_the_index_of_the_weights_says_their_size(npudoctor, config, tmp_path):
    index = {"metadata": {"total_size": 17_000_000_000}, "weight_map": {}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    arguments = ("accept", "memory", "--chip", "A2", "--format", "json", "--model")
    assert json.loads(npudoctor(*arguments, ".").stdout)["weights_bytes"] == 17_000_000_000
    assert json.loads(npudoctor(*arguments, config).stdout)["weights_bytes"] == 16060522496


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--model is missing"),
        (("--model", "nowhere"), "nowhere"),
        (("--model", "config.json", "--chip", "H100"), "there is no chip H100"),
        (("--model", "config.json", "--chip", "310P3"), "give --hbm"),
        (("--model", "config.json", "--dtype", "int3"), "there is no precision int3"),
        (("--model", "config.json", "--tp", "3"), "cannot be spread"),
        (("--model", "broken.json"), "no JSON object"),
        (("--model", "other.json"), "num_attention_heads is missing"),
    ],
)
def test_wrong_usage_is_one_line(npudoctor, config, tmp_path, arguments, said):
    (tmp_path / "broken.json").write_text("[1")
    (tmp_path / "other.json").write_text("{}")
    ended = npudoctor("accept", "memory", *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("size", ["nan", "inf", "1e300"])
def test_a_memory_that_no_card_has_is_refused(npudoctor, config, size):
    ended = npudoctor("accept", "memory", "--model", config, "--hbm", size)
    assert ended.returncode == 2
    assert ended.stderr.endswith("is no number; --hbm 64\n")


def test_an_index_that_tells_a_size_without_an_end_is_passed_over(npudoctor, config, tmp_path):
    (tmp_path / "model.safetensors.index.json").write_text('{"metadata": {"total_size": 1e999}}')
    ended = npudoctor("accept", "memory", "--model", ".", "--chip", "910B3")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_file_without_an_end_is_no_config(npudoctor):
    ended = npudoctor("accept", "memory", "--model", "/dev/zero")
    assert ended.returncode == 2
    assert ended.stderr == "npudoctor: /dev/zero: is too large for a config\n"


def test_a_length_that_the_model_is_not_made_for_is_told(npudoctor, config):
    arguments = ("accept", "memory", "--model", config, "--chip", "910B3", "--length")
    said = "The model is made for 8192 tokens; --length 9000 is more."
    assert said in npudoctor(*arguments, "9000").stdout
    assert said in json.loads(npudoctor(*arguments, "9000", "--format", "json").stdout)["notes"]
    assert "made for" not in npudoctor(*arguments, "8192").stdout
