"""What a `set_env.sh` sets, as a dictionary: for programs that are called without a shell."""

from __future__ import annotations

import os

_SCRIPT = 'for file in "$@"; do . "$file" >/dev/null 2>&1; done; env -0'
_OWN = ("_", "SHLVL", "PWD", "OLDPWD")


def after_sourcing(tools, *files: str) -> dict:
    """The variables that differ once these scripts were sourced in turn, by bash, as their authors mean it."""
    answer = tools.run("bash", "-c", _SCRIPT, "bash", *files)
    pairs = (row.partition("=") for row in answer.text.split("\0") if "=" in row)
    found = {name: value for name, _sign, value in pairs if name not in _OWN}
    return {name: value for name, value in found.items() if os.environ.get(name) != value}
