"""Packages as the vendor ships them: makeself archives with the vendor's names, options and words, but empty.

They refuse to run anywhere but on a host of `tests.lab.provisioned`.

    build(Package("driver", "25.5.0"), folder)  # Ascend-hdk-910b-npu-driver_25.5.0_linux-x86-64.run
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab.payloads import is_new, payload, write

VENDOR = Path(__file__).parent / "vendor"
MACHINE = os.uname().machine
HEADER = Path("/usr/share/makeself/makeself-header.sh")
PCI = {"310P": "d500", "910": "d801", "910B": "d802", "A3": "d803", "950": "d806"}
CHIPS = {"310P": "310p", "910": "910", "910B": "910b", "A3": "A3", "950": "950"}
_COMMON = ("install.sh", "common.sh")
_UNKNOWN_FLAG = re.compile(r"    -\*\)\n\techo Unrecognized flag.*?;;\n", re.DOTALL)


@dataclass(frozen=True)
class Package:
    """One package.

    Attributes:
        kind: `driver`, `firmware`, `toolkit`, `ops`, `kernels`, `nnal` or `ascend_runtime`.
        chip: The family: `910B`, `A3`, `310P`, `910`, `950`.
        arch: As `uname -m` says it.
        padding: Bytes that no compression makes fewer.
        innards: Further files of the payload, by path.
    """

    kind: str
    version: str
    chip: str = "910B"
    arch: str = MACHINE
    padding: int = 0
    innards: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the vendor calls it."""
        names = {**_NAMES, **_NAMES_OF_A3} if self.chip == "A3" else _NAMES
        return names[self.kind].format(
            version=self.version,
            chip=CHIPS[self.chip],
            arch=self.arch,
            spelled=self.arch.replace("_", "-"),
        )


def parts_of_cann(version: str) -> tuple[str, str]:
    """The packages that a CANN consists of at least: the operators have two names."""
    return ("toolkit", "ops" if is_new(version) else "kernels")


_NAMES = {
    "driver": "Ascend-hdk-{chip}-npu-driver_{version}_linux-{spelled}.run",
    "firmware": "Ascend-hdk-{chip}-npu-firmware_{version}.run",
    "toolkit": "Ascend-cann-toolkit_{version}_linux-{arch}.run",
    "ops": "Ascend-cann-{chip}-ops_{version}_linux-{arch}.run",
    "kernels": "Ascend-cann-kernels-{chip}_{version}_linux-{arch}.run",
    "nnal": "Ascend-cann-nnal_{version}_linux-{arch}.run",
    "ascend_runtime": "Ascend-docker-runtime_{version}_linux-{arch}.run",
}
_NAMES_OF_A3 = {
    "driver": "Atlas-A3-hdk-npu-driver_{version}_linux-{spelled}.run",
    "firmware": "Atlas-A3-hdk-npu-firmware_{version}.run",
    "kernels": "Atlas-A3-cann-kernels_{version}_linux-{arch}.run",
}
_HDK_SCRIPTS = ("hdk.sh", "uninstall.sh")
_SCRIPTS = {"driver": _HDK_SCRIPTS, "firmware": _HDK_SCRIPTS, "ascend_runtime": ()}


def build(package: Package, folder: Path) -> Path:
    """Write the package into a folder; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / package.name
    with tempfile.TemporaryDirectory() as scratch:
        content = Path(scratch) / "content"
        stage(package, content)
        _makeself(content, path, Path(scratch))
    return path


def stage(package: Package, folder: Path) -> None:
    """What is in the package, as files: `install.sh` in the folder runs it on the spot."""
    folder.mkdir(parents=True)
    for name in (*_COMMON, f"{package.kind}.sh", *_SCRIPTS.get(package.kind, ("cann.sh",))):
        shutil.copy(VENDOR / name, folder / name)
    (folder / "package.info").write_text(_info(package))
    files = {**payload(package.kind, package.version, package.chip, package.arch), **package.innards}
    for path, text in files.items():
        write(folder / path, text)
    if package.kind in ("driver", "firmware"):
        _keep(folder, folder / f"payload/{package.kind}/script/kept")
    if package.padding:
        (folder / "padding").write_bytes(os.urandom(package.padding))


def _info(package: Package) -> str:
    arch = "" if package.kind == "firmware" else package.arch
    rows = {
        "name": package.name,
        "kind": package.kind,
        "version": package.version,
        "chip": package.chip,
        "chip_name": CHIPS[package.chip],
        "pci": PCI[package.chip],
        "arch": arch,
    }
    return "".join(f"{key}={value}\n" for key, value in rows.items())


def _keep(folder: Path, kept: Path) -> None:
    kept.mkdir(parents=True)
    for file in folder.glob("*"):
        if file.suffix in (".sh", ".info"):
            shutil.copy(file, kept / file.name)


def _makeself(content: Path, path: Path, scratch: Path) -> None:
    header = scratch / "header.sh"
    header.write_text(_vendor_header(HEADER.read_text()))
    options = ["--quiet", "--nomd5", "--sha256", "--nooverwrite", "--tar-quietly", "--header", str(header)]
    command = ["makeself", *options, str(content), str(path), "ASCEND RUN PACKAGE", "./install.sh"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _vendor_header(text: str) -> str:
    """As the vendor's: every option is the embedded script's too, and none is unknown."""
    text, number = _UNKNOWN_FLAG.subn("", text)
    assert number == 1, "another makeself: its header has no branch for unknown flags"
    return text.replace(r"\$scriptargs \"\\\$@\"", r"\$scriptargs \$initargs")


def spoil(path: Path) -> None:
    """Turn over the bits of a byte near the end: its size stays."""
    content = bytearray(path.read_bytes())
    content[-20] ^= 0xFF
    path.write_bytes(content)


def truncate(path: Path) -> None:
    """Leave half of it, as a copy that broke off."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
