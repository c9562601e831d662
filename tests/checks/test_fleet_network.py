"""The NPUs' network over several hosts."""

from npudoctor.checks.fleet_network import subnets, tls, unique_addresses
from npudoctor.collect.samples import read_sample
from npudoctor.collect.snapshot import snapshot_of
from npudoctor.finding import Status
from npudoctor.host import Host


def node(name, *addresses, mask="255.255.255.0", gateway="", switch=0, commands=None):
    asked = {"npu-smi info": read_sample("a2-healthy").entries["commands/npu-smi_info"].stdout}
    for n, address in enumerate(addresses):
        asked[f"hccn_tool -i {n} -ip -g"] = f"ipaddr:{address}\nnetmask:{mask}\n" if address else ""
        gate = f"default gateway:{gateway}, Iface:eth{n}\n" if gateway else ""
        asked[f"hccn_tool -i {n} -gateway -g"] = gate
        asked[f"hccn_tool -i {n} -tls -g"] = f"dev_id:{n}, tls switch[{switch}](0:disable, 1:enable)\n"
    return Host(snapshot_of(commands=asked | (commands or {}), name=name))


def broken(name, what):
    return node(name, "10.9.9.9", commands={f"hccn_tool -i 0 -{what} -g": "Cmd execute failed!\n"})


def test_an_address_that_two_hosts_have_is_told_with_both(compare):
    found = compare(unique_addresses, node("a", "10.0.0.1", "10.0.0.2"), node("b", "10.0.0.2", "10.0.0.3"))
    assert (found.status, found.actual) == (Status.FAIL, "10.0.0.2: a, b")
    assert [proof.source for proof in found.evidence] == [
        "a: hccn_tool -i 1 -ip -g",
        "b: hccn_tool -i 0 -ip -g",
    ]


def test_a_server_set_up_from_another_ones_file_is_one_sentence(compare):
    twins = node("n1", "10.0.0.1", "10.0.0.2"), node("n2", "10.0.0.1", "10.0.0.2")
    assert compare(unique_addresses, *twins).actual == "10.0.0.1, 10.0.0.2: n[1-2]"


def test_an_address_twice_on_one_host_is_told_by_the_check_of_that_host(compare):
    found = compare(unique_addresses, node("a", "10.0.0.1", "10.0.0.1"), node("b", "10.0.0.3"))
    assert found.status is Status.PASS


def test_a_host_whose_addresses_cannot_be_read_is_unknown(compare):
    found = compare(unique_addresses, node("a", "10.0.0.1"), node("b", "10.0.0.2"), broken("c", "ip"))
    assert found.status is Status.UNKNOWN
    assert "c: " in found.actual


def test_hosts_without_addresses_or_ports_have_no_part_in_it(compare):
    duo = Host(read_sample("310p-duo"))
    assert compare(unique_addresses, node("a", "10.0.0.1"), node("b", ""), duo).status is Status.SKIP


def test_hosts_in_one_subnet_meet(compare):
    found = compare(subnets, node("a", "10.0.0.1"), node("b", "10.0.0.2"))
    assert (found.status, found.actual) == (Status.PASS, "10.0.0.0/24")


def test_a_host_in_another_subnet_and_one_with_another_mask_are_named(compare):
    hosts = [node(f"n{n}", f"10.0.0.{n + 1}") for n in range(5)]
    found = compare(subnets, *hosts, node("far", "10.0.7.1"), node("wide", "10.0.0.9", mask="255.255.0.0"))
    assert found.status is Status.WARN
    assert found.actual == "10.0.0.0/24 (5 of 7 hosts); 10.0.7.0/24: far; 10.0.0.0/16: wide"


def test_hosts_in_other_subnets_meet_through_gateways(compare):
    hosts = node("a", "10.0.0.1", gateway="10.0.0.254"), node("b", "10.0.7.1", gateway="10.0.7.254")
    assert compare(subnets, *hosts).status is Status.PASS


def test_one_host_without_a_gateway_is_left_out_of_the_others_network(compare):
    hosts = node("a", "10.0.0.1", gateway="10.0.0.254"), node("b", "10.0.7.1")
    assert compare(subnets, *hosts).status is Status.WARN


def test_four_planes_on_every_host_are_the_design_of_the_first_generation(compare):
    planes = [f"10.{n}.0.1" for n in range(4)]
    others = [f"10.{n}.0.2" for n in range(4)]
    assert compare(subnets, node("a", *planes), node("b", *others)).status is Status.PASS


def test_hosts_with_tls_and_without_cannot_connect(compare):
    hosts = [node(f"n{n}", "10.0.0.1", switch=1) for n in range(5)]
    found = compare(tls, *hosts, node("odd", "10.0.0.9"))
    assert (found.status, found.actual) == (Status.FAIL, "on (5 of 6 hosts); off: odd")
    assert found.fix.commands == ("hccn_tool -i N -tls -s enable 1",)


def test_the_same_switch_everywhere_is_right_whichever_it_is(compare):
    for switch in (0, 1):
        hosts = [node(name, "10.0.0.1", switch=switch) for name in "ab"]
        assert compare(tls, *hosts).status is Status.PASS


def test_hosts_that_are_alike_in_having_it_on_for_some_npus_are_not_right(compare):
    def mixed(name):
        switches = {
            f"hccn_tool -i {n} -tls -g": f"dev_id:{n}, tls switch[{n}](0:disable, 1:enable)\n" for n in (0, 1)
        }
        return Host(snapshot_of({}, switches, name=name))

    found = compare(tls, mixed("a"), mixed("b"))
    assert (found.status, found.actual) == (Status.FAIL, "on for some NPUs")


def test_a_switch_that_cannot_be_read_is_never_the_same(compare):
    assert (
        compare(tls, node("a", "10.0.0.1"), node("b", "10.0.0.2"), broken("c", "tls")).status
        is Status.UNKNOWN
    )
