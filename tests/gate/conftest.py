"""Deployment files of tests: a repository in a folder of its own, and the units that its files make."""

import pytest

from npudoctor.finding import Status
from npudoctor.gate.files import Repository
from npudoctor.gate.judge import gate_checks, judge
from npudoctor.gate.reader import all_readers
from npudoctor.matrix import load_matrix


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Write files, and open the folder that holds them as `.`."""

    def write(files):
        for name, text in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        monkeypatch.chdir(tmp_path)
        return Repository(".")

    return write


@pytest.fixture
def units(repository):
    """The units of all files of a repository."""

    def read(files):
        found = repository(files)
        return [
            unit
            for file in found.files
            for reader in all_readers()
            if reader.matches(file)
            for unit in reader.read(file, found)
        ]

    return read


@pytest.fixture
def only(units):
    """The one unit of a kind."""

    def read(files, kind):
        (unit,) = [one for one in units(files) if one.kind is kind]
        return unit

    return read


@pytest.fixture(scope="session")
def matrix():
    return load_matrix(None)


@pytest.fixture
def found(repository, matrix):
    """Everything that is found in a repository, what passes left out: `(id, status, path, line)`."""

    def judge_files(files):
        whole = repository(files)
        ids = [check.id for check in gate_checks()]
        return [
            (one.id, one.status, file.path, one.evidence[0].line)
            for file in judge(whole, matrix, ids)
            for one in file.findings
            if one.status is not Status.PASS
        ]

    return judge_files
