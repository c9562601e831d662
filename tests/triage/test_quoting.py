from __future__ import annotations

from pathlib import Path

import pytest

from npudoctor.triage.diagnose import QUOTED, diagnose
from npudoctor.triage.gather import Gathered
from npudoctor.triage.quoting import quotes
from npudoctor.triage.signatures import signatures

ERROR = "RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB (NPU 0; 60.97 GiB total capacity)"
CASES = sorted(Path(__file__).parent.glob("cases/*/input*"))
SOURCE = (
    """
def allocate(size: int) -> int:
    left = free()
    if left < size:
        raise MemoryError("too little")
    return left - size
"""
    * 6
)
PROSE = (
    """
The engine keeps a part of the memory of the card for itself.
Lower that part where the program reports that it got no memory, and
try again with a smaller batch. The table below names what models need.
"""
    * 8
)
LOG = (
    """
INFO 11-25 08:01:02 [worker.py:12] Loading the model from the folder that was given
INFO 11-25 08:01:09 [worker.py:19] The weights took seven seconds to load from the disk
"""
    * 15
)


def test_source_code_and_prose_quote() -> None:
    assert quotes(SOURCE.encode())
    assert quotes(PROSE.encode())


def test_a_history_quotes() -> None:
    commit = f"commit {'0' * 40}\nAuthor: A\nDate:   Mon Nov 30 10:00:00 2026\n\n    x\n"
    assert quotes((commit * 6).encode())


def test_a_log_does_not() -> None:
    assert not quotes(LOG.encode())


def test_what_begins_as_a_log_does_not() -> None:
    assert not quotes(f"[ERROR] TSCH(-1,null):2026-01-02-03:04:05.001.002 x\n{PROSE}".encode())


def test_prose_with_a_log_in_it_does_not() -> None:
    assert not quotes((PROSE + LOG).encode())


def test_a_few_lines_tell_nothing() -> None:
    assert not quotes(b"It broke.\nWhat can I do about it, please?\n")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.parent.name)
def test_no_recorded_dump_does(case: Path) -> None:
    assert not quotes(case.read_bytes())


@pytest.mark.parametrize(("text", "left"), [(PROSE, QUOTED), (LOG, 1.0)])
def test_what_is_quoted_is_a_candidate_at_most(text: str, left: float) -> None:
    whole = (text + ERROR).encode()
    gathered = Gathered()
    gathered.take(enumerate(whole.splitlines(), 1), "a.txt", head=whole)
    cause = diagnose(gathered.first_to_last(), signatures(), {})[0]
    assert (cause.signature.id, cause.confidence) == ("pool-out-of-memory", 0.9 * left)
