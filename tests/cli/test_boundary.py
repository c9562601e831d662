"""Whatever happens in a command ends as one line and an exit code of the table."""

import errno
import sys

import pytest

from npudoctor.cli.boundary import guarded, reference
from npudoctor.errors import IncompleteError, UsageError


def raises(error):
    def run(_arguments):
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (
            UsageError("a.tgz: no such file", "give a bundle"),
            2,
            "npudoctor: a.tgz: no such file; give a bundle\n",
        ),
        (IncompleteError("node1: no answer"), 3, "npudoctor: node1: no answer\n"),
        (UsageError("two\nlines"), 2, "npudoctor: two lines\n"),
        (KeyboardInterrupt(), 130, ""),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            4,
            "npudoctor: standard output: No space left on device\n",
        ),
    ],
)
def test_an_error_is_one_line_and_its_exit_code(error, code, line, capfd, monkeypatch):
    monkeypatch.setattr("npudoctor.cli.boundary._silence", lambda _stream: None)
    assert guarded(raises(error)) == code
    assert capfd.readouterr().err == line


def test_a_crash_is_exit_4_with_a_reference_and_no_traceback(capfd, monkeypatch):
    monkeypatch.delenv("NPUDOCTOR_DEBUG", raising=False)
    assert guarded(raises(KeyError("chip"))) == 4
    error = capfd.readouterr().err
    assert error.startswith("npudoctor: internal error ")
    assert "KeyError in test_boundary.py" in error
    assert error.count("\n") == 1


def test_a_crash_shows_its_traceback_where_that_is_asked_for(capfd, monkeypatch):
    monkeypatch.setenv("NPUDOCTOR_DEBUG", "1")
    guarded(raises(KeyError("chip")))
    assert "Traceback (most recent call last)" in capfd.readouterr().err


def test_the_reference_is_the_same_for_the_same_fault_wherever_it_is_installed():
    from traceback import FrameSummary

    here, there = FrameSummary("/opt/a/check.py", 7, "run"), FrameSummary("/home/b/check.py", 7, "run")
    other = FrameSummary("/opt/a/check.py", 8, "run")
    assert reference([here]) == reference([there]) != reference([other])


def test_the_code_of_a_command_that_ends_well_is_kept():
    assert guarded(lambda _arguments: 3) == 3


def test_a_command_may_end_the_process_itself():
    with pytest.raises(SystemExit):
        guarded(lambda _arguments: sys.exit(5))
