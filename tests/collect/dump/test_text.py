from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from npudoctor.collect.dump.text import encoding_of, recoded

LINE = "[ERROR] 错误码 507018\n"


@pytest.mark.parametrize(
    ("encoding", "known"),
    [
        ("utf-8", "utf-8"),
        ("gb18030", "utf-8"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
    ],
)
def test_text_is_known_in_all_encodings_of_the_field(encoding: str, known: str) -> None:
    assert encoding_of((LINE * 50).encode(encoding)) == known


def test_a_log_with_holes_and_colours_is_text() -> None:
    assert encoding_of(b"\0" * 20 + (LINE * 100).encode() + b"\x1b[0m") == "utf-8"


def test_programs_and_noise_are_no_text() -> None:
    assert encoding_of(Path(sys.executable).resolve().read_bytes()[: 1 << 18]) is None
    assert encoding_of(random.Random(2).randbytes(100_000)) is None
    assert encoding_of(b"\x7fELF" + LINE.encode() * 1000) is None


def test_letters_that_two_chunks_share_are_not_lost() -> None:
    data = LINE.encode("utf-16")
    assert b"".join(recoded((data[at : at + 3] for at in range(0, len(data), 3)), "utf-16")).decode() == LINE
