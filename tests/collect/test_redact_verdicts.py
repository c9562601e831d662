"""A redacted bundle is judged as the host is: what was replaced is read as what stood there before."""

from __future__ import annotations

import re

import pytest

from npudoctor.checks.registry import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.bundle import read_bundle
from npudoctor.collect.redact.addresses import Addresses
from npudoctor.collect.redact.redactor import Run
from npudoctor.collect.samples import read_sample, samples
from npudoctor.collect.snapshot import Snapshot
from npudoctor.collect.write import write_bundle
from npudoctor.host import Host
from npudoctor.matrix import load_matrix

MATRIX = load_matrix()


def verdicts(snapshot: Snapshot) -> dict[str, tuple[str, str, str]]:
    found = run_checks(all_checks(), Host(snapshot), MATRIX)
    return {finding.id: (finding.status.value, finding.actual, finding.expected) for finding in found}


def in_tokens(found: dict[str, tuple[str, str, str]], run: Run) -> dict[str, tuple[str, ...]]:
    """The verdicts on the host itself, with a token wherever the redacted ones may have one."""
    tokens = {text: token for token, text in run.tokens.originals.items()}
    names = "|".join(re.escape(text) for text in sorted(tokens, key=len, reverse=True)) or "(?!)"
    alone = re.compile(f"(?<![A-Za-z0-9])(?:{names})(?![A-Za-z0-9])")
    net = re.compile(r"[0-9.]+(?=/[0-9]{2}\b)")  # a check's own sum of an address and a netmask
    addresses = Addresses(run.tokens)

    def said(text: str) -> str:
        text = alone.sub(lambda match: tokens[match[0]], text)
        return net.sub(lambda match: addresses.v4(match[0]) or match[0], text)

    return {check: tuple(said(text) for text in texts) for check, texts in found.items()}


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
    inside = b"\0".join(path.read_bytes() for path in (tmp_path / "b").rglob("*") if path.is_file())
    inside += b"\0".join(str(path).encode() for path in (tmp_path / "b").rglob("*"))
    assert raw.name.encode() not in inside
    for token, original in run.tokens.originals.items():
        if token != original:
            assert not re.search(rb"(?<![\w.])" + re.escape(original.encode()) + rb"(?![\w.])", inside)
