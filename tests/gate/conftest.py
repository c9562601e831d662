"""Deployment files of tests: a repository in a folder of its own, and the units that its files make."""

import pytest

from npudoctor.gate.files import Repository
from npudoctor.gate.reader import all_readers


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
