"""A wheel is what its name says, or it is not installed.

The public Python index holds placeholders under names of the Ascend stack (`cann`, `ascend-cann-toolkit`,
`mindcluster`, `mindspeed…`, all 0.0.1.devN; seen 2026-08), and a plain `pip install` takes them. So a wheel
is opened before pip sees it: name and version within fit the file's name, and one that has to bring a native
library brings it, built for this machine.
"""

from __future__ import annotations

import fnmatch
import os
import platform
import re
import struct
import zipfile

from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure

NATIVE = {
    "torch": "torch/lib/libtorch_cpu.so",
    "torch-npu": "torch_npu/lib/libtorch_npu.so",
    "triton-ascend": "triton/_C/libtriton*.so",
}
"""The file that makes a package what it is; a placeholder has none."""

_PLACEHOLDER = re.compile(r"0(\.0)*(\.[01])?(\.?dev\d*)?", re.IGNORECASE)
_VENDORS = re.compile(r"(ascend|cann|mindcluster|mindspeed|mindspore|mindie|torch-npu|triton-ascend|vllm-ascend)(-.*)?")
_MACHINES = {"x86_64": 62, "aarch64": 183}
_FIX = "take it from the vendor's own index or from the store, by its SHA-256"


def normalized(name: str) -> str:
    """A project's name as indexes compare it: `torch_npu` and `Torch.NPU` are `torch-npu`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def named(file: str) -> tuple:
    """Project and version of a wheel's file name. Raises Failure for a name that is none of a wheel."""
    parts = os.path.basename(file)[: -len(".whl")].split("-") if file.endswith(".whl") else []
    if len(parts) not in (5, 6):
        raise Failure("package-mismatch", "{0} is not the name of a wheel".format(file), "give wheels, no sources")
    return normalized(parts[0]), parts[1]


def inspect(path: str, machine: str = "") -> tuple:
    """Project and version of a wheel that is what it says; Failure (`package-damaged`, `placeholder-package`) if not."""
    project, version = named(path)
    refuse_placeholder(project, version)
    try:
        with zipfile.ZipFile(path) as wheel:
            _same_name(wheel, path, project, version)
            _native(wheel, path, project, machine or platform.machine())
    except (zipfile.BadZipFile, OSError, KeyError) as error:
        words = "{0} cannot be read as a wheel: {1}".format(os.path.basename(path), error)
        raise Failure("package-damaged", words, "stage it again") from error
    return project, version


def refuse_placeholder(project: str, version: str) -> None:
    """Refuse the version of a placeholder: any 0.0.1.devN, and 0.0.1 and below under a vendor's name."""
    dev = "dev" in version.lower()
    if _PLACEHOLDER.fullmatch(version) and (dev or _VENDORS.fullmatch(project)):
        words = "{0} {1} is a placeholder of the public Python index".format(project, version)
        raise Failure("placeholder-package", words, _FIX)


def _same_name(wheel: zipfile.ZipFile, path: str, project: str, version: str) -> None:
    metadata = [name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
    if len(metadata) != 1:
        raise KeyError("no METADATA")
    said = fields(wheel.read(metadata[0]).decode("utf-8", "replace"))
    found = normalized(said.get("name", "")), plain(said.get("version", ""))
    if found != (project, plain(version)):
        words = "{0} holds {1} {2}".format(os.path.basename(path), said.get("name"), said.get("version"))
        raise Failure("package-damaged", words, _FIX)


def plain(version: str) -> str:
    """A version without the ways to write its separators: file names have `_` for `-` and `+`."""
    return re.sub(r"[-_.+]", ".", version).lower()


def fields(text: str) -> dict:
    """The head of a METADATA file, keys in lower case."""
    head = text.split("\n\n", 1)[0]
    pairs = (line.partition(":") for line in head.splitlines() if line[:1].isalpha())
    return {key.lower(): value.strip() for key, _sign, value in pairs}


def _native(wheel: zipfile.ZipFile, path: str, project: str, machine: str) -> None:
    pattern = NATIVE.get(project)
    if not pattern:
        return
    found = next((name for name in wheel.namelist() if fnmatch.fnmatchcase(name, pattern)), "")
    if not found:
        words = "{0} has no {1}: it is a placeholder".format(os.path.basename(path), pattern)
        raise Failure("placeholder-package", words, _FIX)
    with wheel.open(found) as file:
        head = file.read(20)
    wanted = _MACHINES.get(machine)
    if head[:4] != b"\x7fELF" or (wanted and struct.unpack_from("<H", head, 18)[0] != wanted):
        words = "{0}: {1} is no native library for {2}".format(os.path.basename(path), found, machine)
        raise Failure("placeholder-package", words, _FIX)
