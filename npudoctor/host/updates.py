"""Whether a system installs new kernels by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.fact import Fact, first_known, known
from npudoctor.parse.auto_updates import names_a_kernel, parse_apt_config, parse_dnf_automatic
from npudoctor.text import line_with

if TYPE_CHECKING:
    from npudoctor.collect.snapshot import Snapshot

_APT = "/etc/apt/apt.conf.d/20auto-upgrades"
_APT_RULES = "/etc/apt/apt.conf.d/50unattended-upgrades"
_DNF = "/etc/dnf/automatic.conf"
_HELD = "apt-mark showhold"


def kernel_updates(snapshot: Snapshot) -> Fact[bool]:
    """Whether unattended updates are on and nothing holds the kernel back; the line that says so."""
    apt, dnf = _apt(snapshot), _dnf(snapshot)
    if apt.absent and dnf.absent:
        return known(False, _APT, "neither this file nor /etc/dnf/automatic.conf is there")
    switched_on = next((fact for fact in (apt, dnf) if fact.or_none()), None)
    return switched_on or first_known(apt, dnf)


def _apt(snapshot: Snapshot) -> Fact[bool]:
    text = snapshot.file(_APT)
    name = "APT::Periodic::Unattended-Upgrade"
    switch = text.map(
        lambda it: parse_apt_config(it).get(name, "0") != "0", text=line_with(text.or_none() or "", name)
    )
    if not switch.or_none():
        return switch
    return _held_back(snapshot) or switch


def _held_back(snapshot: Snapshot) -> Fact[bool] | None:
    held = snapshot.command(_HELD).or_none() or ""
    if names_a_kernel(held):
        return known(False, _HELD, line_with(held, "linux-"))
    rules = snapshot.file(_APT_RULES).or_none() or ""
    listed = re.search(r"^\s*Unattended-Upgrade::Package-Blacklist\s*\{(.*?)\}", rules, re.M | re.S)
    lines = re.sub(r"//.*$", "", listed[1], flags=re.M) if listed else ""
    if names_a_kernel(lines):
        return known(False, _APT_RULES, line_with(lines, "linux-"))
    return None


def _dnf(snapshot: Snapshot) -> Fact[bool]:
    text = snapshot.file(_DNF)
    return text.map(
        lambda it: parse_dnf_automatic(it).get("apply_updates", "no").lower() in ("yes", "true", "1"),
        text=line_with(text.or_none() or "", "apply_updates"),
    )
