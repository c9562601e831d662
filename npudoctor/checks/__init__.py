"""The checks: one module an area, one function a check, registered by the decorator `check`.

A module dropped into this folder is found by itself; nothing else has to be edited.
"""

from npudoctor.checks.registry import Check, all_checks, check

__all__ = ["Check", "all_checks", "check"]
