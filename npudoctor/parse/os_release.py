"""`/etc/os-release`, and the name by which the compatibility lists call a system."""

from __future__ import annotations

import re

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser

_KYLIN_PACKS = {"tercel": "SP1", "sword": "SP2", "lance": "SP3", "halberd": "SP3 2403"}
"""Kylin names its service packs by code name only."""

_NAMES = (
    ("ubuntu", "Ubuntu"),
    ("openeuler", "openEuler"),
    ("kylin", "Kylin"),
    ("ctyunos", "CTyunOS"),
    ("bclinux", "BCLinux"),
    ("bigcloud enterprise linux", "BCLinux"),
    ("culinux", "CULinux"),
    ("hce", "HCE"),
    ("huawei cloud euleros", "HCE"),
    ("euleros", "EulerOS"),
    ("uos", "UOS"),
    ("uniontech", "UOS"),
    ("tencentos", "Tlinux"),
    ("tlinux", "Tlinux"),
    ("velinux", "Velinux"),
    ("alinux", "Alibaba Cloud Linux"),
    ("anolis", "Anolis OS"),
    ("centos", "CentOS"),
    ("debian", "Debian"),
)
"""How an ID or NAME begins, and the name in the vendor's lists."""


@dataclass(frozen=True, slots=True)
class OsRelease:
    """What a system says about itself; an empty string where it says nothing.

    Attributes:
        id: `ubuntu`.
        name: `Ubuntu`.
        version: `22.04.4 LTS (Jammy Jellyfish)`.
        version_id: `22.04`.
        pretty_name: `Ubuntu 22.04.4 LTS`.
    """

    id: str
    name: str
    version: str
    version_id: str
    pretty_name: str

    @property
    def label(self) -> str:
        """As compatibility lists write it: `Ubuntu 22.04`, `openEuler 22.03 SP4`, `Kylin V10 SP3`."""
        return " ".join(part for part in (self._family, self._number, self._pack) if part)

    @property
    def _family(self) -> str:
        for word in (self.id.lower(), self.name.lower()):
            for start, family in _NAMES:
                if word.startswith(start):
                    return family
        return self.name or self.id

    @property
    def _number(self) -> str:
        if self._family == "EulerOS" and self._pack_number:
            return f"2.{self._pack_number}"
        if self._family == "UOS" and self.version_id.isdigit():
            return f"V{self.version_id}"
        return re.sub(r"[ ._-]?U\d+$", "", self.version_id)

    @property
    def _pack_number(self) -> str:
        found = re.search(r"SP ?(\d+)", self.version, re.I)
        return found[1] if found else ""

    @property
    def _pack(self) -> str:
        if self._family == "Kylin":
            code = re.search(r"\((\w+)\)", self.version)
            return _KYLIN_PACKS.get(code[1].lower(), "") if code else ""
        if update := re.search(r"\bU(\d+)|(?<=\d)U(\d+)", f"{self.version_id} {self.version}"):
            return f"U{update[1] or update[2]}"
        return f"SP{self._pack_number}" if self._pack_number and self._family != "EulerOS" else ""


@parser("os-release", origin="/etc/os-release")
def parse_os_release(text: str) -> OsRelease:
    """Read the NAME=value lines; quotes are dropped.

    Raises:
        ParseError: Neither ID nor NAME is there.
    """
    values = dict(
        _pair(line) for line in text.splitlines() if "=" in line and not line.lstrip().startswith("#")
    )
    if not values.get("ID") and not values.get("NAME"):
        raise ParseError("no ID= and no NAME= line")
    keys = ("ID", "NAME", "VERSION", "VERSION_ID", "PRETTY_NAME")
    return OsRelease(*(values.get(key, "") for key in keys))


def _pair(line: str) -> tuple[str, str]:
    key, _, value = line.partition("=")
    return key.strip(), value.strip().strip("\"'")
