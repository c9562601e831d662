"""The operator packages of a CANN: kernels up to 8.3, ops from 8.5 on.

| | kernels | ops |
| --- | --- | --- |
| says its version | `opp_kernel/version.info`, or an install file | `<arch>-linux/ascend_ops_install.info` |
| uninstall | `opp_kernel/script/uninstall.sh` | `<arch>-linux/script/ops_uninstall.sh` |
| goes onto | a toolkit of 8.0.0 or newer, below 8.5 | 8.5.x: the same version; newer: one major version off at most |
| chips below one folder | several | one |

From the installation guides of CANN 8.3.RC1 (2025-11), 8.5.0 (2025-12), 9.0.0 (2026-03) and 9.1.0 (2026-06).
"""

from __future__ import annotations

import glob
import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.cann import install_info, key_values
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_versions import (
    NEW_LAYOUT,
    has_new_layout,
    is_version,
    major,
    version_key,
)
from ansible_collections.npudoctor.ascend.plugins.module_utils.package import chip_family
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text

BINARIES = "opp/built-in/op_impl/ai_core/tbe/kernel/config"
"""Below a CANN: a folder for each chip family, with the operators that are built for it."""

_FIRST_FOR_OTHERS = "8.0.0"
_CHIP_FOLDER = re.compile(r"ascend(\d{3}\w*)$")
_CHIPS = {"910_95": "950"}


class Operators:
    """The operators of one chip family in a CANN.

    Attributes:
        chip: `910b`, `910_93`, `310p`, …; empty where nothing tells.
        version: Of the package; empty where only its files are there.
        missing: What a whole package has and this one lacks.
    """

    def __init__(self, chip: str, version: str, missing: list) -> None:
        self.chip = chip
        self.version = version
        self.missing = missing


def operators(folder: str) -> list:
    """The operators in the folder of a CANN, one row a chip family."""
    built = sorted(filter(None, map(_chip, glob.glob(os.path.join(folder, BINARIES, "*")))))
    version, chip = _package(folder)
    if version and not chip and len(built) == 1:
        chip = built[0]
    rows = [Operators(each, version if each == chip else "", []) for each in built]
    for row in rows:
        row.missing = [] if row.version else [os.path.join(folder, "<arch>-linux", "ascend_ops_install.info")]
    if version and chip not in built:
        rows.append(Operators(chip, version, [os.path.join(folder, BINARIES)]))
    return rows


def uninstaller(folder: str) -> str:
    """The script that removes the operators of a CANN; empty where there is none."""
    places = (
        os.path.join(folder, "*-linux", "script", "ops_uninstall.sh"),
        os.path.join(folder, "opp_kernel", "script", "uninstall.sh"),
    )
    return next((path for place in places for path in sorted(glob.glob(place))), "")


def unfit(version: str, kernels: bool, toolkit: str) -> str:
    """Why operators of a version cannot go onto a toolkit, as a sentence; empty where they can."""
    words = "{0} {1} cannot go onto the toolkit {2}".format("kernels" if kernels else "ops", version, toolkit)
    if not toolkit:
        return "there is no CANN toolkit to put the operators into"
    if kernels:
        lowest = min(version_key(version), version_key(_FIRST_FOR_OTHERS))
        return words if has_new_layout(toolkit) or version_key(toolkit) < lowest else ""
    if not has_new_layout(toolkit):
        return words
    if major(toolkit) == major(NEW_LAYOUT) and version_key(toolkit) != version_key(version):
        return words
    return words if abs(major(toolkit) - major(version)) > 1 else ""


def can_upgrade(now: str, wanted: str) -> bool:
    """Whether `--upgrade` leads from one version to the other: upwards only, and not to 8.5, which knows no such option."""
    if version_key(wanted) <= version_key(now):
        return False
    return not (has_new_layout(wanted) and major(wanted) == major(NEW_LAYOUT))


def family(chip: str) -> str:
    """A chip as packages and folders have it: `910B` is `910b`, `A3` is `910_93`."""
    return chip_family("-{0}-".format(chip)) or chip.lower()


def _chip(path: str) -> str:
    found = _CHIP_FOLDER.search(os.path.basename(path))
    name = found.group(1).lower() if found and os.path.isdir(path) and os.listdir(path) else ""
    return _CHIPS.get(name, name)


def _package(folder: str) -> tuple:
    """Version and chip of the package, as its own files say."""
    for pattern in ("ascend_*ops*_install.info", "ascend_*kernels*_install.info"):
        info = install_info(folder, pattern)
        if info:
            return info["version"], chip_family(info.get("package_name", "") + "-")
    version = key_values(read_text(os.path.join(folder, "opp_kernel", "version.info"))).get("version_dir", "")
    return (version if is_version(version) else ""), ""
