"""This machine is read beside the caller, and left as it was whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from npudoctor.collect.local import Running, read_local, start_local
from npudoctor.collect.script import render
from npudoctor.errors import IncompleteError
from npudoctor.host import Host


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
    wait_for_sleep(running._process.pid)
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


def test_what_a_killed_shell_left_is_removed() -> None:
    script = render().replace("host_calls() {", "host_calls() {\n  q plain 1024 60 'sleep 60' sleep 60")
    running = Running(script)
    wait_for_sleep(running._process.pid)
    os.killpg(running._process.pid, signal.SIGKILL)
    assert "cut off" in running.snapshot().problems[0]
    running._thread.join(5)
    assert not list(Path("/dev/shm").glob(f"npudoctor.{running._process.pid}.*"))


def test_a_reader_that_is_killed_leaves_no_process_and_no_folder() -> None:
    code = (
        "import time; from npudoctor.collect.local import Running, render;"
        "script = render().replace('host_calls() {', 'host_calls() {\\n  q plain 1024 60 sleep sleep 60');"
        "print(Running(script)._process.pid, flush=True); time.sleep(60)"
    )
    reader = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert reader.stdout is not None
    shell = int(reader.stdout.readline())
    wait_for_sleep(shell)
    reader.kill()
    reader.wait()
    end = time.monotonic() + 15
    while time.monotonic() < end and (alive(shell) or list(Path("/dev/shm").glob(f"npudoctor.{shell}.*"))):
        time.sleep(0.1)
    assert not alive(shell)
    assert not list(Path("/dev/shm").glob(f"npudoctor.{shell}.*"))


def wait_for_sleep(shell: int) -> None:
    """Until the script of that shell has begun with its `sleep 60`."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        frames = Path("/dev/shm").glob(f"npudoctor.{shell}.*/o.host*")
        if any(">c sleep" in file.read_text(errors="replace") for file in frames):
            return
        time.sleep(0.05)
    pytest.fail("the script did not begin")


def alive(process: int) -> bool:
    """Whether it still runs; one that ended and that nobody waits for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_folder_within_a_package_is_listed_in_the_site_that_has_the_package(monkeypatch, tmp_path) -> None:
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    (tmp_path / "pyvenv.cfg").write_text("home = /nowhere/bin\nversion = 3.11.9\n")
    (site / "torch_npu-2.9.0.dist-info").mkdir(parents=True)
    (site / "torch_npu" / "dynamo" / "torchair").mkdir(parents=True)
    (site / "torch_npu" / "dynamo" / "torchair" / "__init__.py").touch()
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    (tmp_path / "bin" / "atc").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "atc").chmod(0o755)

    host = Host(start_local().snapshot())

    assert host.python.current.value.torchair.value == f"{site}/torch_npu/dynamo/torchair"
    assert host.cann.started.value["atc"].path == f"{tmp_path}/bin/atc"
