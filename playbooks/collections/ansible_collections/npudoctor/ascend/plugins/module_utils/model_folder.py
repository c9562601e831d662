"""Whether the folder of a model is whole, before a service starts on it: as the doctor's `serving.model_complete`."""

from __future__ import annotations

import json
import os
import re
import struct

_POINTER = b"version https://git-lfs"
_SMALL = 1024
_MOST = 1 << 60  # bytes of a model: no index is right above it
_HEADER = 100000000  # bytes of a header of safetensors: what loads them takes no more
_END = 10**15  # bytes of one file: no header is right above it
_BLANK = bytes(range(33))
_OFFSETS = re.compile(rb'"data_offsets":\[([0-9]+),([0-9]+)\]')
_SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})(\.\w+)$")
_INDEX = re.compile(r".*\.safetensors\.index\.json|pytorch_model\.bin\.index\.json")
_WEIGHTS = (".safetensors", ".bin", ".pt", ".gguf")
_NO_WEIGHTS = re.compile(r"training_args\.bin|optimizer\.pt|scheduler\.pt|rng_state.*\.pt.*")
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "tekken.json", "spiece.model")


def troubles(folder: str, uid: int) -> list:
    """What is wrong with it for a container of this user: a file and words each; empty where nothing is."""
    if not os.path.isdir(folder):
        return ["there is no folder {0}".format(folder)]
    looked = _Folder(folder)
    return looked.troubles() or looked.closed(uid)


class _Folder:
    """Its files, links followed; a link that leads nowhere is no file, and what is hidden is no part of it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        names = [name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
        paths = {name: os.path.join(folder, name) for name in names}
        self.sizes = {name: os.path.getsize(path) for name, path in paths.items() if os.path.isfile(path)}
        self.pointers = [name for name, size in self.sizes.items() if size <= _SMALL and _is_pointer(paths[name])]

    def troubles(self) -> list:
        """What is not whole."""
        found = ["{0} is a pointer of Git LFS, not the file".format(name) for name in self.pointers]
        found += self._of_config()
        for name in self.sizes:
            found += self._of_header(name)
        for name in filter(_INDEX.fullmatch, self.sizes):
            found += self._of_index(name, _object(os.path.join(self.folder, name)) or {})
        found += self._of_names()
        if not any(map(_is_weights, self.sizes)):
            found.append("*.safetensors are not there, nor other weights")
        return found

    def closed(self, uid: int) -> list:
        """Those of its files that a service reads and this user may not."""
        names = [name for name in self.sizes if _is_weights(name) or name.endswith(".json")]
        return [
            "{0} may not be read by user {1}".format(name, uid)
            for name in names
            if not _readable(os.stat(os.path.join(self.folder, name)), uid)
        ]

    def _of_config(self) -> list:
        found = []
        if "config.json" not in self.sizes:
            found.append("config.json is not there")
        elif _object(os.path.join(self.folder, "config.json")) is None:
            found.append("config.json cannot be read as JSON")
        if not any(name in _TOKENIZERS or name.endswith(".tiktoken") for name in self.sizes):
            found.append("tokenizer.json is not there, nor another file of a tokenizer")
        return found

    def _of_header(self, name: str) -> list:
        path, have = os.path.join(self.folder, name), self.sizes[name]
        if not name.endswith(".safetensors") or name in self.pointers or not have or not os.access(path, os.R_OK):
            return []
        stated = _stated_bytes(path)
        if stated is None:
            return ["{0} is damaged: no whole header of safetensors begins it".format(name)]
        said = "{0} has {1} bytes, and its own header says {2}".format(name, have, stated)
        return [said] if stated != have else []

    def _of_index(self, name: str, index: dict) -> list:
        if not isinstance(index.get("weight_map"), dict):
            return ["{0} is no JSON".format(name)]
        shards = set(map(str, index["weight_map"].values()))
        missing = sorted(shards - set(self.sizes))
        if missing or shards & set(self.pointers):
            return ["{0} is not there; {1} names it".format(shard, name) for shard in missing]
        total, have = _total(index), sum(self.sizes[shard] for shard in shards)
        said = "{0} names {1} bytes, the files have {2}: one is cut off".format(name, total, have)
        return [said] if have < total else []

    def _of_names(self) -> list:
        """Shards that number themselves, with or without an index; and files of no bytes."""
        wanted = set()
        for shard in filter(None, map(_SHARD.match, self.sizes)):
            numbers = range(1, int(shard.group(3)) + 1)
            wanted.update(
                "{0}-{1:05}-of-{2}{3}".format(shard.group(1), n, shard.group(3), shard.group(4)) for n in numbers
            )
        missing = sorted(wanted - set(self.sizes))
        empty = [name for name, size in self.sizes.items() if _is_weights(name) and not size]
        found = ["{0} is not there; its siblings are".format(name) for name in missing]
        return found + ["{0} is empty".format(name) for name in empty]


def _stated_bytes(path: str):
    """What a file of safetensors should have by its header; None where no whole one begins it.

    It is 8 bytes with the length of the header, the header (JSON), and the tensors without a gap.
    """
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8).ljust(8, b"\xff"))[0]
        header = file.read(length) if length <= _HEADER else b""
    told = header.translate(None, _BLANK)
    offsets = [(int(start), int(end)) for start, end in _OFFSETS.findall(told)]
    last = max((end for _start, end in offsets), default=0)
    whole = header.startswith(b"{") and told.endswith(b"}}") and last < _END
    return 8 + length + last if whole and last == sum(end - start for start, end in offsets) else None


def _total(index: dict) -> int:
    """Bytes of all tensors as the index says them; 0 where it does not."""
    metadata = index.get("metadata")
    size = metadata.get("total_size") if isinstance(metadata, dict) else None
    return int(size) if isinstance(size, (int, float)) and 0 < size < _MOST else 0


def _object(path: str):
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_weights(name: str) -> bool:
    return name.endswith(_WEIGHTS) and not _NO_WEIGHTS.fullmatch(name)


def _is_pointer(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(_POINTER)) == _POINTER


def _readable(held: os.stat_result, uid: int) -> bool:
    return uid == 0 or bool(held.st_mode & 0o004) or (held.st_uid == uid and bool(held.st_mode & 0o400))
