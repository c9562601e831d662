"""What the NPUs of this host say of themselves, and who uses them."""

from __future__ import annotations

import os
import re
import subprocess

from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text

_SECONDS = 60
_HALF = "driver package may not be completely installed"
_FIELD = re.compile(r"^\s*([A-Za-z][A-Za-z ()]*?)\s*:\s*(.*?)\s*$", re.MULTILINE)
_ID = re.compile(r"^\s*NPU ID\s*:\s*(\d+)\s*$", re.MULTILINE)
_ROW = re.compile(r"^\|\s*(\d+)\s+\S+\s*\|\s*(\S+)\s*\|", re.MULTILINE)
_PROCESS = re.compile(r"^\|\s*\d+\s+\d+\s*\|\s*(\d+)\s*\|\s*(\S*)\s*\|", re.MULTILINE)
# Class 1200 is a processing accelerator, 19e5 the maker (pci.ids, read 2026-11-30).
_PCI = re.compile(r"^\S+ 1200: 19e5:d", re.MULTILINE)
_NODE = re.compile(r"^/dev/davinci(\d+|_manager)$")


class Answer:
    """One call of a tool: its code (None where it could not be called or did not end in time) and its words."""

    def __init__(self, rc, text: str) -> None:
        self.rc = rc
        self.text = text


def ask(*argv: str) -> Answer:
    """Call a tool and wait a minute at most."""
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Answer(None, str(error))
    return Answer(done.returncode, done.stdout.decode("utf-8", "replace"))


class Npus:
    """The NPUs as `npu-smi` tells of them.

    Attributes:
        boards: The board of each NPU, by its id: the fields that `npu-smi info -t board` prints.
        half_installed: Whether npu-smi warns that its driver is not wholly there.
        said: What npu-smi answered where it named no NPU.
    """

    def __init__(self) -> None:
        listed = ask("npu-smi", "info", "-l")
        ids = _ID.findall(listed.text) if listed.rc == 0 else []
        self.boards = {each: fields("board", each) for each in ids}
        self.half_installed = _HALF in listed.text
        self.said = "" if ids else listed.text.strip()

    def field(self, name: str) -> str:
        """A field of the boards: its value, or `A (NPU 0 1), B (NPU 2)` where they differ.

        An NPU that does not say it does not count here: what is not known is no difference. See `silent`.
        """
        values: dict = {}
        for npu, board in self.boards.items():
            if board.get(name):
                values.setdefault(board[name], []).append(npu)
        if len(values) < 2:
            return next(iter(values), "")
        return ", ".join("{0} (NPU {1})".format(value, " ".join(ids)) for value, ids in sorted(values.items()))

    def silent(self, name: str) -> list:
        """The NPUs that do not say it, as sentences."""
        return [
            "NPU {0} does not say its {1}".format(npu, name)
            for npu, board in self.boards.items()
            if not board.get(name)
        ]


def fields(kind: str, npu: str) -> dict:
    """What `npu-smi info -t KIND` says of an NPU; nothing where it does not answer."""
    answer = ask("npu-smi", "info", "-t", kind, "-i", npu)
    return dict(_FIELD.findall(answer.text)) if answer.rc == 0 else {}


def table() -> list:
    """(NPU, health word) of every chip in npu-smi's table, and the processes in it: two lists."""
    text = ask("npu-smi", "info").text
    chips = [(npu, health) for npu, health in _ROW.findall(text) if ":" not in health and not health.isdigit()]
    return [chips, ["{1} ({0})".format(pid, name or "?") for pid, name in _PROCESS.findall(text)]]


def pci_count() -> int:
    """How many accelerators of the maker are on PCI; 0 also where there is no lspci."""
    return len(_PCI.findall(ask("lspci", "-n").text))


def users(state) -> list:
    """The processes that use NPUs, as `python3 (1234)`: those that hold a node open, and those npu-smi names.

    Only root sees the open files of others.
    """
    found = table()[1]
    proc = state.host("/proc")
    for pid in sorted(filter(str.isdigit, _names(proc)), key=int):
        if any(map(_NODE.match, _open_files(os.path.join(proc, pid, "fd")))):
            found.append("{0} ({1})".format(read_text(os.path.join(proc, pid, "comm")).strip() or "?", pid))
    return list(dict.fromkeys(found))


def _open_files(folder: str) -> list:
    return [_target(os.path.join(folder, name)) for name in _names(folder)]


def _names(folder: str) -> list:
    """What is in a folder; a process that has ended meanwhile has none."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _target(link: str) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""
