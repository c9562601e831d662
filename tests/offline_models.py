"""Offline models as the graph engine writes them, with made-up values: a header, a table, two parts."""

from __future__ import annotations

import struct

GRAPH = bytes(range(256)) * 20


def offline_model(
    soc: str = "Ascend910B3",
    atc: str = "8.5.0",
    *,
    wide: bool = False,
    encrypted: bool = False,
    weights: bytes = bytes(100),
    graph: bytes = GRAPH,
) -> bytes:
    """The bytes of a model for `soc`, by the atc of that number; `wide`: with lengths of 8 bytes."""
    told = {
        "atc_cmdline": f"bin/atc.bin --model=m.onnx --framework=5 --soc_version={soc} --display_model_info=1",
        "soc_version": soc,
        "framework_type": "Onnx",
        "opp_version": "8.5.0.1",
        "atc_version": atc,
    }
    model = (
        _field(0x0A, b"resnet50") + _field(0x3A, graph) + b"".join(_attribute(*one) for one in told.items())
    )
    body = _table([model, weights], wide=wide) + model + weights
    if encrypted:
        body = bytes(byte ^ 0x5A for byte in body)
    return _header(len(body), wide=wide, encrypted=encrypted) + body


def _header(length: int, *, wide: bool, encrypted: bool) -> bytes:
    start = struct.pack(
        "<4sII64xIBBBB32s", b"IMOD", 256, 1 << 28, 0 if wide else length, encrypted, 1, 0, 0, b"resnet50"
    )
    rest = struct.pack("<I32xII20xB3xQ", 0, 0, 1, 0, length if wide else 0)
    return (start + rest).ljust(256, b"\0")


def _table(parts: list[bytes], *, wide: bool) -> bytes:
    row, at, out = "<I4xQQ" if wide else "<III", 0, struct.pack("<I4x" if wide else "<I", len(parts))
    for number, part in enumerate(parts):
        out += struct.pack(row, number, at, len(part))
        at += len(part)
    return out


def _attribute(key: str, value: str) -> bytes:
    return _field(0x5A, _field(0x0A, key.encode()) + _field(0x12, _field(0x12, value.encode())))


def _field(tag: int, data: bytes) -> bytes:
    return bytes([tag]) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    low, high = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(high) if high else bytes([low])


def probed(model: bytes, path: str = "/models/m.om", size: int | None = None) -> str:
    """What the probe prints of it (see `om` in probes.yaml)."""
    said = b""
    for key in (b"soc_version", b"framework_type", b"opp_version", b"atc_version"):
        at = model.rfind(key + b"\x12")
        if at >= 0:
            value = model[at : at + len(key) + 4 + model[at + len(key) + 3]]
            said += value.replace(b"\n", b"\xff") + b"Z\n"
    row = f"-rw-r--r-- 1 0 0 {len(model) if size is None else size} Sep 21 17:04 {path}\n"
    return row + _dump(model[:256]) + "--\n" + _dump(said)


def _dump(data: bytes) -> str:
    rows = (data[at : at + 16] for at in range(0, len(data), 16))
    return "".join(" " + row.hex(" ") + "\n" for row in rows)
