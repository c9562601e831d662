"""What came of a run: its exit code, its JSON and its text."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from npudoctor.errors import Exit
from npudoctor.provision.planned import Change
from npudoctor.provision.run.next import next_command
from npudoctor.provision.run.result import (
    HostResult,
    RunResult,
    Word,
    as_json,
    exit_of,
    result_without,
    settings_of,
)
from npudoctor.report.provision_text import to_text
from npudoctor.report.style import Style
from tests.provision.world import plan

DOCS = Path(__file__).parents[3] / "docs"


def run_of(*words, **more):
    hosts = tuple(HostResult(f"node{place}", word) for place, word in enumerate(words))
    return RunResult(
        "run1", "a2-stack", hosts, 12.0, folder="/runs/run1", words="run1 --run-dir /runs", **more
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((Word.DONE, Word.CONVERGED), Exit.OK),
        ((Word.DONE, Word.NOT_REACHED), Exit.INCOMPLETE),
        ((Word.DONE, Word.LOST), Exit.INCOMPLETE),
        ((Word.BLOCKED, Word.NOT_REACHED), Exit.FINDINGS),
        ((Word.DONE, Word.ROLLED_BACK), Exit.FINDINGS),
        ((Word.DONE, Word.STUCK), Exit.FINDINGS),
        ((Word.DONE, Word.PAUSED), Exit.FINDINGS),
    ],
)
def test_only_a_run_whose_hosts_are_all_right_ends_with_0_and_a_failure_wins(words, code):
    assert exit_of(run_of(*words)) is code


def test_hosts_that_went_back_are_right_where_that_was_asked_for():
    assert exit_of(run_of(Word.ROLLED_BACK, rollback=True)) is Exit.OK


def test_a_host_that_the_inventory_lost_during_its_run_is_not_told_to_be_as_it_was():
    lost = result_without(replace(plan(), name="node1"))
    assert (lost.word, lost.key) == (Word.PAUSED, "not-in-inventory")
    assert next_command(lost, "run1", rollback=False) == "npudoctor provision resume run1"


def test_a_run_that_was_interrupted_says_so():
    assert exit_of(run_of(Word.DONE, interrupted=True)) is Exit.INTERRUPTED


def test_the_json_is_what_the_schema_says():
    schema = json.loads((DOCS / "provision.schema.json").read_text())
    full = replace(
        run_of(*Word).hosts[2], key="npu-in-use", message="python3 uses it", before={"driver": "25.2.0"},
        after={"driver": ""}, boots=("a", "b"), seconds={"apply": 1.23}, steps=("driver",), bundle="/b.tgz",
        next="npudoctor provision retry run1",
    )  # fmt: skip
    result = replace(run_of(*Word, brake="same-failure"), hosts=(full, *run_of(*Word).hosts))
    jsonschema.validate(as_json(result), schema)
    assert as_json(result)["summary"]["hosts"] == 9


def text_of(result, width=100):
    return "".join(to_text(result, Style(width)))


def test_the_text_tells_the_worst_hosts_first_and_like_hosts_together():
    good = [
        HostResult(f"node{place}", Word.DONE, before={"driver": "25.2.0"}, after={"driver": "25.5.0"})
        for place in range(1, 6)
    ]
    bad = HostResult("node9", Word.STUCK, "undo-failed:driver", "the installer says no", next="npudoctor x")
    lines = text_of(replace(run_of(), hosts=(*good, bad))).splitlines()
    assert lines[0] == "6 hosts to a2-stack: 1 stuck, 5 done"
    assert lines[3].split() == ["stuck", "node9", "undo-failed:driver"]
    assert lines[4].strip() == "the installer says no"
    assert lines[5].split(maxsplit=2) == ["done", "node[1-5]", "driver 25.2.0 → 25.5.0"]
    assert "  npudoctor x" in lines


def test_of_a_host_whose_settings_alone_were_changed_the_settings_are_told():
    done = HostResult("node1", Word.DONE, settings=("host_tuning.stack", "host_tuning.aspm"))
    lines = text_of(replace(run_of(), hosts=(done,))).splitlines()
    assert lines[3].split() == ["done", "node1", "host_tuning.stack,", "host_tuning.aspm"]


def test_settings_are_what_steps_change_that_is_no_version():
    change = Change("host_tuning.stack", "8192", "unlimited", "why")
    host = plan()
    step = replace(host.steps[0], component="host_tuning", changes=(change,))
    assert settings_of(replace(host, steps=(step, *host.steps))) == ("host_tuning.stack",)


LOG = "/var/lib/npudoctor/logs/driver-{0}.log"


def test_the_text_tells_where_more_is_said_of_what_failed():
    bad = HostResult(
        "node1", Word.STUCK, "x", "it fails", log=LOG.format(1), bundle="/runs/bundles/node1.tar.gz"
    )
    text = text_of(replace(run_of(), hosts=(bad,)), width=140)
    assert f"    log on the host: {LOG.format(1)}; bundle: /runs/bundles/node1.tar.gz\n" in text
    other = replace(bad, name="node2", log=LOG.format(2), bundle="/runs/bundles/node2.tar.gz")
    both = text_of(replace(run_of(), hosts=(bad, other)), width=140)
    assert "    log on the host: /var/lib/npudoctor/logs; bundle: /runs/bundles\n" in both


def test_eight_hosts_that_all_ended_otherwise_fit_on_one_screen():
    hosts = tuple(replace(host, key=f"key-{host.name}", message="why " * 20) for host in run_of(*Word).hosts)
    lines = text_of(replace(run_of(), hosts=hosts), width=80).splitlines()
    assert len(lines) <= 40
    assert all(len(line) <= 80 for line in lines if "npudoctor " not in line)


def test_many_names_are_broken_into_lines():
    names = [f"{rack}-{place}" for rack in ("north", "south", "east", "west") for place in "abcdefghij"]
    hosts = tuple(HostResult(name, Word.BLOCKED, "npu-in-use") for name in names)
    lines = text_of(replace(run_of(), hosts=hosts)).splitlines()
    assert max(map(len, lines)) <= 100
    told = " ".join(" ".join(lines).split())
    assert all(name in told for name in ("east-a", "more", "npu-in-use"))


def test_of_many_commands_to_type_one_for_all_hosts_is_left():
    commands = [f"npudoctor triage /runs/run1/bundles/node{n}.tar.gz" for n in range(9)]
    result = run_of(*[Word.ROLLED_BACK] * 9)
    hosts = tuple(replace(host, next=command) for host, command in zip(result.hosts, commands, strict=True))
    text = text_of(replace(result, hosts=hosts))
    assert text.count("npudoctor triage") == 3
    assert "\n  npudoctor provision retry run1 --run-dir /runs\n" in text


def test_the_brake_is_said_in_words():
    assert "no other host was begun" in text_of(run_of(Word.PAUSED, brake="too-many-failed"))


@pytest.mark.parametrize(
    ("word", "command"),
    [
        (Word.DONE, ""),
        (Word.CONVERGED, ""),
        (Word.PAUSED, "npudoctor provision resume run1"),
        (Word.BLOCKED, "npudoctor provision retry run1 --limit node1"),
        (Word.STUCK, "npudoctor provision retry run1 --limit node1"),
        (Word.NOT_REACHED, "npudoctor provision retry run1 --limit node1"),
    ],
)
def test_each_host_has_a_next_command_where_something_is_left_to_do(word, command):
    assert next_command(HostResult("node1", word), "run1", rollback=False) == command


def test_hosts_that_the_brake_held_are_planned_for_anew_and_those_that_were_interrupted_go_on():
    held = HostResult("node1", Word.PAUSED, "too-many-failed")
    assert next_command(held, "run1", rollback=False) == "npudoctor provision retry run1"
    ended = HostResult("node1", Word.PAUSED, "interrupted")
    assert next_command(ended, "run1", rollback=False) == "npudoctor provision resume run1"


def test_a_host_that_went_back_leads_to_what_it_said_of_itself():
    host = HostResult("node1", Word.ROLLED_BACK, bundle="/runs/run1/bundles/node1.tar.gz")
    assert next_command(host, "run1", rollback=False) == "npudoctor triage /runs/run1/bundles/node1.tar.gz"
    assert next_command(host, "run1", rollback=True) == ""
