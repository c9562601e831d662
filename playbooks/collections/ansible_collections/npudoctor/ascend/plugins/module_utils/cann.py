"""Which CANN is on a host, whole or in part, in both layouts.

| | up to 8.3 | from 8.5 on |
| --- | --- | --- |
| folder of a version | `ascend-toolkit/8.3.RC1` | `cann-8.5.0` |
| the one in use | `ascend-toolkit/latest` (a link, or a folder of links) | `cann` (a link) |
| environment | `ascend-toolkit/set_env.sh` | `cann-8.5.0/set_env.sh` |
| uninstall | `<arch>-linux/script/uninstall.sh` below the folder | the same |

From the installation guides of CANN 8.3.RC1 (2025-11), 8.5.0 (2025-12) and 9.0.0 (2026-03).
"""

from __future__ import annotations

import glob
import os

from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_versions import is_version
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text

OLD, NEW = "old", "new"
ASCEND = "/usr/local/Ascend"
"""Where root's installers put everything unless they are told another place."""


class Tree:
    """One CANN on disk.

    Attributes:
        version: As its install file says, or its folder where that is missing.
        folder: As it is opened from here.
        layout: `old` or `new`.
        in_use: Whether `latest` or `cann` leads to it.
        by_link: Whether a link decides which one is in use; some old ones have a folder of links for it.
        missing: What a whole one has and this lacks, by path; empty for a whole one.
    """

    def __init__(self, version: str, folder: str, layout: str, link: str, missing: list) -> None:
        self.version = version
        self.folder = folder
        self.layout = layout
        self.in_use = _leads_to(link, folder, version)
        self.by_link = os.path.islink(link) or not os.path.lexists(link)
        self.missing = missing

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing

    def uninstaller(self) -> str:
        """The script that removes it; empty where it has none."""
        return next(iter(sorted(glob.glob(os.path.join(self.folder, "*-linux", "script", "uninstall.sh")))), "")


def trees(ascend: str) -> list:
    """Every CANN toolkit below `ascend`, the old layout first, in the order of their names."""
    old = os.path.join(ascend, "ascend-toolkit")
    found = [
        _tree(folder, os.path.basename(folder), OLD, os.path.join(old, "latest"), os.path.join(old, "set_env.sh"))
        for folder in _folders(os.path.join(old, "*"))
    ]
    new = [
        _tree(
            folder,
            os.path.basename(folder)[len("cann-") :],
            NEW,
            os.path.join(ascend, "cann"),
            os.path.join(folder, "set_env.sh"),
        )
        for folder in _folders(os.path.join(ascend, "cann-*"))
    ]
    return found + new


def current(found: list) -> Tree | None:
    """The one in use; of one in each layout the new one, whose installer takes the old names over. None for none."""
    used = [tree for tree in found if tree.in_use]
    return used[-1] if used else None


def link_of(ascend: str, layout: str) -> str:
    """The path that leads to the CANN in use."""
    return os.path.join(ascend, "ascend-toolkit", "latest") if layout == OLD else os.path.join(ascend, "cann")


def set_env(ascend: str, tree: Tree) -> str:
    """The script that sets the environment of a CANN."""
    folder = os.path.join(ascend, "ascend-toolkit") if tree.layout == OLD else tree.folder
    return os.path.join(folder, "set_env.sh")


def key_values(text: str) -> dict:
    """`key=value` lines, keys in lower case."""
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line and not line.startswith("#"))
    return {key.strip().lower(): value.strip() for key, _sign, value in pairs}


def install_info(folder: str, pattern: str) -> dict:
    """The `ascend_*_install.info` that fits a pattern, in a folder or its `<arch>-linux`; empty where there is none.

    `path` is the file's own.
    """
    for place in (os.path.join(folder, "*-linux"), folder):
        for path in sorted(glob.glob(os.path.join(place, pattern))):
            values = key_values(read_text(path))
            if is_version(values.get("version", "")):
                return dict(values, path=path)
    return {}


def others_of_old_layout(ascend: str) -> list:
    """nnae and nnrt, which CANN 8.5 has no more and whose old versions keep it from being installed."""
    return sorted(
        folder
        for name in ("nnae", "nnrt")
        for folder in _folders(os.path.join(ascend, name, "*"))
        if install_info(folder, "ascend_{0}_install.info".format(name))
    )


def _folders(pattern: str) -> list:
    """Real folders, no links, whose last part holds a version."""
    found = (path for path in sorted(glob.glob(pattern)) if os.path.isdir(path) and not os.path.islink(path))
    return [path for path in found if is_version(os.path.basename(path).replace("cann-", "", 1))]


def _tree(folder: str, named: str, layout: str, link: str, script: str) -> Tree:
    info = install_info(folder, "ascend_toolkit_install.info")
    missing = [] if info else [os.path.join(folder, "<arch>-linux", "ascend_toolkit_install.info")]
    if not (glob.glob(os.path.join(folder, "*", "version.info")) or glob.glob(_share_info(folder))):
        missing.append(os.path.join(folder, "runtime", "version.info"))
    missing += [path for path in (script,) if not os.path.isfile(path)]
    return Tree(info.get("version", named), folder, layout, link, missing)


def _share_info(folder: str) -> str:
    return os.path.join(folder, "share", "info", "*", "version.info")


def _leads_to(link: str, folder: str, version: str) -> bool:
    if os.path.islink(link):
        return os.path.realpath(link) == os.path.realpath(folder)
    return install_info(link, "ascend_toolkit_install.info").get("version") == version
