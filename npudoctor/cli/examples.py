"""The examples under each command's `--help`."""

from __future__ import annotations


def examples(*lines: str) -> str:
    """Command lines as the epilog of a help page, one a line, not wrapped."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
