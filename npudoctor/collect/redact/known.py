"""What is nobody's: see `known.yaml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from npudoctor.data import load
from npudoctor.regex import regex

_CHIP = regex(
    r"(?i)(?:ascend|atlas|huawei|davinci|npu|cann|hdk)?(?:\d|(?:300|310|500|800|900|910|950)[a-z]{0,2}\d?)?"
    r"|(?:cann|hdk|driver|torch|python)[-_]?\d[\w.]*|v?\d+\.[\w.]+"
)
"""Names of products, bare numbers, versions: a host `ascend910` would be lost in the names of its chips."""
_NUMBERS = regex(r"[\d.]+|[\dA-Fa-f]*:[\dA-Fa-f:.]*")


def is_account(name: str) -> bool:
    """Whether every system has this account."""
    return name.lower() in _lower("accounts")


def is_host(name: str) -> bool:
    """Whether every system has this host name, or everybody uses this server."""
    name = name.lower().rstrip(".")
    parts = name.split(".")
    ends = {".".join(parts[at:]) for at in range(len(parts))}
    return name in _lower("hosts") or not ends.isdisjoint(_lower("public"))


def is_word(name: str) -> bool:
    """Whether it stands for something else too, so that it cannot be replaced wherever it stands."""
    if len(name.encode()) < 3 or _CHIP.fullmatch(name):
        return True
    return name.lower() in _lower("words") or is_account(name)


def is_number(name: str) -> bool:
    """Whether it is an address, or a bare number."""
    return _NUMBERS.fullmatch(name) is not None


@cache
def _lower(kind: str) -> frozenset[str]:
    return frozenset(name.lower() for name in load(Path(__file__).with_name("known.yaml")).content[kind])
