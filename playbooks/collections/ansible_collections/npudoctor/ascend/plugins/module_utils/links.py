"""Links that lead to the version in use: switched in one step, so that there is never none."""

from __future__ import annotations

import contextlib
import os

from ansible_collections.npudoctor.ascend.plugins.module_utils.state import sync_folder


def point(link: str, target: str) -> None:
    """Make a link lead to a target, by a path relative to the link's own folder. What is no link is left alone.

    Raises FileExistsError where something else stands in the link's place.
    """
    if os.path.lexists(link) and not os.path.islink(link):
        raise FileExistsError("{0} is no link".format(link))
    folder = os.path.dirname(link)
    new = link + ".npudoctor"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(new)
    os.symlink(os.path.relpath(target, folder), new)
    os.replace(new, link)
    sync_folder(folder)


def target(link: str) -> str:
    """The folder that a link leads to; empty where there is no link, or nothing at its end."""
    return os.path.realpath(link) if os.path.islink(link) and os.path.exists(link) else ""
