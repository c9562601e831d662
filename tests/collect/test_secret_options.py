"""Secrets that go through pipes."""

from pathlib import Path

import pytest

from npudoctor.collect.secret_options import secret_options

GIVEN = {"--login-file": "hunter2", "--vault-file": None, "--become-file": "hunter3"}


def test_each_secret_that_there_is_can_be_read_at_its_place(tmp_path):
    with secret_options(tmp_path, GIVEN) as words:
        assert words[::2] == ["--login-file", "--become-file"]
        assert [Path(place).read_text() for place in words[1::2]] == ["hunter2\n", "hunter3\n"]
        assert {Path(place).stat().st_mode & 0o777 for place in words[1::2]} == {0o600}


@pytest.mark.parametrize("_again", range(30))
def test_what_nobody_reads_holds_nothing_up_however_soon_it_ends(tmp_path, _again):
    with secret_options(tmp_path, GIVEN):
        pass
