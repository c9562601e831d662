# Copyright: npudoctor contributors
# SPDX-License-Identifier: Apache-2.0
"""How CANN versions order; the same order as npudoctor's own, without its package."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

import re

FIRST_OF_NEW_LAYOUT = "8.5.0"
"""From here on: cann-V folders, ops packages, no nnae and nnrt (CANN 8.5.0 installation guide, 2025-12)."""

FIRST_WITH_KERNELS_OF_OTHERS = "8.0.0"
"""Kernels of 8.0 and newer go onto any toolkit of the old layout from here on (CANN 8.1 guide, table 1)."""

_RANKS = {"dev": -7, "t": -6, "alpha": -5, "a": -5, "beta": -4, "rc": -3, "b": -2, "": 1, "spc": 2, "tr": 2, "post": 2}
_TOKEN = re.compile(r"(?:^|[.\-_]?)(?:(alpha|beta|post|dev|spc|rc|tr|a|b|t)[.\-_]?(\d*)|(\d+))", re.IGNORECASE)
_END = (0, 0)
_NUMBER = 1
_PARTS = 3


def version_key(text):
    """What versions are compared by; raises ValueError for text that is no version."""
    parts = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found.end() == at:
            raise ValueError("%r is no version of CANN" % text)
        parts.append((_RANKS[(found.group(1) or "").lower()], int(found.group(2) or found.group(3) or 0)))
        at = found.end()
    if not parts or parts[0][0] != _NUMBER:
        raise ValueError("%r is no version of CANN" % text)
    return tuple(_padded(parts)) + (_END,)


def is_version(text):
    """Whether `text` can be read as a version."""
    try:
        version_key(text)
    except ValueError:
        return False
    return True


def is_new_layout(version):
    """Whether this version has the folders, package names and rules of CANN 8.5."""
    return version_key(version) >= version_key(FIRST_OF_NEW_LAYOUT)


def major(version):
    """`9` of `9.1.0`."""
    return version_key(version)[0][1]


def _padded(parts):
    numbers = 0
    while numbers < len(parts) and parts[numbers][0] == _NUMBER:
        numbers += 1
    after = parts[numbers][0] if numbers < len(parts) else None
    if after in (_RANKS["rc"], _RANKS["t"]):
        return parts
    return parts[:numbers] + [(_NUMBER, 0)] * max(0, _PARTS - numbers) + parts[numbers:]
