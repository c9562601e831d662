"""The model that is to be served."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from npudoctor.checks.serving_model import model_complete
from npudoctor.collect.local import start_local
from npudoctor.fact import Unavailable
from npudoctor.finding import Status
from npudoctor.host import Host
from tests.weights import safetensors

SHARDS = [f"model-{number:05}-of-00003.safetensors" for number in (1, 2, 3)]
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 4976698672\n".format("ab" * 32)


@pytest.fixture
def model(tmp_path):
    """A whole model on disk: three shards of 4000 bytes, their index, config and tokenizer."""
    folder = tmp_path / "a model"
    folder.mkdir(mode=0o755)
    for name in SHARDS:
        (folder / name).write_bytes(safetensors(1000, 3000))
    index = {
        "metadata": {"total_size": 12000},
        "weight_map": {f"layer.{at}": name for at, name in enumerate(SHARDS)},
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "config.json").write_text('{"model_type": "qwen2"}')
    (folder / "tokenizer.json").write_text("{}")
    for file in folder.iterdir():
        file.chmod(0o644)
    return folder


def _judged(folder):
    """What the check says of a folder on this machine, read by the script as a user's is."""
    return model_complete(Host(start_local(model=str(folder)).snapshot()))


def test_a_whole_model_passes(model):
    verdict = _judged(model)
    assert (verdict.status, verdict.actual) == (Status.PASS, "0.0 GB of weights")


def test_without_a_named_folder_there_is_nothing_to_judge(host):
    assert model_complete(host()).status is Status.SKIP


def test_a_folder_that_is_not_there_fails(tmp_path):
    verdict = _judged(tmp_path / "gone")
    assert (verdict.status, verdict.actual) == (Status.FAIL, "there is no such folder")


def test_a_shard_that_the_index_names_and_is_not_there_fails(model):
    (model / SHARDS[1]).unlink()
    verdict = _judged(model)
    assert verdict.status is Status.FAIL
    assert verdict.actual.startswith(f"{SHARDS[1]} is not there")


def test_pointers_of_git_lfs_are_told_from_weights(model):
    for name in SHARDS:
        (model / name).write_text(POINTER)
    (model / "tokenizer.json").write_text(POINTER)
    verdict = _judged(model)
    assert verdict.actual == f"{SHARDS[0]} is a pointer of Git LFS, not the file and 3 more"
    assert {os.path.basename(proof.source) for proof in verdict.evidence} == {*SHARDS, "tokenizer.json"}
    assert any("lfs pull" in command for command in verdict.fix.commands)


def test_a_shard_of_fewer_tensors_shows_in_the_sum(model):
    (model / SHARDS[2]).write_bytes(safetensors(100))
    assert "one is cut off" in _judged(model).actual


def test_the_shard_that_is_cut_off_is_named_by_its_own_header(model):
    (model / SHARDS[1]).write_bytes(safetensors(1000, 3000)[:-1000])
    have = (model / SHARDS[1]).stat().st_size
    said = f"{SHARDS[1]} has {have} bytes, and its own header says {have + 1000}"
    assert _judged(model).actual.startswith(said)


def test_a_single_file_without_a_header_fails(model):
    for name in (*SHARDS, "model.safetensors.index.json"):
        (model / name).unlink()
    (model / "model.safetensors").write_bytes(bytes(4096))
    said = "model.safetensors is damaged: no whole header of safetensors begins it"
    assert _judged(model).actual == said


@pytest.mark.parametrize("told", [None, "", "40"])
def test_a_bundle_that_does_not_tell_of_headers_is_judged_by_the_rest(host, told):
    rows = "".join(
        f"-rw-r--r-- 1 0 0 9 Nov 30 02:03 {name}\n" for name in ("model.safetensors", "tokenizer.json")
    )
    commands = {"ls -lLn /models/m/": "total 9\n" + rows, "grep git-lfs /models/m": ""}
    if told is not None:
        commands["safetensors /models/m"] = told
    assert (
        model_complete(host(files={"/models/m/config.json": "{}"}, commands=commands)).status is Status.PASS
    )


def test_shards_are_counted_by_their_names_where_there_is_no_index(model):
    (model / "model.safetensors.index.json").unlink()
    (model / SHARDS[2]).unlink()
    assert _judged(model).actual.startswith(f"{SHARDS[2]} is not there; its siblings are")


def test_an_index_that_is_no_json_fails(model):
    (model / "model.safetensors.index.json").write_text("{")
    assert _judged(model).status is Status.FAIL


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_config_and_tokenizer_belong_to_it(model, name):
    (model / name).unlink()
    verdict = _judged(model)
    assert verdict.status is Status.FAIL
    assert name in verdict.actual


def test_a_single_file_of_weights_needs_no_index(model):
    for name in (*SHARDS, "model.safetensors.index.json"):
        (model / name).unlink()
    (model / "model.safetensors").write_bytes(safetensors(4000))
    assert _judged(model).status is Status.PASS
    (model / "model.safetensors").write_bytes(b"")
    assert _judged(model).status is Status.FAIL


def test_what_only_another_user_may_read_is_a_warning(model):
    (model / SHARDS[0]).chmod(0o600)
    verdict = _judged(model)
    assert verdict.status is Status.WARN
    assert "chmod" in verdict.fix.commands[0]


def test_weights_larger_than_all_npus_fail(host):
    table = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 25.5.0                   Version: 25.5.0                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 92.8        38                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |
+===========================+===============+====================================================+
"""
    row = "-rw-r--r-- 1 0 0 {} Nov 30 02:03 {}\n"
    rows = "total 9\n" + row.format(70_000_000_000, "model.safetensors") + row.format(9, "tokenizer.json")
    given = host(
        files={"/models/m/config.json": "{}"},
        commands={"npu-smi info": table, "ls -lLn /models/m/": rows, "grep git-lfs /models/m": ""},
    )
    verdict = model_complete(given)
    assert verdict.status is Status.FAIL
    assert "70.0 GB of weights" in verdict.actual


def test_a_folder_that_nobody_listed_is_unknown(host):
    with pytest.raises(Unavailable):
        model_complete(host(files={"/models/m/config.json": "{}"}))


def test_the_command_line_takes_it(model):
    command = [
        sys.executable,
        "-m",
        "npudoctor",
        "check",
        "--model",
        str(model),
        "--only",
        "serving.model_complete",
    ]
    ended = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, check=False)
    assert json.loads(ended.stdout)["summary"]["pass"] == 1


def test_a_relative_path_is_meant_from_here_and_is_refused_for_other_machines(model):
    command = [sys.executable, "-m", "npudoctor", "check", "--only", "serving.model_complete", "--model"]

    def ended(*words):
        return subprocess.run(
            [*command, *words], capture_output=True, text=True, check=False, cwd=model.parent
        )

    assert json.loads(ended(model.name, "--format", "json").stdout)["summary"]["pass"] == 1
    assert ended(model.name, "--hosts", "node1,").returncode == 2
    assert ended("").returncode == 2
