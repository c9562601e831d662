"""How versions of CANN order: as `npudoctor.versions` has it, for hosts that have no npudoctor."""

from __future__ import annotations

import re

NEW_LAYOUT = "8.5.0"
"""From here on: folders `cann-V`, ops packages, no nnae, no nnrt (CANN 8.5.0 installation guide, 2025-12)."""

_RANKS = {"dev": -7, "t": -6, "alpha": -5, "a": -5, "beta": -4, "rc": -3, "b": -2, "": 1, "spc": 2, "tr": 2, "post": 2}
_TOKEN = re.compile(
    r"(?:^|[.\-_]?)(?:(alpha|beta|post|dev|spc|rc|tr|a|b|t)[.\-_]?(\d*)|(\d+))", re.IGNORECASE | re.ASCII
)
_NUMBER = 1
_PARTS = 3


def version_key(text: str) -> tuple:
    """What versions are ordered by. Raises ValueError for text that is no version."""
    parts = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found.end() == at:
            raise ValueError("{0!r} is no version of CANN".format(text))
        parts.append((_RANKS[(found.group(1) or "").lower()], int(found.group(2) or found.group(3) or 0)))
        at = found.end()
    if not parts or parts[0][0] != _NUMBER:
        raise ValueError("{0!r} is no version of CANN".format(text))
    return (*_padded(parts), (0, 0))


def is_version(text: str) -> bool:
    """Whether this can be read as a version."""
    try:
        version_key(text)
    except ValueError:
        return False
    return True


def has_new_layout(version: str) -> bool:
    """Whether this version has the folders, package names and rules of CANN 8.5."""
    return version_key(version) >= version_key(NEW_LAYOUT)


def major(version: str) -> int:
    """9 of `9.1.0`."""
    return version_key(version)[0][1]


def _padded(parts: list) -> list:
    """`8.5` is `8.5.0`, but `8.0.RC1` is not `8.0.0.RC1`."""
    numbers = 0
    while numbers < len(parts) and parts[numbers][0] == _NUMBER:
        numbers += 1
    after = parts[numbers][0] if numbers < len(parts) else None
    if after in (_RANKS["rc"], _RANKS["t"]):
        return parts
    return parts[:numbers] + [(_NUMBER, 0)] * max(0, _PARTS - numbers) + parts[numbers:]
