"""Many small files that one `grep '' FILE...` has read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.collect.snapshot import Entry, State

if TYPE_CHECKING:
    from collections.abc import Iterator

_FINE = (b"0", b"1")
"""Exit codes of grep: there were lines, there were none."""


def files_of_grep(output: Entry) -> Iterator[Entry]:
    """A file each out of PATH:LINE lines.

    Where they are cut off, so are the last file and those without a line. Where grep failed, a file without
    a line may be one that it could not read: that is no empty file.

    Args:
        output: The lines, `:` with the exit code; in the place of standard error the paths that were read.
    """
    lines, code = _sorted(output)
    last = next(reversed([path for path, texts in lines.items() if texts]), b"")
    for path, texts in lines.items():
        state: State = "complete"
        if not code and (path == last or not texts):
            state = "cut-off"
        elif code not in (b"", *_FINE) and not texts:
            state = "failed"
        name = path.decode("utf-8", "replace")
        yield Entry("files" + name, name, b"".join(line + b"\n" for line in texts), state=state)


def _sorted(output: Entry) -> tuple[dict[bytes, list[bytes]], bytes]:
    """The lines of each file, in grep's order, and its exit code: empty where the output is cut off."""
    asked = {path: list[bytes]() for path in output.stderr.split(b"\n") if path}
    lines = dict(asked)
    code = b""
    for line in output.stdout.split(b"\n"):
        path, mark, text = line.partition(b":")
        if mark and not path:
            code = text
        elif mark and (path in lines or not asked):
            lines.setdefault(path, []).append(text)
    return lines, code
