"""The recorded hosts of the package, and of a folder like it."""

from __future__ import annotations

import pytest

from npudoctor.collect.samples import read_sample, samples
from npudoctor.errors import UsageError

NONCE = "@" + "0123456789abcdef" * 2


@pytest.fixture
def folder(tmp_path):
    """One tiny recorded host: a saved stream below one sentence."""
    frame = f"\n{NONCE}>c uname -a\nLinux tiny-01 5.10.0\n\n{NONCE}<0\n"
    text = f"# A tiny host\nnpudoctor-stream/1 {NONCE}\n{frame}\n{NONCE}.done\n"
    (tmp_path / "tiny.txt").write_text(text)
    return tmp_path


def test_a_sample_is_named_with_what_it_shows(folder) -> None:
    assert samples(folder) == {"tiny": "A tiny host"}


def test_a_sample_is_read_as_a_host(folder) -> None:
    snapshot = read_sample("tiny", folder)
    assert snapshot.source == "sample"
    assert snapshot.command("uname -a").known


def test_an_unknown_sample_names_those_that_there_are(folder) -> None:
    with pytest.raises(UsageError, match="there are: tiny"):
        read_sample("tinny", folder)


@pytest.mark.parametrize("name", samples())
def test_every_sample_of_the_package_is_whole_and_says_what_it_is(name: str) -> None:
    assert samples()[name]
    assert read_sample(name).problems == ()
