"""How one CANN toolkit becomes another, or none: the steps, from what lies on disk.

The rules, from the installation guides of CANN 8.3.RC1 (2025-11), 8.5.0 (2025-12) and 9.1.0 (2026-06):

- A newer one: `--upgrade`, within a layout and from the old to the new one. It takes the operators away.
- An older one: `--upgrade` refuses; uninstall, then install.
- The all-in-one package (`Ascend-cann_V`) has no `--upgrade`: uninstall, then install.
- From 8.5 on no other CANN of the old layout may be left, or the installation may fail.
"""

from __future__ import annotations

from ansible_collections.npudoctor.ascend.plugins.module_utils.cann import OLD, current
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_versions import has_new_layout, version_key

INSTALL, UPGRADE, UNINSTALL, SWITCH = "install", "upgrade", "uninstall", "switch"


def steps(found: list, wanted: str, can_upgrade: bool = True) -> list:
    """(what to do, the tree that it is done to, or None) in their order; `wanted` empty: remove what is there."""
    if not wanted:
        return [(UNINSTALL, tree) for tree in found if tree.in_use or not tree.whole]
    beside = _beside(found, wanted)
    if beside:
        return [(SWITCH, beside)]
    others = [tree for tree in found if tree.in_use and tree.version != wanted]
    broken = [(UNINSTALL, tree) for tree in others if not tree.whole]
    return broken + _from([tree for tree in others if tree.whole], wanted, can_upgrade)


def _from(whole: list, wanted: str, can_upgrade: bool) -> list:
    if not whole:
        return [(INSTALL, None)]
    now = whole[-1]
    if can_upgrade and version_key(now.version) < version_key(wanted):
        return [(UPGRADE, now)]
    return [(UNINSTALL, now), (INSTALL, None)]


def _beside(found: list, wanted: str):
    """A whole tree of the wanted version that only the link does not lead to; None where there is none."""
    now = current(found)
    fitting = [tree for tree in found if tree.version == wanted and tree.whole and not tree.in_use and tree.by_link]
    return next((tree for tree in fitting if now is None or now.layout == tree.layout), None)


def left_over(found: list, wanted: str) -> list:
    """Trees of the old layout that the steps leave, although none may be there beside this version."""
    if not wanted or not has_new_layout(wanted):
        return []
    return [tree for tree in found if tree.layout == OLD and not tree.in_use and tree.version != wanted]
