"""The file itself: its rows, their sources, and what is said of a wrong file."""

import re
from pathlib import Path

import pytest

from npudoctor.errors import UsageError
from npudoctor.matrix import Grade, load_matrix
from npudoctor.matrix.source import matrix_file
from npudoctor.matrix.validate import validate, validate_file

SMALL = """\
updated: "2026-11-29"
sources:
  notes: {by: vendor, read: "2026-11", at: "https://example.com/notes"}
cann_same_driver:
- {id: one, cann: 8.5.1, same_as: 8.5.0, sources: [notes]}
- {id: two, cann: 8.5.3, same_as: 8.5.0, sources: [notes]}
"""


def test_the_shipped_file_is_well():
    assert validate_file(matrix_file()) > 700


def test_every_row_names_who_says_it_and_when_that_was_read():
    for row in load_matrix().rows():
        assert row.sources, row.id
        assert all(re.fullmatch(r"20\d\d-\d\d", source.read) for source in row.sources), row.id


def test_every_row_explains_itself():
    for row in load_matrix().rows():
        text = row.explain()
        assert row.id in text
        assert row.sources[0].at in text


def test_the_founding_rows_tell_what_public_sources_say_beside_them():
    row = load_matrix().row("founding-6.3.RC2-driver-6.3.1")

    assert row is not None
    assert row.grade is Grade.FIELD
    assert "23.0.rc2" in row.explain()
    assert "200 stress runs" in row.explain()


def test_an_id_that_nobody_gave_is_no_row():
    assert load_matrix().row("nothing-of-that-name") is None


def test_the_matrix_says_how_new_it_is_and_what_exactly_it_is():
    assert load_matrix().updated == "2026-11-29"
    assert len(load_matrix().sha256) == 64


def test_a_file_of_the_users_answers_in_place_of_the_shipped_one(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(SMALL)

    assert [row.id for row in load_matrix(file).rows()] == ["one", "two"]


@pytest.mark.parametrize(
    ("wrong", "right", "said"),
    [
        ("id: two", "id: one", "6:8: the id one is there twice"),
        ("sources: [notes]}\n- ", "sources: [other]}\n- ", "5:52: no source is named other"),
        (", sources: [notes]}\n- ", "}\n- ", "5:3: cann_same_driver[0]: sources is missing"),
        (
            "same_as: 8.5.0, sources",
            "same_as: 8.5.0, colour: red, sources",
            "5:42: cann_same_driver[0]: there is no key colour",
        ),
        ("cann: 8.5.3", "cann: 8.5", "6:19"),
        ("cann: 8.5.3", "cann: 8.5.foo", "6:19: '8.5.foo' is no version of CANN"),
        ("- {id: two", "- {id: [two", "6:"),
        ("cann: 8.5.3", "cann: 8.5.3, cann: 8.5.4", "6:26: the key cann is there twice"),
    ],
)
def test_an_error_is_told_with_file_line_and_column(wrong, right, said):
    text = SMALL.replace(wrong, right)
    assert text != SMALL

    with pytest.raises(UsageError) as error:
        validate(text.encode(), "mine.yaml")

    assert f"mine.yaml:{said}" in str(error.value)


def test_a_file_that_is_not_there_is_wrong_usage():
    with pytest.raises(UsageError):
        load_matrix(Path("/nowhere/matrix.yaml"))
