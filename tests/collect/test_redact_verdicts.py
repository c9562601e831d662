"""A redacted bundle is judged as the host is: what was replaced is read as what stood there before."""

from __future__ import annotations

import re

import pytest

from npudoctor.collect.bundle import read_bundle
from npudoctor.collect.redact.redactor import Run
from npudoctor.collect.samples import read_sample, samples
from npudoctor.collect.write import write_bundle
from tests.collect.redacting import in_tokens, inside, verdicts


@pytest.mark.parametrize("name", samples())
def test_the_verdicts_of_a_recorded_host_stay_the_same(name: str, tmp_path) -> None:
    raw, run = read_sample(name), Run()
    write_bundle(raw, tmp_path / "b.tgz", run)
    redacted = read_bundle(tmp_path / "b.tgz")
    assert verdicts(redacted) == in_tokens(verdicts(raw), run)
    assert [entry.state for entry in redacted.entries.values()] == [
        raw.entries[path].state for path in sorted(raw.entries)
    ]


@pytest.mark.parametrize("name", samples())
def test_nothing_of_a_recorded_host_is_left(name: str, tmp_path) -> None:
    raw, run = read_sample(name), Run()
    write_bundle(raw, tmp_path / "b", run)
    left = inside(tmp_path / "b")
    assert raw.name.encode() not in left
    for token, original in run.tokens.originals.items():
        if token != original:
            assert not re.search(rb"(?<![\w.])" + re.escape(original.encode()) + rb"(?![\w.])", left)
