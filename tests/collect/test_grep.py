"""Many small files out of the output of one grep."""

from __future__ import annotations

from npudoctor.collect.grep import files_of_grep
from npudoctor.collect.snapshot import Entry


def files(lines: bytes, paths: bytes, state="complete"):
    output = Entry("grep", "grep", lines, paths, state=state)
    return {entry.origin: (entry.stdout, entry.state) for entry in files_of_grep(output)}


def test_each_file_gets_its_lines_and_an_empty_one_none() -> None:
    found = files(b"/a:1\n/a:x:y\n/b:\n/b:\xff\n:0\n", b"/a\n/b\n/empty\n")
    assert found == {
        "/a": (b"1\nx:y\n", "complete"),
        "/b": (b"\n\xff\n", "complete"),
        "/empty": (b"", "complete"),
    }


def test_where_it_was_cut_the_files_before_are_whole_and_the_rest_is_not() -> None:
    found = files(b"/a:1\n/b:2\n/b:3", b"/a\n/b\n/c\n", "cut-off")
    assert found["/a"] == (b"1\n", "complete")
    assert {found["/b"][1], found["/c"][1]} == {"cut-off"}


def test_where_the_list_of_files_is_missing_those_that_came_are_kept() -> None:
    assert files(b"/a:1\n/b:2\n", b"", "timeout") == {"/a": (b"1\n", "complete"), "/b": (b"2\n", "cut-off")}


def test_what_names_no_file_that_was_asked_for_is_no_file() -> None:
    assert files(b"/a:1\n/etc/shadow:x\nnoise\n:0\n", b"/a\n") == {"/a": (b"1\n", "complete")}


def test_where_grep_failed_a_file_without_a_line_is_not_an_empty_one() -> None:
    found = files(b"/a:1\n:2\n", b"/a\n/b\n")
    assert found == {"/a": (b"1\n", "complete"), "/b": (b"", "failed")}
