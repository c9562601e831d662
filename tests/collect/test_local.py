"""This machine is read beside the caller, and left as it was whatever happens."""

from __future__ import annotations

import os
import time

import pytest

from npudoctor.collect.local import Running, read_local, start_local
from npudoctor.collect.script import render
from npudoctor.errors import IncompleteError


def test_this_machine_is_read() -> None:
    snapshot = read_local()
    assert snapshot.source == "local"
    assert snapshot.problems == ()
    assert snapshot.name == os.uname().nodename
    assert snapshot.command("uname -a").value.startswith("Linux")


def test_the_environment_is_ours_without_what_the_script_sets(monkeypatch) -> None:
    monkeypatch.setenv("ASCEND_LAUNCH_BLOCKING", "1")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    lines = read_local().entry("environment").text.splitlines()
    assert "ASCEND_LAUNCH_BLOCKING=1" in lines
    assert "LC_ALL=zh_CN.UTF-8" in lines
    assert f"PATH={os.environ['PATH']}" in lines


def test_it_runs_while_the_caller_does_something_else() -> None:
    begin = time.monotonic()
    running = start_local()
    assert time.monotonic() - begin < 0.5
    assert running.snapshot().problems == ()


def test_a_run_that_is_stopped_says_that_it_is_not_whole() -> None:
    script = render().replace("host_calls() {", "host_calls() {\n  q plain 1024 60 'sleep 60' sleep 60")
    running = Running(script)
    time.sleep(0.5)
    running.stop()
    snapshot = running.snapshot()
    assert snapshot.problems == ("collecting was ended before all was read",)
    assert snapshot.entry("commands/sleep_60").state == "timeout"


def test_a_shell_that_returns_nothing_is_incomplete() -> None:
    with pytest.raises(IncompleteError, match="returned nothing"):
        Running(render(), ("/bin/true",)).snapshot()


def test_no_shell_is_incomplete() -> None:
    with pytest.raises(IncompleteError, match="POSIX shell"):
        Running(render(), ("/no/such/sh",))
