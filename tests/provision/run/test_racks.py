"""Which hosts are one rack, that one of them gives its packages to."""

import pytest

from npudoctor.collect.inventory import Target
from npudoctor.provision.run.racks import racks_of


def hosts(*addresses, **more):
    return [Target(f"node{n}", address, **more) for n, address in enumerate(addresses)]


def names(racks):
    return [[target.name for target in rack] for rack in racks]


def test_hosts_of_one_domain_are_a_rack_wherever_they_are():
    found = hosts("10.0.0.1", "10.9.0.1", domain="a") + hosts("10.0.0.9", domain="b")
    assert names(racks_of(found, 2)) == [["node0", "node1"]]


@pytest.mark.parametrize("net", ["10.0.{}.1", "[fd00:0:0:{}::1]"])
def test_without_a_domain_the_net_says_it(net):
    found = hosts(net.format(1), net.format(2), net.format(1).replace("1.1", "1.7"), net.format(1))
    assert names(racks_of(found, 2)) == [["node0", "node2", "node3"]]


def test_hosts_that_are_named_go_in_parts_of_forty():
    racks = racks_of(hosts(*(f"node{n}.example" for n in range(85))), 6)
    assert [len(rack) for rack in racks] == [40, 40]


def test_this_machine_is_in_no_rack_and_zero_means_no_racks():
    found = [*hosts("10.0.0.1", "10.0.0.2"), Target("here", "10.0.0.3", local=True)]
    assert names(racks_of(found, 1)) == [["node0", "node1"]]
    assert racks_of(found, 3) == []
    assert racks_of(found, 0) == []
