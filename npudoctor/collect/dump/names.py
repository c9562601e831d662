"""Names of files that are no logs: source code and documentation quote errors without having any."""

from __future__ import annotations

from npudoctor.regex import regex

_PACKED = regex(r"\.(?:gz|bz2|xz)$")
_SOURCE = regex(
    r"\.(?:py|pyi|pyx|pyc|ipynb|x|c|h|cc|cpp|cxx|hpp|hh|cu|cuh|inc|java|js|mjs|ts|tsx|css|go|rs|rb|pl|pm|pod|t|lua|swift|kt|scala|cs|php|el"
    r"|html?|rst|md|tex|texi|adoc|po|pot|vim|sh|bash|tsv|cmake|mk|proto|patch|diff|\dpm)$"
    r"|(?:^|/)(?:changelog|changes|news|history|readme|copyright|copying|licen[cs]e|notice|authors|thanks|todo|metadata|pkg-info"
    r"|makefile)(?:\.(?:debian|txt|in|am|old|html))*$"
    r"|(?:^|/)(?:error_codes?|allowlist\w*|package(?:-lock)?)\.json$"
    r"|(?:^|/)npudoctor/steps/\w+\.json$"  # ours: the words of an installer to look out for
)

_FOLDERS = regex(
    r"(?:^|/)(?:share/(?:doc|man|info|locale|help|gtk-doc|perl)|usr/(?:local/)?include|site-packages|dist-packages"
    r"|node_modules|\.(?:git|github|vscode|claude|agents))/"
)
"""That hold programs and what is written about them, whatever a file in them is called."""


def is_source(name: str) -> bool:
    """Whether a path in a folder or an archive is by its name source code or documentation."""
    small = name.lower()
    return bool(_SOURCE.search(_PACKED.sub("", small)) or _FOLDERS.search(small))
