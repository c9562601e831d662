"""What the NPUs refuse: a driver below the base version in their flash, or one that does not know their parts.

Source: the driver package's run_driver_upgrade_check.sh and version_cap.map (hicann/driver, commit 999c25d7, read
2026-11-30); the capabilities below are those that the map lists, for hosts whose driver has no map.
"""

from __future__ import annotations

import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.npus import ask, fields
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
_WITH_PARTS = ("", "910b")
"""Chips that the rules on parts and on firmware are for; an empty name is that of nobody knows which."""
_NEW_CDR = "HUYANG024"
_BOARD = "0x31"
_MEMORY = {"HBM Manufacturer ID": "0x56", "HBM Clock Speed(MHz)": "1600"}
_FIRST_OF_NEW = "23.0.rc1"
"""The driver that firmware of generation 11 wants before any later one."""
_PLAIN = re.compile(r"^\d+\.\d+\.\d")
_PART = re.compile(r"\d+|[a-z]+")


def least_driver(state, wanted: str, boards: dict, chip: str) -> str:
    """The oldest driver that these NPUs take, where the one wanted is older; empty where it may go in, or none says.

    `boards`: what npu-smi says of each NPU, by its id.
    """
    least = [_of_flash(state)]
    if chip.lower() in _WITH_PARTS:
        plain = bool(_PLAIN.match(wanted))
        least += [_of_ports(plain, sorted(boards)), _of_memory(plain, boards)]
    newest = max(filter(None, least), key=order, default="")
    return newest if newest and order(wanted) < order(newest) else ""


def too_old_firmware(wanted: str, boards: dict, chip: str) -> list:
    """The firmware of generation 11 (`1.11.2`) that these NPUs run, where it does not take the driver wanted."""
    if chip.lower() not in _WITH_PARTS or wanted.lower() == _FIRST_OF_NEW:
        return []
    versions = {board.get("Firmware Version", "") for board in boards.values()}
    return sorted(version for version in versions if version.split(".")[1:2] == ["11"])


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


def _of_ports(plain: bool, ports: list) -> str:
    """By the clock and data recovery parts of the ports; `plain`: whether a driver of the line x.y.z is wanted."""
    makers = [ask("hccn_tool", "-i", port, "-scdr", "-g").text for port in ports]
    if not any(_NEW_CDR in maker for maker in makers):
        return ""
    return "23.0.7" if plain else "24.1.rc2.2"


def _of_memory(plain: bool, boards: dict) -> str:
    """By the HBM of the one board on which a newer kind of it was built in."""
    cards = [fields("memory", npu) for npu, board in boards.items() if board.get("Board ID", "").lower() == _BOARD]
    if not any(all(card.get(name) == value for name, value in _MEMORY.items()) for card in cards):
        return ""
    return "23.0.3" if plain else "24.0.rc1"
