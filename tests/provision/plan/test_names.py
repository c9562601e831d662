"""Variables of the inventory that are almost ours, or empty."""

from __future__ import annotations

import pytest

from npudoctor.cli.provision_plan import check_names
from npudoctor.collect.inventory import Target, read_inventory
from npudoctor.errors import UsageError
from npudoctor.provision.plan.names import misnamed, prefixes


def told(*variables, empty=()):
    return list(misnamed([Target("node1", "node1", variables=variables, empty=empty)]))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("hccn_netmaks", "hccn_netmask"),
        ("serving_modell", "serving_model"),
        ("host_tuning_sysctls", "host_tuning_sysctl"),
        ("npudoctor_domian", "npudoctor_domain"),
    ],
)
def test_a_misspelt_name_is_told_with_the_one_that_is_meant(name, meant):
    assert told(name) == [f"node1: {name} is no variable of any role; did you mean {meant}?"]


def test_whatever_begins_with_npudoctor_must_be_ours():
    assert told("npudoctor_colour") == ["node1: npudoctor_colour is no variable that these playbooks know"]


def test_names_of_others_are_let_be():
    assert told("rack", "python_version", "docker_users", "model_name", "http_port", "driver_result") == []


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("hccn_netmask", None, "node1: hccn_netmask is empty: give it a value, or leave it out"),
        ("driver_install_path", "", "node1: driver_install_path is empty: give it a value, or leave it out"),
    ],
)
def test_an_empty_value_is_told(name, value, line):
    assert told(name, empty=((name, value),)) == [line]


@pytest.mark.parametrize(("name", "value"), [("driver_chip", ""), ("rack", None)])
def test_what_may_be_empty_is_let_be(name, value):
    assert told(name, empty=((name, value),)) == []


def test_hosts_that_have_the_same_are_told_in_one_line():
    hosts = [Target(name, name, variables=("hccn_netmaks",)) for name in ("node1", "node2", "node3")]
    (line,) = misnamed(hosts)
    assert line.startswith("node[1-3]: hccn_netmaks ")


def test_they_end_the_call_as_wrong_usage(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inventory = tmp_path / "hosts.yml"
    inventory.write_text("npu: {vars: {hccn_netmaks: 1}, hosts: {a: {npudoctor_domian: rack1, rack: 1}}}")
    with pytest.raises(UsageError, match="2 variables are misspelt or empty"):
        check_names("hosts.yml", read_inventory(str(inventory), ours=prefixes()))
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_an_inventory_without_such_names_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    inventory = tmp_path / "hosts.yml"
    inventory.write_text("npu: {hosts: {a: {npudoctor_domain: rack1, hccn_netmask: 255.255.255.0, rack: 1}}}")
    check_names("hosts.yml", read_inventory(str(inventory), ours=prefixes()))
    assert capsys.readouterr().err == ""
