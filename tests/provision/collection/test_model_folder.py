"""The role and the check `serving.model_complete` say the same words of the same folders of models."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from npudoctor.checks.serving_model import model_complete
from npudoctor.collect.local import start_local
from npudoctor.finding import Status
from npudoctor.host import Host
from tests.provision.collection.calling import COLLECTIONS

SHARDS = [f"model-{number:05}-of-00003.safetensors" for number in (1, 2, 3)]
INDEX = "model.safetensors.index.json"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 4976698672\n".format("ab" * 32)
USER = 1000


@pytest.fixture
def troubles() -> Callable[[str, int], list[str]]:
    if str(COLLECTIONS) not in sys.path:
        sys.path.insert(0, str(COLLECTIONS))
    role: Any = importlib.import_module(
        "ansible_collections.npudoctor.ascend.plugins.module_utils.model_folder"
    )
    return role.troubles  # type: ignore[no-any-return]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A whole model on disk: three shards of 4 KB, their index, config and tokenizer."""
    folder = tmp_path / "a model"
    folder.mkdir(mode=0o755)
    for name in SHARDS:
        (folder / name).write_bytes(bytes(4096))
    index = {"metadata": {"total_size": 12000}, "weight_map": {f"layer.{name}": name for name in SHARDS}}
    (folder / INDEX).write_text(json.dumps(index))
    (folder / "config.json").write_text('{"model_type": "qwen2"}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "original").mkdir(mode=0o700)
    for file in folder.iterdir():
        if file.is_file():
            file.chmod(0o644)
    return folder


def _gone(*names: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return change


def _text(text: str, *names: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        for name in names:
            (folder / name).write_text(text)

    return change


def _link_to_nowhere(folder: Path) -> None:
    (folder / SHARDS[1]).unlink()
    (folder / SHARDS[1]).symlink_to("../blobs/gone")


def _other_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").rename(folder / "qwen.tiktoken")


def _single(size: int) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        _gone(*SHARDS, INDEX)(folder)
        (folder / "model.safetensors").write_bytes(bytes(size))

    return change


BROKEN = {
    "a shard that the index names is missing": _gone(SHARDS[1]),
    "a shard is a link that leads nowhere": _link_to_nowhere,
    "a shard is missing, and there is no index": _gone(SHARDS[2], INDEX),
    "weights and tokenizer are pointers of Git LFS": _text(POINTER, *SHARDS, "tokenizer.json"),
    "a shard is cut off: less than the index says in sum": _text("x" * 100, SHARDS[2]),
    "a shard is empty": _text("", SHARDS[0]),
    "there is no config": _gone("config.json"),
    "the config is no JSON": _text("{", "config.json"),
    "there is no tokenizer": _gone("tokenizer.json"),
    "the index says more than the files have": _text(
        json.dumps({"metadata": {"total_size": 99999}, "weight_map": {"a": SHARDS[0]}}), INDEX
    ),
    "the index names what is no name of a file": _text('{"weight_map": {"a": ["x"], "b": 5}}', INDEX),
    "there are no weights": _gone(*SHARDS, INDEX),
    "the only file of weights is empty": _single(0),
}
WHOLE: dict[str, Callable[[Path], None]] = {
    "as it was published": lambda _folder: None,
    "one file and no index": _single(4096),
    "an index that tells no size": _text(json.dumps({"weight_map": {"a": SHARDS[0]}}), INDEX),
    "an index that tells a size without an end": _text(
        json.dumps({"metadata": {"total_size": float("inf")}, "weight_map": {"a": SHARDS[0]}}), INDEX
    ),
    "a tokenizer of another kind": _other_tokenizer,
    "what training left is no weights": _text("", "optimizer.pt"),
}


def _judged(folder: Path) -> Any:
    return model_complete(Host(start_local(model=str(folder)).snapshot()))


@pytest.mark.parametrize("case", WHOLE)
def test_what_the_check_passes_the_role_serves(
    case: str, model: Path, troubles: Callable[[str, int], list[str]]
) -> None:
    WHOLE[case](model)
    assert _judged(model).status is Status.PASS
    assert troubles(str(model), USER) == []


@pytest.mark.parametrize("case", BROKEN)
def test_what_the_check_fails_the_role_refuses_with_the_same_words(
    case: str, model: Path, troubles: Callable[[str, int], list[str]]
) -> None:
    BROKEN[case](model)
    verdict = _judged(model)
    assert verdict.status is Status.FAIL
    said = [f"{os.path.basename(proof.source)} {proof.text}" for proof in verdict.evidence]
    assert sorted(troubles(str(model), USER)) == sorted(said)


def test_an_index_that_is_no_json_is_refused_by_both(
    model: Path, troubles: Callable[[str, int], list[str]]
) -> None:
    (model / INDEX).write_text("{")
    assert _judged(model).status is Status.FAIL
    assert troubles(str(model), USER) == [f"{INDEX} is no JSON"]


@pytest.mark.parametrize("text", ['{"weight_map": ' * 100_000, '{"weight_map": [1]}'])
def test_an_index_of_another_form_is_refused_by_both(
    text: str, model: Path, troubles: Callable[[str, int], list[str]]
) -> None:
    (model / INDEX).write_text(text)
    assert _judged(model).status is Status.FAIL
    assert troubles(str(model), USER) == [f"{INDEX} is no JSON"]


def test_what_the_user_may_not_read_is_told_by_both(
    model: Path, troubles: Callable[[str, int], list[str]]
) -> None:
    (model / SHARDS[0]).chmod(0o600)
    verdict = _judged(model)
    assert verdict.status is Status.WARN
    assert verdict.actual.startswith(SHARDS[0])
    other = os.getuid() + 1
    assert troubles(str(model), other) == [f"{SHARDS[0]} may not be read by user {other}"]
    assert troubles(str(model), os.getuid()) == []


def test_a_folder_that_is_not_there_is_refused_by_both(
    tmp_path: Path, troubles: Callable[[str, int], list[str]]
) -> None:
    assert _judged(tmp_path / "gone").status is Status.FAIL
    assert troubles(str(tmp_path / "gone"), USER) == [f"there is no folder {tmp_path / 'gone'}"]
