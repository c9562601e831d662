"""Many bundles: Ctrl-C in the middle, several processes, other errors."""

import json
import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from npudoctor.checks.registry import all_checks
from npudoctor.cli import judge as judge_module
from npudoctor.cli.judge import workers_for
from npudoctor.cli.judging import Task, judge_of, unread
from npudoctor.cli.sources import chosen, reading
from npudoctor.cli.workers import Workers
from npudoctor.collect.samples import FOLDER, read_sample
from npudoctor.collect.snapshot import Snapshot
from npudoctor.errors import IncompleteError

SAMPLE = FOLDER / "no-npu.txt"


def bundles(folder, number):
    paths = [folder / f"h{n:03}.stream" for n in range(number)]
    for place, path in enumerate(paths):
        path.write_text(SAMPLE.read_text().replace("build-vm", f"vm{place:03}"))
    return paths


def test_ctrl_c_leaves_the_bundles_after_it_unread_and_ends_the_run_after_the_report():
    with pytest.raises(KeyboardInterrupt), reading(chosen([SAMPLE] * 4, None)) as sources:  # noqa: PT012
        hosts = iter(sources)
        assert isinstance(next(hosts).read(), Snapshot)
        os.kill(os.getpid(), signal.SIGINT)
        left = list(hosts)
        assert [host.place for host in left] == [1, 2, 3]
        with pytest.raises(IncompleteError, match="interrupted before it was read"):
            left[0].read()


def test_the_second_ctrl_c_ends_at_once():
    with pytest.raises(KeyboardInterrupt), reading(chosen([SAMPLE] * 4, None)) as sources:  # noqa: PT012
        next(iter(sources))
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        pytest.fail("still running")


INTERRUPTED = """
import os, signal
from npudoctor.cli import main
from npudoctor.collect import bundle
whole, read = bundle.read_bundle, []
def read_bundle(path):
    read.append(path)
    if len(read) == 2:
        os.kill(os.getpid(), signal.SIGINT)
    return whole(path)
bundle.read_bundle = read_bundle
main()
"""


def test_an_interrupted_run_reports_the_hosts_that_were_judged_and_names_the_others(tmp_path):
    shutil.copy(SAMPLE, tmp_path / "vm.stream")
    arguments = ["check", "--format", "json", "--only", "os", "--from", *["vm.stream"] * 5]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *arguments],
        capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "")
    errors = [host["error"] for host in json.loads(done.stdout)["hosts"]]
    assert errors == [None, None, *["interrupted before it was read"] * 3]


def test_the_last_line_of_an_interrupted_run_says_the_code_that_it_ends_with(tmp_path):
    shutil.copy(SAMPLE, tmp_path / "vm.stream")
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "check", "--only", "os", "--from", *["vm.stream"] * 5],
        capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    last = done.stdout.splitlines()[-1]
    assert done.returncode == 130
    assert last.endswith("Exit code 130: interrupted before all hosts were read.")
    assert "Exit code 3" not in done.stdout


def test_several_processes_judge_as_one_does_and_in_order(npudoctor, tmp_path, monkeypatch):
    paths = bundles(tmp_path, 70)
    done = npudoctor("check", "--format", "json", "--only", "os,fleet", "--from", *paths)
    assert done.returncode in (0, 1), done.stderr
    document = json.loads(done.stdout)
    assert document["summary"]["hosts"] == 70
    assert [Path(host["path"]).name for host in document["hosts"]] == [path.name for path in paths]
    alone = json.loads(npudoctor("check", "--format", "json", "--only", "os", "--from", paths[9]).stdout)
    statuses = [[(row["id"], row["status"], row["actual"]) for row in host["findings"]]
                for host in (document["hosts"][9], alone["hosts"][0])]  # fmt: skip
    assert statuses[0] == statuses[1]


@pytest.mark.parametrize(
    ("processors", "hosts", "number"), [(1, 9999, 1), (4, 40, 1), (4, 64, 2), (64, 9999, 8)]
)
def test_processes_are_started_where_there_are_hosts_and_processors_for_them(
    monkeypatch, processors, hosts, number
):
    monkeypatch.setattr(judge_module.os, "sched_getaffinity", lambda _pid: set(range(processors)))
    assert workers_for(hosts) == number


def ids():
    return [check.id for check in all_checks() if check.area == "os"]


def judging():
    return partial(judge_of, frozenset(ids()), None, None)


def test_a_host_that_was_read_here_is_judged_there_and_one_that_was_not_is_told():
    def lost():
        raise IncompleteError("no answer in time")

    read = read_sample("no-npu")
    tasks = [(0, Task("a", "ssh", lambda: read)), (1, Task("b", "ssh", lost))]
    with Workers(1, judging(), unread) as workers:
        judged = dict(workers.judge(tasks))
    assert len(judged[0].report.findings) == len(ids())
    assert judged[1].report.error == "no answer in time"


def die():
    os._exit(9)


def test_a_process_that_dies_costs_the_host_that_it_had():
    reads = [partial(read_sample, "no-npu") for _place in range(4)]
    reads[1] = partial(die)
    tasks = [(place, Task(f"n{place}", "bundle", read)) for place, read in enumerate(reads)]
    with Workers(2, judging(), unread) as workers:
        judged = dict(workers.judge(tasks))
    errors = [judged[place].report.error for place in range(4)]
    assert errors == [None, "the process that judged it ended; please report it", None, None]


def test_ctrl_c_of_a_terminal_which_all_processes_get_ends_none_that_judges():
    tasks = [(0, Task("a", "bundle", partial(read_sample, "no-npu")))]
    with Workers(2, judging(), unread) as workers:
        for process in workers._processes:
            os.kill(process.pid, signal.SIGINT)
        judged = dict(workers.judge(tasks))
        assert all(process.is_alive() for process in workers._processes)
    assert judged[0].report.error is None


def test_a_bundle_that_is_none_ends_the_run_of_several_processes_too(npudoctor, tmp_path):
    (tmp_path / "bad.tgz").write_bytes(b"no archive")
    done = npudoctor("check", "--from", *bundles(tmp_path, 70), "bad.tgz")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("npudoctor: bad.tgz: ")
