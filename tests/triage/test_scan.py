from __future__ import annotations

import pytest

from npudoctor.triage.scan import Scan, finder, literals

CRASH = "run.sh: 行 3: 4711 段错误 （核心已转储） python3 a.py"


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_words_of_a_chinese_shell_are_found_in_both_encodings(encoding: str) -> None:
    text = f"one\n{CRASH}\nthree\n".encode(encoding)
    assert list(Scan(finder(literals())).hits([text])) == [(2, CRASH.encode(encoding))]
