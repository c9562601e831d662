"""Lists of digests as `sha256sum` writes them."""

from __future__ import annotations

from pathlib import Path

from npudoctor.regex import regex

_LINE = regex(r"([0-9a-fA-F]{64})\s[ *]?(.{1,1024})")
_MOST = 4 * 1024 * 1024


def is_sums(name: str) -> bool:
    """Whether a file of that name is such a list."""
    return name.upper().startswith("SHA256SUM") or name.endswith((".sha256", ".sha256sum"))


def read_sums(file: Path) -> list[tuple[str, str]]:
    """File name and digest of each line; raises `OSError` where it cannot be read."""
    with file.open("rb") as opened:
        return parse_sums(opened.read(_MOST).decode("utf-8", "replace"))


def parse_sums(text: str) -> list[tuple[str, str]]:
    """File name and digest of each line."""
    found = (_LINE.fullmatch(line.strip()) for line in text.splitlines())
    return [(Path(one[2].strip()).name, one[1].lower()) for one in found if one]
