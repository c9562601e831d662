"""Shared by the tests of the matrix: questions in one line."""

import pytest

from npudoctor.matrix import load_matrix


@pytest.fixture
def query():
    """`query("driver=25.2.0 cann=9.1.0")`; a `~` stands for a blank within a value."""

    def ask(text):
        return load_matrix().query(dict(word.replace("~", " ").split("=", 1) for word in text.split()))

    return ask
