"""Packages that dnf or yum hold back: `versionlock.list`."""

from __future__ import annotations

from npudoctor.parse.registry import parser
from npudoctor.regex import regex

_NEVRA = regex(r"(?:\d+:)?([A-Za-z0-9+_.-]+?)-(?:\d+:)?\d\S*")


@parser("versionlock", origin="/etc/dnf/plugins/versionlock.list")
def parse_versionlock(text: str) -> tuple[str, ...]:
    """Names of the packages, in order; lines that begin with `!` exclude and hold nothing."""
    lines = (line.strip() for line in text.splitlines())
    found = (_NEVRA.fullmatch(line) for line in lines if line and line[0] not in "#!")
    return tuple(match[1] for match in found if match)
