"""The rank table of a job against the NPUs of its hosts."""

import json

from npudoctor.checks.fleet_rank_table import rank_table
from npudoctor.collect.samples import read_sample
from npudoctor.collect.snapshot import snapshot_of
from npudoctor.finding import Status
from npudoctor.host import Host

FILE = "/job/hccl.json"
A, B = ("10.0.0.1", "10.0.0.2"), ("10.0.0.3", "10.0.0.4")


def table(*servers):
    rows = [
        {
            "server_id": f"192.0.2.{n}",
            "device": [{"device_id": str(d), "device_ip": ip, "rank_id": "0"} for d, ip in enumerate(ips)],
        }
        for n, ips in enumerate(servers)
    ]
    return json.dumps({"version": "1.0", "status": "completed", "server_list": rows})


def node(name, addresses, text=None):
    asked = {"npu-smi info": read_sample("a2-healthy").entries["commands/npu-smi_info"].stdout}
    asked |= {
        f"hccn_tool -i {n} -ip -g": f"ipaddr:{ip}\nnetmask:255.0.0.0\n" for n, ip in enumerate(addresses)
    }
    files, environment = ({FILE: text}, f"RANK_TABLE_FILE={FILE}\n") if text is not None else ({}, "")
    return Host(snapshot_of(files, asked, environment=environment, name=name))


def test_a_table_with_the_addresses_of_the_hosts_is_right(compare):
    both = table(A, B)
    found = compare(rank_table, node("a", A, both), node("b", B, both))
    assert (found.status, found.actual) == (Status.PASS, "4 ranks on 2 servers")


def test_hosts_with_other_tables_are_told(compare):
    found = compare(rank_table, node("a", A, table(A, B)), node("b", B, table(A)))
    assert (found.status, found.actual) == (Status.FAIL, "4 ranks on 2 servers: a; 2 ranks on 1 servers: b")


def test_an_address_that_is_on_another_npu_or_on_none_is_told(compare):
    changed = table(A, ("10.0.0.4", "10.0.0.99"))
    found = compare(rank_table, node("a", A, changed), node("b", B))
    assert found.status is Status.FAIL
    assert found.actual == (
        "10.0.0.4, in the table that of NPU 0 of 192.0.2.1, is NPU 1 of b; "
        "10.0.0.99, in the table that of NPU 1 of 192.0.2.1, is on no NPU of b"
    )


def test_a_server_that_was_not_read_cannot_be_judged(compare):
    found = compare(rank_table, node("a", A, table(A, B)), node("c", ("10.9.0.1",)))
    assert (found.status, found.actual) == (Status.UNKNOWN, "not among these hosts: 192.0.2.1")


def test_hosts_without_a_table_have_nothing_to_compare(compare):
    assert compare(rank_table, node("a", A), node("b", B)).status is Status.SKIP


def test_a_file_that_is_no_table_is_unknown(compare):
    assert compare(rank_table, node("a", A, "{}"), node("b", B, "{}")).status is Status.UNKNOWN
