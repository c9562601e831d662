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
from tests.weights import safetensors, with_header

SHARDS = [f"model-{number:05}-of-00003.safetensors" for number in (1, 2, 3)]
SINGLE = "model.safetensors"
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
    """A whole model on disk: three shards of 4000 bytes, their index, config and tokenizer."""
    folder = tmp_path / "a model"
    folder.mkdir(mode=0o755)
    for name in SHARDS:
        (folder / name).write_bytes(safetensors(1000, 3000))
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


def _single(weights: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        _gone(*SHARDS, INDEX)(folder)
        (folder / SINGLE).write_bytes(weights)

    return change


def _shard(weights: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / SHARDS[1]).write_bytes(weights)

    return change


def _offsets(start: int, end: int) -> str:
    return json.dumps({"w": {"dtype": "U8", "shape": [end - start], "data_offsets": [start, end]}})


SMALL = safetensors(10, 20)
BEHIND = 8 + int.from_bytes(SMALL[:8], "little")
"""Where its header ends."""
HEADERS = {
    "one file is cut off": SMALL[:-1],
    "one file is cut off in its header": SMALL[: BEHIND - 1],
    "one file is cut off behind its header": SMALL[:BEHIND],
    "one file is cut off in the length of its header": SMALL[:5],
    "one file is longer than its header says": SMALL + b"x",
    "one file is of zeros, as where a download laid out its room": bytes(4096),
    "one file is no safetensors": b"weights\n" * 100,
    "a header is longer than its file": (len(SMALL)).to_bytes(8, "little") + SMALL[8:],
    "a header is longer than what loads it takes": (100_000_001).to_bytes(8, "little") + SMALL[8:],
    "a header has a length of more than four bytes": (1 << 40 | BEHIND - 8).to_bytes(8, "little") + SMALL[8:],
    "a header is shorter than its text": (BEHIND - 9).to_bytes(8, "little") + SMALL[8:],
    "a header lies of where tensors end": with_header(_offsets(0, 31), 30),
    "a header lies of terabytes": with_header(_offsets(0, 70_000_000_000_000), 30),
    "a header lies of more than any disk has": with_header(_offsets(0, 10**24), 30),
    "a header leaves a gap": with_header(_offsets(1, 30), 30),
    "a header is no JSON object": with_header("[" + _offsets(0, 30) + "}}", 30),
    "a header begins with a blank": with_header(" " + _offsets(0, 30), 30),
    "a header stops within a tensor": with_header(_offsets(0, 30)[:-1], 30),
}
SOUND = {
    "one file and no index": safetensors(1000, 3000),
    "a header that ends with blanks": safetensors(10, padding=7),
    "a header in lines": with_header(json.dumps(json.loads(_offsets(0, 30)), indent=2), 30),
    "a header that names no tensor but quotes one": with_header(
        json.dumps({"__metadata__": {"note": _offsets(0, 99).replace(" ", "")}}), 0
    ),
    "one file of half a million tensors": safetensors(*[0] * 500_000),
}


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
    "the only file of weights is empty": _single(b""),
    "a shard is damaged that is as large as it should be": _shard(bytes(len(safetensors(1000, 3000)))),
    "a shard is cut off that no size of an index shows": _shard(safetensors(1000, 3000)[:-1]),
    **{case: _single(weights) for case, weights in HEADERS.items()},
}
WHOLE: dict[str, Callable[[Path], None]] = {
    "as it was published": lambda _folder: None,
    **{case: _single(weights) for case, weights in SOUND.items()},
    "an index that tells no size": _text(json.dumps({"weight_map": {"a": SHARDS[0]}}), INDEX),
    "an index that tells a size without an end": _text(
        json.dumps({"metadata": {"total_size": float("inf")}, "weight_map": {"a": SHARDS[0]}}), INDEX
    ),
    "a tokenizer of another kind": _other_tokenizer,
    "what is hidden is no part of it": _text("x", "._model.safetensors"),
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
