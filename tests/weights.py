"""Files of weights as huggingface/safetensors lays them out (README, Format)."""

from __future__ import annotations

import json


def safetensors(*sizes: int, padding: int = 0) -> bytes:
    """A file with a tensor of each size in bytes; blanks after its header, as writers align the tensors."""
    tensors, end = {}, 0
    for number, size in enumerate(sizes):
        tensors[f"layer {number}"] = {"dtype": "U8", "shape": [size], "data_offsets": [end, end + size]}
        end += size
    return with_header(json.dumps({"__metadata__": {"format": "pt"}, **tensors}) + " " * padding, end)


def with_header(header: str, size: int) -> bytes:
    """A file with these words for a header, and so many bytes after it."""
    return len(header).to_bytes(8, "little") + header.encode() + bytes(size)
