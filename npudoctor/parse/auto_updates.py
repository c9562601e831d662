"""The files that switch unattended updates on, and those that hold a kernel back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

_APT = regex(r'^[ \t]*([A-Za-z][\w:-]*)[ \t]+"([^"\n]*)"[ \t]*;', re.M)
_INI = regex(r"^[ \t]*([A-Za-z_]\w*)[ \t]*[=:][ \t]*(.*?)[ \t]*$", re.M)
_KERNEL = regex(
    r"\blinux-(?:image|headers|modules|generic)|^kernel\b|\"kernel|(?:^|\")linux-(?:\.?\*)?(?:\"|$)", re.M
)
"""Names or patterns of kernel packages; `linux-firmware` and `linux-libc-dev` are none."""


@parser("apt-config", origin="/etc/apt/apt.conf.d/20auto-upgrades")
def parse_apt_config(text: str) -> Mapping[str, str]:
    """Value by name of the one-line settings: `APT::Periodic::Unattended-Upgrade` to `1`."""
    return dict(_APT.findall(_without_comments(text)))


@parser("dnf-automatic", origin="/etc/dnf/automatic.conf")
def parse_dnf_automatic(text: str) -> Mapping[str, str]:
    """Value by name of an ini file of dnf or yum, whatever the section.

    Raises:
        ParseError: No `name = value` line.
    """
    values = dict(_INI.findall(_without_comments(text)))
    if not values:
        raise ParseError("no `name = value` line")
    return values


@parser("held-packages", origin="apt-mark showhold")
def parse_held_packages(text: str) -> tuple[str, ...]:
    """Package names or patterns, one a line: `apt-mark showhold`, `dnf versionlock list`."""
    return tuple(line.strip() for line in text.splitlines() if line.strip() and " " not in line.strip())


def names_a_kernel(text: str) -> bool:
    """Whether a list of packages or patterns names the kernel's."""
    return bool(_KERNEL.search(text))


def _without_comments(text: str) -> str:
    return re.sub(r"^[ \t]*(?://|#).*$", "", text, flags=re.M)
