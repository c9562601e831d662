"""A package is what its digest says, or it does not run.

Each one is checked on the target right before it runs: its size, its SHA-256, and that the chip and the
architecture in its name are those of the host. `ready` then lays it under its own name in a folder that only
root can read, as installers look at the name that they were called by.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure

PACKAGES_SPEC = {
    "type": "list",
    "elements": "dict",
    "options": {
        "name": {"type": "str", "required": True},
        "sha256": {"type": "str", "required": True},
        "size": {"type": "int", "required": True},
    },
}
_CHUNK = 1 << 20
_ARCH = re.compile(r"(?:^|[_.-])(x86[_-]64|amd64|aarch64|arm64)(?=[_.-]|$)", re.IGNORECASE)
_CHIP = re.compile(r"(?:^|[-_])(910_93|910b|910|310p|310b|310|950|A3)(?=[-_])", re.IGNORECASE)
_ARCHES = {"amd64": "x86_64", "x86-64": "x86_64", "arm64": "aarch64"}
# The third generation goes by the chip in one package and by the product in the next.
_CHIPS = {"a3": "910_93"}


@contextlib.contextmanager
def ready(state, package: dict, chip: str = ""):
    """The path of a verified package under its own name; it is gone with the block.

    Raises Failure (`package-missing`, `package-damaged`, `package-mismatch`): nothing has run then.
    """
    fits(package["name"], chip)
    verify(state, package)
    path = os.path.join(state.folder("packages"), os.path.basename(package["name"]))
    stored = state.stored(package["sha256"])
    if not (os.path.exists(path) and os.path.samefile(path, stored)):
        _drop(path)
        os.link(stored, path)
    try:
        yield path
    finally:
        _drop(path)


def fits(name: str, chip: str = "", machine: str = "") -> None:
    """Refuse a package whose name speaks of another architecture or another chip than the host's."""
    machine = machine or platform.machine()
    arch = architecture(name)
    if arch and arch != machine:
        raise Failure("package-mismatch", "{0} is for {1}, this host is {2}".format(name, arch, machine), _FIT)
    family = chip_family(name)
    if chip and family and family != _CHIPS.get(chip.lower(), chip.lower()):
        raise Failure("package-mismatch", "{0} is for {1}, this host has {2}".format(name, family, chip), _FIT)


_FIT = "name the package for this chip and architecture"


def architecture(name: str) -> str:
    """`x86_64` or `aarch64`, as the name says; empty where it says nothing."""
    found = _ARCH.search(name)
    return _ARCHES.get(found.group(1).lower(), found.group(1).lower()) if found else ""


def chip_family(name: str) -> str:
    """`910b`, `910_93`, `310p`, …, as the name says; empty where it says nothing."""
    found = _CHIP.search(name)
    return _CHIPS.get(found.group(1).lower(), found.group(1).lower()) if found else ""


def verify(state, package: dict) -> None:
    """Read the whole package and compare. Raises Failure where it is missing, cut off or altered."""
    path = state.stored(package["sha256"])
    name = package["name"]
    if not os.path.isfile(path):
        raise Failure("package-missing", "{0} is not on this host ({1})".format(name, path), "stage it first")
    size = os.path.getsize(path)
    if size != package["size"]:
        words = "{0} has {1} bytes, should have {2}".format(name, size, package["size"])
        raise Failure("package-damaged", words, "remove {0} and stage it again".format(path))
    found = digest(path)
    if found != package["sha256"]:
        words = "{0} has SHA-256 {1}, should have {2}".format(name, found, package["sha256"])
        raise Failure("package-damaged", words, "remove {0} and stage it again".format(path))


def digest(path: str) -> str:
    """SHA-256 of a file, 64 hex digits."""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            found.update(chunk)
    return found.hexdigest()


def _drop(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
