"""A run that is gone on with: its report loses nothing of what earlier processes have told."""

import json

import pytest

from npudoctor.collect.ssh_config import SshConfig
from npudoctor.matrix import load_matrix
from npudoctor.provision.call import Call
from npudoctor.provision.planned import Plan
from npudoctor.provision.run.folder import RunFolder
from npudoctor.provision.run.start import Means, Run
from tests.provision.plan.hosts import STACK, planner
from tests.provision.world import plan

DONE = {
    "word": "done", "after": {"driver": "new"}, "boots": ["b1", "b2"], "steps": ["driver"],
    "seconds": {"apply": 60.0},
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    made = RunFolder.new(tmp_path, {}, {})
    yield made
    made.close()


def report(folder):
    """Of a run over one host that the inventory does not name any more."""
    means = Means({}, SshConfig(), load_matrix(), planner(), {})
    Run(Plan(STACK, {}, "now", (plan(),)), Call("hosts.yml", STACK), means, folder).go()
    return json.loads((folder.path / "report.json").read_text())


def test_a_host_that_was_brought_to_its_end_is_told_as_then_whatever_became_of_the_inventory(folder):
    folder.say("end", host="node1", **DONE)
    (host,) = report(folder)["hosts"]
    assert {name: host[name] for name in DONE} == DONE


def test_a_host_that_was_not_is_wherever_the_run_left_it(folder):
    folder.say("end", host="node1", **{**DONE, "word": "paused"})
    (host,) = report(folder)["hosts"]
    assert (host["word"], host["key"]) == ("paused", "not-in-inventory")
    assert (host["boots"], host["steps"], host["seconds"]) == (DONE["boots"], DONE["steps"], DONE["seconds"])


def test_seconds_and_bytes_of_earlier_processes_count(folder):
    folder.put("report.json", {"seconds": 100.0, "staged_bytes": {"controller": 7}, "interrupted": True})
    again = report(folder)
    assert again["seconds"] >= 100.0
    assert again["staged_bytes"] == {"controller": 7}
