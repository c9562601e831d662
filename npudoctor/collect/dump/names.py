"""Names of files that are no logs: source code and documentation quote errors without having any."""

from __future__ import annotations

from npudoctor.regex import regex

_PACKED = regex(r"\.(?:gz|bz2|xz)$")
_SOURCE = regex(
    r"\.(?:py|pyi|pyx|c|h|cc|cpp|cxx|hpp|hh|cu|cuh|inc|java|js|mjs|ts|tsx|css|go|rs|rb|pl|pm|pod|t|lua|swift|kt|scala|cs|php|el"
    r"|html?|rst|md|tex|texi|adoc|po|pot|cmake|mk|proto|patch|diff|\dpm)$"
    r"|(?:^|/)(?:changelog|changes|news|history|readme|copyright|copying|licen[cs]e|notice|authors|thanks|todo|metadata|pkg-info"
    r"|makefile)(?:\.(?:debian|txt|in|am|old|html))*$"
)


def is_source(name: str) -> bool:
    """Whether a path in a folder or an archive is by its name source code or documentation."""
    return _SOURCE.search(_PACKED.sub("", name.lower())) is not None
