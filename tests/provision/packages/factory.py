"""Packages for tests: files with the header that makeself writes, zips as the vendor packs them, wheels."""

import hashlib
import zipfile
from pathlib import Path

HEADER = """\
#!/bin/sh
# This script was generated using Makeself 2.4.5
# The license covering this archive and its contents, if any, is wholly independent of this one

ORIG_UMASK=`umask`
CRCsum="0000000000"
MD5="00000000000000000000000000000000"
SHA="{sha}"
SIGNATURE=""
label="{label}"
script="./install.sh"
filesizes="{size}"
totalsize="{size}"
skip="{lines}"
offset=`head -n "$skip" "$0" | wc -c | tr -d " "`
exit 0
"""
DRIVER = "Ascend-hdk-910b-npu-driver_25.5.0_linux-aarch64.run"
FIRMWARE = "Ascend-hdk-910b-npu-firmware_7.8.0.5.216.run"
TOOLKIT = "Ascend-cann-toolkit_8.5.0_linux-aarch64.run"
OPS = "Ascend-cann-910b-ops_8.5.0_linux-aarch64.run"
NNAL = "Ascend-cann-nnal_8.5.0_linux-aarch64.run"
STACK = "a2-cann8.5.0-torch2.7.1"
"""A stack whose `.run` packages have no published digest, but for the container runtime."""
RUNS = (DRIVER, FIRMWARE, TOOLKIT, OPS, NNAL)


def run_package(text: str, label: str = "RUN PACKAGE", sha: str | None = None) -> bytes:
    """A `.run` package whose archive is just a text, repeated to some kilobytes."""
    body = (text + "\n").encode() * 200
    digest = hashlib.sha256(body).hexdigest() if sha is None else sha
    header = HEADER.format(sha=digest, label=label, size=len(body), lines=HEADER.count("\n"))
    return header.encode() + body


def fill(folder: Path, names=RUNS) -> Path:
    """A folder with a whole package of each name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(run_package(name))
    return folder


def vendor_zip(file: Path, runs: dict[str, bytes]) -> Path:
    """As the vendor packs: a zip of packages, in a zip beside its signature and a list of the revoked."""
    inner = file.with_name("inner.zip")
    with zipfile.ZipFile(inner, "w") as zipped:
        for name, content in runs.items():
            zipped.writestr(name, content)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.write(inner, file.name)
        zipped.writestr(f"{file.name}.cms", b"a signature")
        zipped.writestr("ascend.crl", b"a list")
    inner.unlink()
    return file


def wheel(file: Path, text: str = "") -> Path:
    """A wheel with one file in it."""
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("one.py", text or file.name)
    return file


def sha256(content: bytes) -> str:
    """Its digest."""
    return hashlib.sha256(content).hexdigest()
