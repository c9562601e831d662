"""Folders side by side, of which a link names the one in use: a new one is made beside it, and then the link moves.

```
/opt/npudoctor/python/
  gen-3f2a9c01b7de/   named by what is in it, so that the same contents are the same folder
  gen-91d0c4aa5e12/
  current -> gen-3f2a9c01b7de
```
A folder that a link never led to may be half-made; it is made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil

from ansible_collections.npudoctor.ascend.plugins.module_utils.links import point, target

_PREFIX = "gen-"
_DIGITS = 12


class Generations:
    """The generations in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.link = os.path.join(folder, "current")

    def path(self, name: str) -> str:
        """Where a generation lies, or would."""
        return os.path.join(self.folder, name)

    def current(self) -> str:
        """The name of the one in use; empty for none."""
        return os.path.basename(target(self.link))

    def all(self) -> list:
        """Every one there is, oldest first."""
        with contextlib.suppress(FileNotFoundError):
            names = [name for name in os.listdir(self.folder) if name.startswith(_PREFIX)]
            return sorted(names, key=lambda name: os.stat(self.path(name)).st_mtime)
        return []

    def use(self, name: str) -> None:
        """Make one the one in use; an empty name takes the link away."""
        if name:
            point(self.link, self.path(name))
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.link)

    def drop(self, name: str) -> None:
        """Remove one, whole or in part."""
        shutil.rmtree(self.path(name), ignore_errors=True)

    def prune(self, keep: int, *needed: str) -> list:
        """Remove the oldest beyond `keep`, but none that is in use or needed. Their names."""
        spare = [name for name in self.all() if name not in (self.current(), *needed)]
        gone = spare[: max(0, len(self.all()) - keep)]
        for name in gone:
            self.drop(name)
        return gone


def named_by(*contents: str) -> str:
    """The name of the generation that holds exactly this."""
    return _PREFIX + hashlib.sha256("\n".join(contents).encode()).hexdigest()[:_DIGITS]
