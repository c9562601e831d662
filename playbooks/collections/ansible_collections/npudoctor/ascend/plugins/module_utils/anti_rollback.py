"""What the NPUs refuse: a driver below the base version in their flash, or one that does not know their parts.

Source: the driver package's run_driver_upgrade_check.sh and version_cap.map (hicann/driver, commit 999c25d7, read
2026-11-30); the capabilities below are those that the map lists, for hosts whose driver has no map.
"""

from __future__ import annotations

import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.npus import ask
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text

_CAPABILITIES = {
    234: "23.0.0",
    235: "24.1.rc2",
    236: "24.1.rc3",
    237: "24.1.rc4",
    238: "25.2.0",
    239: "25.2.2",
    240: "25.3.rc1",
}
_FLASH = re.compile(r"\"driver\"\s*:\s*(\d+)\s*[,}]")
_CAP = re.compile(r"^\s*(\d{1,6})\s*,\s*(\S+)\s*$", re.MULTILINE)
_NEW_CDR = "HUYANG024"
_PLAIN = re.compile(r"^\d+\.\d+\.\d")
_PART = re.compile(r"\d+|[a-z]+")


def least_driver(state, wanted: str, ports: list) -> str:
    """The oldest driver that these NPUs take, where the one wanted is older; empty where it may go in, or none says.

    `ports` are the ids to ask for their clock and data recovery part (910B).
    """
    least = [_of_flash(state), _of_parts(wanted, ports)]
    newest = max(filter(None, least), key=order, default="")
    return newest if newest and order(wanted) < order(newest) else ""


def order(version: str) -> tuple:
    """How driver versions order: `24.1.rc3` < `24.1.0` < `25.0.rc1`, `24.1.rc2` < `24.1.rc2.2`."""
    parts = []
    for word in _PART.findall(version.lower()):
        if word.isdigit():
            parts.append((2, int(word)))
        elif word == "rc":
            parts.append((1, 0))
        else:  # builds and test builds are below the plain version
            parts.append((-1, 0))
    return tuple(parts + [(0, 0)])


def _of_flash(state) -> str:
    folder = state.host("/usr/local/Ascend/driver")
    said = ask(os.path.join(folder, "tools", "upgrade-tool"), "--device_index", "-1", "--hw_base_version")
    bases = [int(number) for number in _FLASH.findall(said.text)]
    if not bases or max(bases) == 0:
        return ""
    listed = {int(cap): version for cap, version in _CAP.findall(read_text(folder + "/script/version_cap.map"))}
    enough = [cap for cap in listed or _CAPABILITIES if cap >= max(bases)]
    return (listed or _CAPABILITIES)[min(enough)] if enough else ""


def _of_parts(wanted: str, ports: list) -> str:
    makers = [ask("hccn_tool", "-i", port, "-scdr", "-g").text for port in ports]
    if not any(_NEW_CDR in maker for maker in makers):
        return ""
    return "23.0.7" if _PLAIN.match(wanted) else "24.1.rc2.2"
