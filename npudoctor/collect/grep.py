"""Many small files that one `grep '' FILE...` has read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.collect.snapshot import Entry, State

if TYPE_CHECKING:
    from collections.abc import Iterator


def files_of_grep(output: Entry) -> Iterator[Entry]:
    """A file each out of PATH:LINE lines; where they are cut off, so are the last file and those behind it.

    Args:
        output: The lines, and in the place of standard error the paths that were read.
    """
    paths = output.stderr.split(b"\n")
    lines: dict[bytes, list[bytes]] = {path: [] for path in paths if path}
    last = b""
    for line in output.stdout.split(b"\n"):
        path, mark, text = line.partition(b":")
        if mark and (path in lines or not paths[0]):
            lines.setdefault(path, []).append(text)
            last = path
    whole = output.state == "complete"
    for path, texts in lines.items():
        state: State = "complete" if whole or (texts and path != last) else "cut-off"
        text = b"".join(line + b"\n" for line in texts)
        name = path.decode("utf-8", "replace")
        yield Entry("files" + name, name, text, state=state)
