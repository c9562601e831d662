"""Whether a folder that an environment variable names is there, as far as the snapshot shows it."""

from __future__ import annotations

from pathlib import PurePosixPath

from npudoctor.collect.snapshot import Entry, Snapshot, slug
from npudoctor.fact import Fact, known, unavailable
from npudoctor.host.paths import read_paths


def place(snapshot: Snapshot, path: str) -> Fact[bool]:
    """Whether `path` is there: something was read below it, or everything that was looked for was not."""
    bare = path.rstrip("/") or "/"
    listed = read_paths(snapshot).is_there(bare)
    if listed is not None:
        return known(listed, f"ls -ld {bare}", "there" if listed else "not there")
    below = [entry for name, entry in snapshot.entries.items() if name.startswith(f"files{bare}/")]
    listing = snapshot.entry("commands/" + slug(f"ls -l {bare}"))
    if listing is not None:
        below.append(listing)
    below += (entry for entry in snapshot.entries.values() if entry.origin.startswith(f"ls {bare}/"))
    if any(entry.state in ("complete", "cut-off", "denied") and not entry.exit_code for entry in below):
        return known(True, bare, "there")
    if below and all(_nothing_there(entry) for entry in below):
        return known(False, bare, "nothing of it was found")
    return _in_folder_above(snapshot, bare)


def _nothing_there(entry: Entry) -> bool:
    """Not there, or a listing that failed."""
    return entry.state == "absent" or (entry.state == "complete" and entry.exit_code != 0)


def _in_folder_above(snapshot: Snapshot, path: str) -> Fact[bool]:
    """Whether a listing of the nearest folder above has it: the folder itself, or one on the way to it."""
    for folder in PurePosixPath(path).parents:
        listing = snapshot.command(f"ls -l {folder}")
        if listing.known:
            name = PurePosixPath(path).relative_to(folder).parts[0]
            names = {line.partition(" -> ")[0].rsplit(" ", 1)[-1] for line in listing.value.splitlines()}
            if name not in names:
                return known(False, f"ls -l {folder}", f"no {name}")
            break
    return unavailable(f"{path}: not collected", path)
