"""Take out of what was collected what must not leave: secrets, and who and where the host is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.collect.redact.secrets import TOKEN, redact_text, redact_words

if TYPE_CHECKING:
    from npudoctor.collect.redact.redactor import Run
    from npudoctor.collect.snapshot import Snapshot

__all__ = ["TOKEN", "redact", "redact_text", "redact_words"]


def redact(snapshot: Snapshot, run: Run | None = None) -> Snapshot:
    """The same snapshot without what must not leave its host; `run` gives several hosts the same tokens."""
    from npudoctor.collect.redact.redactor import Run
    from npudoctor.collect.snapshot import Snapshot

    redactor = (run or Run()).host(snapshot)
    entries = [redactor.entry(entry) for entry in snapshot.entries.values()]
    problems = tuple(redactor.words(problem) for problem in snapshot.problems)
    name = redactor.name(snapshot.name)
    return Snapshot(name, snapshot.source, {entry.path: entry for entry in entries}, problems)
