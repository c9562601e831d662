"""Import paramiko without invoke, a third of its time, which only `Match exec` of ssh's configuration needs.

To be imported before paramiko. Where that line is met, `ssh_config` adds invoke.
"""

from __future__ import annotations

import sys

if not {"paramiko", "invoke"} & set(sys.modules):
    sys.modules["invoke"] = None  # type: ignore[assignment]  # an import of it fails
    try:
        import paramiko  # noqa: F401
    finally:
        del sys.modules["invoke"]
