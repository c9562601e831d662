"""Damaged deployment files of every kind: the gate reads them or says why it cannot, and never hangs."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from time import process_time

import pytest

from npudoctor.errors import UsageError
from npudoctor.gate.files import Repository
from npudoctor.gate.judge import gate_checks, judge
from npudoctor.matrix import load_matrix

from .mutations import DAMAGES, in_turn

FOLDER = Path(__file__).parent / "deployment"
FILES = sorted(file for file in FOLDER.rglob("*") if file.is_file())
ROUNDS = 1
SLOWEST = 3.0
"""Seconds of processor time that one repository may take."""


@pytest.fixture(scope="module")
def matrix():
    return load_matrix(None)


@pytest.fixture
def deployment(tmp_path):
    """A copy of the files, with one of them replaced."""
    shutil.copytree(FOLDER, tmp_path / "d")

    def replace(file, data):
        (tmp_path / "d" / file.relative_to(FOLDER)).write_bytes(data)
        return Repository(str(tmp_path / "d"))

    return replace


def judged(repository, matrix):
    ids = [check.id for check in gate_checks()]
    return [finding for file in judge(repository, matrix, ids) for finding in file.findings]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_damaged_file_ends_in_findings_or_in_one_clear_error(deployment, matrix, file):
    data, refused = file.read_bytes(), []
    for damage in (*DAMAGES, in_turn):
        for turn in range(ROUNDS):
            seed = f"{file.name} {damage.__name__} {turn}"
            started = process_time()
            try:
                judged(deployment(file, damage(Random(seed), data)), matrix)
            except UsageError:
                refused.append(seed)
            assert process_time() - started < SLOWEST, seed
    assert file.name == "npudoctor.yaml" or not refused


def test_the_whole_files_are_read(deployment, matrix):
    found = judged(deployment(FILES[0], FILES[0].read_bytes()), matrix)
    assert {finding.id for finding in found} > {"gate.readable"}
