"""NNAL on a host: versions side by side below `nnal/atb`, `latest` leads to the one in use, each for two C++ ABIs.

Its installer wants the environment of CANN, puts a version beside the others, and takes an older one as well; its
`--upgrade` refuses for ever once it was cut off, so that it is not used here (cann/ascend-transformer-boost,
scripts/install.sh, read 2026-11-30; NNAL 8.2 to 9.0).
"""

from __future__ import annotations

import glob
import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_versions import is_version
from ansible_collections.npudoctor.ascend.plugins.module_utils.links import target
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text

_VERSION = re.compile(r"^\s*Ascend-cann-(?:atb|nnal)\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)


class Atb:
    """One version of it: its folder, the ABIs that it holds (`0`, `1`), what it lacks, whether it is in use."""

    def __init__(self, ascend: str, folder: str) -> None:
        said = _VERSION.search(read_text(os.path.join(folder, "version.info")))
        self.folder = folder
        self.version = said.group(1) if said else os.path.basename(folder)
        self.abis = [path[-1] for path in sorted(glob.glob(os.path.join(folder, "atb", "cxx_abi_[01]")))]
        self.in_use = target(link(ascend)) == os.path.realpath(folder)
        self.missing = [] if said else [os.path.join(folder, "version.info")]
        self.missing += [] if self.abis else [os.path.join(folder, "atb", "cxx_abi_1")]


def versions(ascend: str) -> list:
    """Every version that is there, whole or in part."""
    paths = (path for path in sorted(glob.glob(os.path.join(ascend, "nnal", "atb", "*"))) if os.path.isdir(path))
    return [Atb(ascend, path) for path in paths if not os.path.islink(path) and is_version(os.path.basename(path))]


def link(ascend: str) -> str:
    """What leads to the version in use."""
    return os.path.join(ascend, "nnal", "atb", "latest")


def set_env(ascend: str) -> str:
    """The script that sets its environment."""
    return os.path.join(ascend, "nnal", "atb", "set_env.sh")


def uninstaller(ascend: str, folder: str) -> str:
    """The script that removes it; empty where there is none."""
    places = [os.path.join(ascend, "nnal", "nnal_uninstall.sh"), os.path.join(folder, "scripts", "uninstall.sh")]
    return next((path for path in places if os.path.isfile(path)), "")
