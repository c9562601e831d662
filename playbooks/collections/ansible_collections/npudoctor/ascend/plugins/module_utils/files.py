"""Files of the host: what is edited is kept first, written whole, and can be put back.

The copy lies in `backup/<run>/<path>` of the state. A file that was not there is remembered by an empty
`<path>.absent` beside it, so that putting back removes what came.
"""

from __future__ import annotations

import contextlib
import os
import shutil

from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text, sync_folder, write_whole


def write(state, run: str, path: str, text: str, mode: int = 0o644) -> bool:
    """Give a file of the host this text; True where it had another. An existing file keeps its mode and owner."""
    real = state.host(path)
    if os.path.isfile(real) and read_text(real) == text:
        return False
    keep(state, run, path)
    held = os.stat(real) if os.path.exists(real) else None
    os.makedirs(os.path.dirname(real), exist_ok=True)
    write_whole(real, text.encode(), held.st_mode & 0o7777 if held else mode)
    if held:
        os.chown(real, held.st_uid, held.st_gid)
    return True


def remove(state, run: str, path: str) -> bool:
    """Remove a file of the host; True where it was there."""
    real = state.host(path)
    if not os.path.lexists(real):
        return False
    keep(state, run, path)
    os.unlink(real)
    sync_folder(os.path.dirname(real))
    return True


def keep(state, run: str, path: str) -> None:
    """Keep a file as it is before the first change of a run; a second call of the run changes nothing."""
    copy = _copy(state, run, path)
    if os.path.lexists(copy) or os.path.lexists(copy + ".absent"):
        return
    os.makedirs(os.path.dirname(copy), mode=0o700, exist_ok=True)
    real = state.host(path)
    if os.path.lexists(real):
        partial = copy + ".part"
        shutil.copy2(real, partial, follow_symlinks=False)
        os.replace(partial, copy)
    else:
        write_whole(copy + ".absent", b"")
    sync_folder(os.path.dirname(copy))


def kept(state, run: str, path: str) -> bool:
    """Whether a run kept this file (or its absence)."""
    copy = _copy(state, run, path)
    return os.path.lexists(copy) or os.path.lexists(copy + ".absent")


def restore(state, run: str, path: str) -> bool:
    """Put a file back as a run found it; True where that changed it. A file that the run never kept is left."""
    real = state.host(path)
    copy = _copy(state, run, path)
    if os.path.lexists(copy + ".absent"):
        if not os.path.lexists(real):
            return False
        os.unlink(real)
    elif os.path.lexists(copy):
        if _same(copy, real):
            return False
        partial = real + ".npudoctor"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(partial)
        shutil.copy2(copy, partial, follow_symlinks=False)
        held = os.lstat(copy)
        os.chown(partial, held.st_uid, held.st_gid, follow_symlinks=False)
        os.replace(partial, real)
    else:
        return False
    sync_folder(os.path.dirname(real))
    return True


def _copy(state, run: str, path: str) -> str:
    return os.path.join(state.home, "backup", run or "by-hand", path.lstrip("/"))


def _same(one: str, other: str) -> bool:
    if os.path.islink(one) or os.path.islink(other):
        return os.path.islink(one) and os.path.islink(other) and os.readlink(one) == os.readlink(other)
    if not os.path.isfile(other):
        return False
    with open(one, "rb") as first, open(other, "rb") as second:
        return first.read() == second.read()
