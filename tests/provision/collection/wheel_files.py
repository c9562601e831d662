"""Wheels as files: right ones, placeholders, damaged ones. They install like any other."""

from __future__ import annotations

import base64
import hashlib
import os
import struct
import zipfile
from pathlib import Path

MACHINE = os.uname().machine
_MACHINES = {"x86_64": 62, "aarch64": 183}


def elf(machine: str = MACHINE) -> bytes:
    """The head of a shared library for a machine, and enough after it to be one by its size."""
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    return ident + struct.pack("<HH", 3, _MACHINES[machine]) + bytes(44)


def wheel(
    folder: Path,
    project: str,
    version: str,
    files: dict[str, bytes] | None = None,
    needs: tuple[str, ...] = (),
    says: tuple[str, str] | None = None,
) -> Path:
    """Write a wheel; `says`: name and version in its METADATA where they are not those of its file name."""
    name, number = says or (project, version)
    info = f"{project}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n"
    metadata += "".join(f"Requires-Dist: {need}\n" for need in needs)
    held = {
        **(files or {f"{project}/__init__.py": f"__version__ = {version!r}\n".encode()}),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in held.items())
    held[f"{info}/RECORD"] = (rows + f"{info}/RECORD,,\n").encode()
    path = folder / f"{project}-{version}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, data in held.items():
            archive.writestr(zipfile.ZipInfo(each), data)  # always the same bytes
    return path


def torch(folder: Path, version: str, needs: tuple[str, ...] = ()) -> Path:
    """A torch with its native library."""
    files = {"torch/__init__.py": b"", "torch/lib/libtorch_cpu.so": elf()}
    return wheel(folder, "torch", version, files, needs)


def torch_npu(folder: Path, version: str, machine: str = MACHINE, needs: tuple[str, ...] = ()) -> Path:
    """A torch_npu with its native library."""
    files = {"torch_npu/__init__.py": b"", "torch_npu/lib/libtorch_npu.so": elf(machine)}
    return wheel(folder, "torch_npu", version, files, needs)


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
