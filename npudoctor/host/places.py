"""Whether a folder that an environment variable names is there, as far as the snapshot shows it."""

from __future__ import annotations

from npudoctor.collect.snapshot import Snapshot, slug
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
    if any(entry.state in ("complete", "cut-off", "denied") and not entry.exit_code for entry in below):
        return known(True, bare, "there")
    if below and all(entry.state == "absent" for entry in below):
        return known(False, bare, "nothing of it was found")
    return unavailable(f"{bare}: not collected", bare)
