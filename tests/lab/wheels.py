"""Small wheels with the names of a stack: torch and torch_npu, which answer from their host, and empty ones.

write_wheel("torch_npu", "2.8.0.post2", folder)
"""

from __future__ import annotations

import struct
import sys
import zipfile
from pathlib import Path

from tests.lab.packages import MACHINE

_PYTHON = Path(__file__).parent / "python"
_NATIVE = {"torch": "torch/lib/libtorch_cpu.so", "torch_npu": "torch_npu/lib/libtorch_npu.so"}
_ELF = {"x86_64": 62, "aarch64": 183}
PYTHON = "cp311"
"""Of the hosts: Debian 12."""
NEEDS = {
    "absl_py": "2.1.0", "attrs": "24.2.0", "cffi": "1.17.1", "cython": "3.0.11", "decorator": "5.1.1",
    "numpy": "1.26.4", "pathlib2": "2.3.7", "protobuf": "3.20.3", "psutil": "6.0.0", "pyyaml": "6.0.2",
    "requests": "2.32.3", "scipy": "1.14.1", "sympy": "1.13.3",
}  # fmt: skip
"""What CANN's own Python parts import (CANN 9.0.0 installation guide, 2026-03)."""
_WHEEL = "Wheel-Version: 1.0\nGenerator: lab\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"


def write_wheel(
    name: str, version: str, folder: Path, arch: str = MACHINE, needs: tuple[str, ...] = ()
) -> Path:
    """A wheel of this name; `needs` are its requirements. One with a library is for one Python."""
    folder.mkdir(parents=True, exist_ok=True)
    native = name in _NATIVE
    tag = f"{PYTHON}-{PYTHON}-manylinux_2_28_{arch}" if native else "py3-none-any"
    info = f"{name}-{version}.dist-info"
    files = _content(name, arch)
    files[f"{info}/METADATA"] = _metadata(name, version, needs)
    files[f"{info}/WHEEL"] = _WHEEL.format(pure=str(not native).lower(), tag=tag).encode()
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"]).encode()
    path = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for place, content in files.items():
            wheel.writestr(place, content)
    return path


def write_wheelhouse(torch: str, torch_npu: str, folder: Path) -> None:
    """All that a virtual environment of a stack needs, so that no index is asked."""
    write_wheel("torch", torch, folder, needs=("numpy",))
    write_wheel("torch_npu", torch_npu, folder, needs=(f"torch=={torch}",))
    for name, version in NEEDS.items():
        write_wheel(name, version, folder)


def _metadata(name: str, version: str, needs: tuple[str, ...]) -> bytes:
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    return "\n".join([*lines, *(f"Requires-Dist: {each}" for each in needs), ""]).encode()


def _content(name: str, arch: str) -> dict[str, bytes]:
    source = _PYTHON / name
    if not source.is_dir():
        return {f"{name}/__init__.py": b""}
    files = {str(file.relative_to(_PYTHON)): file.read_bytes() for file in source.rglob("*.py")}
    files[_NATIVE[name]] = _library(arch)
    return files


def _library(arch: str) -> bytes:
    """The head of a shared library for a machine."""
    return b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HH", 3, _ELF[arch]) + bytes(44)


if __name__ == "__main__":
    print(write_wheel(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
