"""The kernel that runs, the one that the next boot starts, their headers, and whether only signed modules load."""

from __future__ import annotations

import glob
import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.npus import ask
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text

_PART = re.compile(r"\d+|[A-Za-z]+")
_SAVED = re.compile(r"^saved_entry=.*?(\d+\.\d+\.\d+\S*?)(?:>|$)", re.MULTILINE)
_CHOSEN = re.compile(r"^\s*GRUB_DEFAULT\s*=\s*[\"']?([^\"'\n]*)", re.MULTILINE)
_IMAGE = "vmlinuz-"
_EFI = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


def running() -> str:
    """As `uname -r` prints it."""
    return ask("uname", "-r").text.strip()


def next_kernel(state) -> str:
    """What the next boot starts; empty where nobody can say: a boot loader with an entry of its own choice."""
    told = ask("grubby", "--default-kernel")
    name = os.path.basename(told.text.strip())
    if told.rc == 0 and name.startswith(_IMAGE):
        return name[len(_IMAGE) :]
    there = _images(state)
    if _chosen(state) not in ("", "0"):
        return next((each for each in _saved(state) if each in there), "")
    return max(there, key=_order, default="")


def without_headers(state, releases: list) -> list:
    """Those of the kernels that have no headers to build against."""
    return [each for each in releases if not os.path.isfile(state.host("/lib/modules/{0}/build/Makefile".format(each)))]


def with_driver(state) -> list:
    """The kernels that have modules of the NPU driver."""
    modules = glob.glob(state.host("/lib/modules/*/updates/**/drv_*.ko*"), recursive=True)
    start = len(state.host("/lib/modules/"))
    return sorted({path[start:].split("/", 1)[0] for path in modules})


def secure_boot(state) -> bool:
    """Whether only signed modules are loaded."""
    said = ask("mokutil", "--sb-state").text.lower()
    if "secureboot enabled" in said or "secureboot disabled" in said:
        return "secureboot enabled" in said
    try:
        with open(state.host(_EFI), "rb") as file:
            return file.read()[-1:] == b"\x01"
    except OSError:
        return False


def _images(state) -> list:
    folder = state.host("/boot")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return [name[len(_IMAGE) :] for name in names if name.startswith(_IMAGE) and "rescue" not in name]


def _chosen(state) -> str:
    values = _CHOSEN.findall(read_text(state.host("/etc/default/grub")))
    return values[-1].strip() if values else ""


def _saved(state) -> list:
    texts = [read_text(state.host(path)) for path in ("/boot/grub/grubenv", "/boot/grub2/grubenv")]
    return [release for text in texts for release in _SAVED.findall(text)]


def _order(release: str) -> tuple:
    """`5.15.0-130-generic` is newer than `5.15.0-25-generic`; a number is newer than a word."""
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in _PART.findall(release))
