"""Shared by the tests of packages: a folder of them, a server, and no memory of other runs."""

import pytest

from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.packages.seen import Memory

from .factory import STACK, fill
from .server import Served


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def stack():
    """A2 with CANN 8.5.0 and torch 2.7.1."""
    return load_stack(load_matrix(), STACK)


@pytest.fixture
def folder(tmp_path):
    """A folder with a whole package for each component of the host."""
    return fill(tmp_path / "packages")


@pytest.fixture
def memory(tmp_path):
    """Remembers nothing of before."""
    return Memory(tmp_path / "memory.json")


@pytest.fixture
def served(folder):
    """The folder behind HTTP."""
    server = Served(folder)
    yield server
    server.close()
