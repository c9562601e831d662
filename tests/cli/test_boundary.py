"""Whatever happens in a command ends as one line and an exit code of the table."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

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
        (UsageError("a\x1b[2Jb\udcff"), 2, "npudoctor: a?[2Jb?\n"),
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


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_closed_streams_cost_nothing_but_the_text(closed):
    line = f'exec "$0" -m npudoctor check --sample no-npu {closed}'
    done = subprocess.run(["/bin/sh", "-c", line, sys.executable], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


def _gone(pids: list[str]) -> bool:
    """Whether these processes end, well before they would by themselves."""
    for _attempt in range(100):
        if not any(_runs(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def _runs(pid: str) -> bool:
    """One that ended and that nobody waits for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_takes_the_tools_along_and_writes_nothing(signum, tmp_path):
    tool = tmp_path / "npu-smi"
    tool.write_text(f"#!/bin/sh\necho $$ >>{tmp_path}/pids\nexec sleep 30\n")
    tool.chmod(0o755)
    doctor = subprocess.Popen(
        [sys.executable, "-m", "npudoctor", "check", "--output", tmp_path / "report.txt"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stderr=subprocess.PIPE,
    )
    while not (tmp_path / "pids").exists():
        time.sleep(0.05)
    time.sleep(1)  # until the script has written down what it started
    doctor.send_signal(signum)
    _out, told = doctor.communicate(timeout=20)
    assert (doctor.returncode, told) == (130, b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["npu-smi", "pids"]
    assert _gone((tmp_path / "pids").read_text().split())


def test_sigterm_while_a_file_is_written_leaves_no_half_of_it(tmp_path, monkeypatch):
    from npudoctor.cli import output

    def killed(_scratch, _file):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)

    monkeypatch.setattr("pathlib.Path.replace", killed)
    assert guarded(lambda _arguments: output.write_file(tmp_path / "r.json", ["{}"])) == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["check", "--pid", "4194999"], "--pid 4194999: there is no such process; see `ps -e`"),
        (["collect", "--pid", "4194999"], "--pid 4194999: there is no such process; see `ps -e`"),
        (["collect", "--output", "a.rar"], "a.rar: no such bundle is written; use .tar.gz, .tgz, .tar, .zip"),
        (["check", "--pid", "x"], "Invalid value for '--pid': 'x' is not a whole number"),
        (["check", "--timeout", "x"], "Invalid value for '--timeout': 'x' is not a number"),
        (["check", "--output", "json="], "--output json=: there is no file; json=report.txt"),
        (["matrix", "query", "driver"], "driver is no KEY=VALUE; write it like cann=8.5.0"),
        (["matrix"], "Missing command; see npudoctor matrix --help"),
        (["provision", "store"], "Missing command; see npudoctor provision store --help"),
        (["explain", "ASCEND_LAUNCH_BLOCKNG"], "did you mean ASCEND_LAUNCH_BLOCKING or "),
    ],
)
def test_wrong_usage_is_exit_2_and_says_what_is_right(arguments, line, npudoctor):
    done = npudoctor(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert line in done.stderr
