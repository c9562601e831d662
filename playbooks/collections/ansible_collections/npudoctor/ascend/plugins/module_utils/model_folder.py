"""Whether the folder of a model is whole, before a service starts on it: as the doctor's `serving.model_complete`."""

from __future__ import annotations

import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_json

_POINTER = b"version https://git-lfs"
_SMALL = 1024
_SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})(\.\w+)")
_WEIGHTS = (".safetensors", ".bin", ".pt", ".gguf")
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "tekken.json", "spiece.model")


def troubles(folder: str, uid: int) -> list:
    """What is wrong with it for a container of this user, in words; empty where nothing is."""
    if not os.path.isdir(folder):
        return ["there is no folder {0}".format(folder)]
    names = sorted(os.listdir(folder))
    found = ["{0} is not there".format(name) for name in sorted(_missing(folder, names))]
    found += ["{0} is a pointer of Git LFS".format(name) for name in names if _is_pointer(os.path.join(folder, name))]
    found += ["{0} may not be read by user {1}".format(name, uid) for name in names if not _readable(folder, name, uid)]
    if "config.json" not in names:
        found.append("config.json is not there")
    if not any(name in _TOKENIZERS or name.endswith(".tiktoken") for name in names):
        found.append("no file of a tokenizer is there")
    if not any(name.endswith(_WEIGHTS) for name in names):
        found.append("no file of weights is there")
    return found


def _missing(folder: str, names: list) -> set:
    """Shards that an index names, or that their siblings count."""
    wanted = set()
    for name in names:
        if name.endswith((".safetensors.index.json", ".bin.index.json")):
            wanted.update(read_json(os.path.join(folder, name)).get("weight_map", {}).values())
        shard = _SHARD.match(name)
        if shard:
            numbers = range(1, int(shard.group(3)) + 1)
            wanted.update(
                "{0}-{1:05}-of-{2}{3}".format(shard.group(1), n, shard.group(3), shard.group(4)) for n in numbers
            )
    return wanted - set(names)


def _is_pointer(path: str) -> bool:
    if not os.path.isfile(path) or os.path.getsize(path) > _SMALL:
        return False
    with open(path, "rb") as file:
        return file.read(len(_POINTER)) == _POINTER


def _readable(folder: str, name: str, uid: int) -> bool:
    held = os.stat(os.path.join(folder, name))
    return uid == 0 or bool(held.st_mode & 0o004) or (held.st_uid == uid and bool(held.st_mode & 0o400))
