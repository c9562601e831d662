"""The environment of a host."""

from __future__ import annotations

import pytest

from npudoctor.collect.snapshot import Entry, Snapshot
from npudoctor.fact import Evidence, Unavailable
from npudoctor.host import Host


def test_a_variable_is_a_fact_with_its_line(host):
    fact = host(environment="TASK_QUEUE_ENABLE=1\n").environment.of("TASK_QUEUE_ENABLE")

    assert fact.value == "1"
    assert fact.evidence == (Evidence("environment", "TASK_QUEUE_ENABLE=1"),)


def test_one_that_is_not_set_is_known_to_be_absent(host):
    assert host(environment="A=1\n").environment.of("TASK_QUEUE_ENABLE").absent


def test_without_an_environment_nothing_is_known(host):
    environment = host().environment

    assert not environment.of("TASK_QUEUE_ENABLE").known
    assert not environment.of("TASK_QUEUE_ENABLE").absent
    with pytest.raises(Unavailable, match="not collected"):
        environment.judged()


def test_a_redacted_value_stays_unknown(host):
    fact = host(environment="HCCL_IF_IP=<redacted:token>\n").environment.of("HCCL_IF_IP")

    assert not fact.known
    assert not fact.absent


def test_the_environment_of_a_process_comes_with_nul():
    entry = Entry("environment", "environment", b"A=1\nB=no name\0TASK_QUEUE_ENABLE=2\0")

    variables = Host(Snapshot("node1", "local", {entry.path: entry})).environment.variables.value

    assert variables == {"A": "1\nB=no name", "TASK_QUEUE_ENABLE": "2"}


def test_text_that_is_no_environment_is_unreadable_and_not_empty(host):
    assert not host(environment="sh: env: not found\n").environment.variables.known
