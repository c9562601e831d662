"""The device nodes of NPUs, out of `ls -l /dev` and the like."""

from __future__ import annotations

import re

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.listing import mode_of
from npudoctor.parse.npu_smi_text import plain_lines
from npudoctor.parse.registry import parser
from npudoctor.regex import regex
from npudoctor.text import NO_TEXT

MANAGEMENT = ("davinci_manager", "devmm_svm", "hisi_hdc")
"""Nodes that every user of an NPU needs beside `davinciN`."""


@dataclass(frozen=True, slots=True)
class DeviceNode:
    """One node. Mode, owner and group are None where the listing does not have them (`ls` without -l).

    Attributes:
        name: Below /dev: `davinci0`, `vdavinci100`, `davinci_manager`.
        kind: `device`, or `file`, `folder`, `link` for what is no device but has its name.
        mode: Permission bits: 0o660.
        owner: Name, or number where it has no name here.
    """

    name: str
    kind: str
    mode: int | None
    owner: str | None
    group: str | None
    line: str

    @property
    def number(self) -> int | None:
        """N of `davinciN`; None for vNPUs and management nodes."""
        match = re.fullmatch(r"davinci(\d{1,4})", self.name)
        return int(match[1]) if match else None


_NPU_NODE = regex(
    r"v?davinci\d{1,4}|davinci_manager(?:_docker)?|devmm_svm|hisi_hdc|dvpp_cmdlist|svm\d{1,2}|ts_aisle"
    r"|hdcdrv|lqdcmi_pcidev|uburma|ummu|pngd|vpc|venc|vdec|jpegd|jpege|log_drv|upgrade|event_sched"
)
_DAMAGED = regex(r"(?:/dev/)?v?davinci\W*")
_LONG = regex(r"^([-dlcbps])([-rwxsStT]{9})[.+@]?\s+(?:\d+\s+)?(\S+)\s+(\S+)\s+(.*)$")
_KINDS = {"c": "device", "b": "device", "d": "folder", "l": "link", "-": "file"}


@parser("device-nodes", origin="ls -l /dev")
def parse_device_nodes(text: str) -> tuple[DeviceNode, ...]:
    """The nodes that have to do with NPUs, by name; numbers in numeric order.

    Understands `ls -l /dev`, `ls -l /dev/davinci*`, listings without a date, numeric owners, and plain
    `ls` with one name or many on a line. Raises `ParseError` for text that is no listing at all.
    """
    if NO_TEXT in text:  # a name that is spoilt would be a node that is missing
        raise ParseError("bytes that are no text")
    found: dict[str, DeviceNode] = {}
    listing = False
    for line in plain_lines(text):
        listing = listing or bool(_LONG.match(line.strip())) or line.startswith("total ")
        for node in _nodes(line.strip()):
            found.setdefault(node.name, node)
    if not (found or listing):
        raise ParseError("no line of ls -l /dev")
    return tuple(sorted(found.values(), key=_order))


def _order(node: DeviceNode) -> tuple[bool, int, str]:
    return (node.number is None, node.number or 0, node.name)


def _nodes(line: str) -> list[DeviceNode]:
    if match := _LONG.match(line):
        words = match[5].partition(" -> ")[0].split()[-1:] or [""]
        if _DAMAGED.fullmatch(words[0]):
            raise ParseError(f"a node without a number: {line[:120]}")
        name = _name(words)
        kind, mode = _KINDS.get(match[1], "other"), mode_of(match[2])
        return [DeviceNode(name, kind, mode, match[3], match[4], line)] if name else []
    words = line.split()
    if not words or any(not re.fullmatch(r"[\w./-]+", word) for word in words):
        return []
    names = (_name([word]) for word in words)
    return [DeviceNode(name, "device", None, None, None, line) for name in names if name]


def _name(words: list[str]) -> str:
    name = words[0].removeprefix("/dev/")
    return name if _NPU_NODE.fullmatch(name) else ""
