from __future__ import annotations

from typing import Any

import pytest

from npudoctor.data import load
from npudoctor.triage.diagnose import diagnose
from npudoctor.triage.signatures import signatures
from npudoctor.triage.usual import FILE, is_usual

USUAL = load(FILE, FILE.with_name("usual.schema.json")).content["usual"]
MATCHES = [line for row in USUAL for line in row["matches"]]
MISSES = [line for row in USUAL for line in row["misses"]]


@pytest.mark.parametrize("line", MATCHES, ids=lambda line: line[:40])
def test_a_usual_line_speaks_for_nothing(line: str, sights: Any) -> None:
    assert is_usual(line)
    assert sights(line) == []


@pytest.mark.parametrize("line", MISSES, ids=lambda line: line[:40])
def test_what_looks_like_it_is_read(line: str) -> None:
    assert not is_usual(line)


@pytest.mark.parametrize(("level", "confidence"), [("WARNING", 0.45), ("ERROR", 0.9)])
def test_a_warning_alone_is_a_candidate_at_most(level: str, confidence: float, sights: Any) -> None:
    said = "free memory size is less than half of total memory size"
    line = f"[{level}] DEVICE(7,ff,python):2026-01-02-03:04:05.001.002 [x.cc:116] Initialize] {said}"
    cause = diagnose(sights(line), signatures(), {})[0]
    assert (cause.signature.id, cause.confidence) == ("device-memory-held", confidence)
