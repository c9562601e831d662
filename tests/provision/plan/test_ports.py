"""The NPUs' own ports: what the inventory says against what is set."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from npudoctor.collect.inventory import read_inventory
from npudoctor.provision.plan.ports import are_back
from npudoctor.provision.planned import Change
from tests.provision.plan.hosts import bare, keys, planner, seen

PORTS = [{"device": 0, "address": "198.51.100.10"}, {"device": 1, "address": "198.51.100.11"}]
LINES = {
    "ip": "ipaddr:{address}\nnetmask:255.255.255.0\n",
    "gateway": "default gateway:198.51.100.1, Iface:eth0\n",
    "netdetect": "netdetect address: 198.51.100.1\n",
    "tls": "dev_id:{device}, tls switch[0](0:disable, 1:enable)\n",
}


def answers(**other):
    """What hccn_tool says of both ports."""
    lines = LINES | other
    return {
        f"hccn_tool -i {port['device']} -{what} -g": text.format(**port)
        for port in PORTS
        for what, text in lines.items()
    }


def changes(inventory, **other):
    host = planner(only=["hccn"]).host(replace(seen(**other), hccn=json.dumps(inventory)))
    return [(one.what, one.before, one.after) for step in host.steps for one in step.changes]


def test_ports_that_are_as_the_inventory_says_are_left_alone():
    whole = {"hccn_ports": PORTS, "hccn_gateway": "198.51.100.1", "hccn_tls": "disabled"}
    assert changes(whole, commands=answers()) == []
    assert changes({"hccn_ports": PORTS, "hccn_tls": "keep"}, commands=answers(gateway="")) == []


@pytest.mark.parametrize(
    ("inventory", "expected"),
    [
        (
            {"hccn_tls": "enabled"},
            [("hccn.0.tls", "disabled", "enabled"), ("hccn.1.tls", "disabled", "enabled")],
        ),
        (
            {"hccn_netmask": "255.255.0.0"},
            [(f"hccn.{n}.netmask", "255.255.255.0", "255.255.0.0") for n in (0, 1)],
        ),
        (
            {"hccn_ports": [PORTS[0] | {"address": "198.51.100.9"}]},
            [("hccn.0.address", "198.51.100.10", "198.51.100.9")],
        ),
        (
            {"hccn_ports": [PORTS[0] | {"gateway": "198.51.100.2"}]},
            [("hccn.0.gateway", "198.51.100.1", "198.51.100.2")],
        ),
    ],
)
def test_each_setting_that_differs_is_named(inventory, expected):
    assert changes({"hccn_ports": PORTS} | inventory, commands=answers()) == expected


def test_ports_of_a_host_without_a_driver_cannot_be_read_yet_and_are_set():
    assert changes({"hccn_ports": PORTS}, make=bare)[0] == ("hccn.0.address", "?", "198.51.100.10")


def test_a_host_of_which_the_inventory_says_nothing_is_left_alone():
    assert planner(only=["hccn"]).host(seen()).steps == ()


def test_npus_in_use_keep_their_ports():
    inventory = json.dumps({"hccn_ports": [PORTS[0] | {"address": "198.51.100.9"}]})
    busy = {"ls /proc/fd davinci": "4711 python3 /dev/davinci0\n"}
    found = replace(seen(commands=answers() | busy), hccn=inventory)
    assert keys(planner(only=["hccn"]).host(found)) == ["npu-in-use"]


def test_the_inventory_tells_domain_and_ports(tmp_path):
    file = tmp_path / "hosts.yml"
    file.write_text(
        "npu:\n  vars: {hccn_tls: enabled, npudoctor_domain: rack1}\n  hosts:\n    node1:\n"
        '      hccn_ports: [{device: 0, address: "{{ net }}.10"}]\n      net: 198.51.100\n    node2: {}\n'
    )
    first, second = read_inventory(str(file))
    assert first.domain == second.domain == "rack1"
    ports = [{"device": 0, "address": "198.51.100.10"}]
    assert json.loads(first.hccn) == {"hccn_ports": ports, "hccn_tls": "enabled"}
    assert second.hccn == ""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("198.51.100.10", "198.51.100.9", True),
        ("198.51.100.7", "198.51.100.10", False),
        ("", "198.51.100.9", False),
        ("?", "198.51.100.9", True),
        ("?", "198.51.100.10", False),
    ],
)
def test_whether_a_port_is_back_is_judged_by_what_was_changed(before, after, expected):
    change = Change("hccn.0.address", before, after, "")
    assert are_back([change], seen(commands=answers()).ground.ports) is expected


def test_a_port_that_can_be_read_no_more_is_back_only_where_it_could_not_before():
    ports = seen().ground.ports
    assert are_back([Change("hccn.0.address", "?", "198.51.100.9", "")], ports)
    assert not are_back([Change("hccn.0.address", "198.51.100.10", "198.51.100.9", "")], ports)
