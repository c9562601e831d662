"""Users, names, machines and clocks of several hosts."""

import pytest

from npudoctor.checks.fleet_hosts import clocks, unique_machines, unique_names, user_ids
from npudoctor.collect.snapshot import Entry, Snapshot, snapshot_of
from npudoctor.finding import Status
from npudoctor.host import Host

HOSTNAME = "/proc/sys/kernel/hostname"
SERIAL = "/sys/class/dmi/id/product_serial"
BOARD = "npu-smi info -t board -i 0"


def node(name, files=None, commands=None):
    return Host(snapshot_of(files or {}, commands or {}, name=name))


def user(name, ids):
    row = f"HwHiAiUser:x:{ids}::/home/HwHiAiUser:/bin/bash\n" if ids else ""
    return node(name, {"/etc/passwd": f"root:x:0:0:root:/root:/bin/bash\n{row}"})


def test_a_user_with_other_numbers_on_one_host_is_told(compare):
    found = compare(user_ids, user("a", "1000:1000"), user("b", "1001:1001"), user("c", "1000:1000"))
    assert (found.status, found.actual) == (Status.WARN, "HwHiAiUser 1000:1000: a, c; 1001:1001: b")


def test_the_same_numbers_pass_and_a_list_that_was_not_read_is_unknown(compare):
    assert compare(user_ids, user("a", "1000:1000"), user("b", "1000:1000")).status is Status.PASS
    assert compare(user_ids, user("a", "1000:1000"), node("b")).status is Status.UNKNOWN


def test_a_host_without_the_user_is_told_beside_those_that_have_it(compare):
    assert "no such user: b" in compare(user_ids, user("a", "1000:1000"), user("b", "")).actual


def test_of_containers_it_is_said_why_they_are_not_compared(compare):
    inside = [node(name, {HOSTNAME: "img\n", "/.dockerenv": ""}) for name in "ab"]
    found = compare(unique_names, *inside, node("c", {HOSTNAME: "c\n"}))
    why = "2 × inside a container, which has these of its host"
    assert (found.status, found.actual) == (Status.SKIP, f"fewer than two hosts to compare: {why}")


def test_a_host_name_that_two_hosts_have_is_told(compare):
    hosts = [
        node(name, {HOSTNAME: f"{called}\n"}) for name, called in (("a", "img"), ("b", "img"), ("c", "x"))
    ]
    found = compare(unique_names, *hosts)
    assert (found.status, found.actual) == (Status.WARN, "img: a, b")
    assert compare(unique_names, *hosts[1:]).status is Status.PASS


def test_two_hosts_that_are_called_the_same_in_the_report_too_are_counted(compare):
    assert compare(unique_names, *[node("img", {HOSTNAME: "img"})] * 2).actual == "img: 2 hosts"


def board(serial):
    return {BOARD: f"NPU ID : 0\nProduct Name : X\nSerial Number : {serial}\nChip Count : 1\n"}


def test_one_machine_under_two_names_is_told(compare):
    twice = [node(name, {SERIAL: "SN01\n"}, board("NP77")) for name in ("a", "alias")]
    found = compare(unique_machines, *twice, node("b", {SERIAL: "SN02\n"}))
    assert (found.status, found.actual) == (Status.WARN, "one machine: a, alias")


def test_one_machine_that_was_read_twice_under_one_name_is_told_with_it(compare):
    assert compare(unique_machines, *[node("a", {SERIAL: "SN01\n"})] * 2).actual == "one machine: a (2 hosts)"


def test_the_serial_numbers_of_the_npus_tell_too_where_the_servers_may_not_be_read(compare):
    assert (
        compare(unique_machines, node("a", {}, board("NP77")), node("b", {}, board("NP77"))).status
        is Status.WARN
    )
    assert (
        compare(unique_machines, node("a", {}, board("NP77")), node("b", {}, board("NP78"))).status
        is Status.PASS
    )


@pytest.mark.parametrize(
    "left", ["To be filled by O.E.M.", "None", "0000000000", "xxx", "", "Default string"]
)
def test_a_serial_number_that_the_maker_left_out_is_none(compare, left):
    assert compare(unique_machines, *(node(name, {SERIAL: left}) for name in "ab")).status is Status.SKIP


def test_a_host_whose_serial_number_is_for_root_only_is_not_counted_as_another_machine(compare):
    hidden = Entry(f"files{SERIAL}", SERIAL, b"", state="denied")
    nameless = Host(Snapshot("b", "ssh", {hidden.path: hidden}))
    found = compare(unique_machines, node("a", {SERIAL: "SN01\n"}), node("c", {SERIAL: "SN02\n"}), nameless)
    assert found.status is Status.UNKNOWN
    assert found.actual.startswith(f"not read on b: {SERIAL}: permission denied")


def clock(name, host, before, after, reader="r1"):
    ours = f"{before} {after} {reader}\n"
    return node(name, {}, {"date +%s": f"{host}\n", "npudoctor clock": ours})


def test_a_clock_that_is_certainly_off_is_told_with_its_seconds(compare):
    good = [clock(f"n{n}", 1_000_000 + n, 999_999 + n, 1_000_002 + n) for n in range(3)]
    found = compare(clocks, *good, clock("late", 999_900, 999_999, 1_000_002))
    assert found.status is Status.WARN
    assert found.actual.startswith("late by -9")
    assert [proof.source for proof in found.evidence] == ["late: date +%s", "late: npudoctor clock"]


def test_what_lies_within_the_time_that_reading_took_is_no_difference(compare):
    slow = clock("slow", 1_000_020, 1_000_000, 1_000_060)
    assert compare(clocks, clock("a", 1_000_000, 999_999, 1_000_001), slow).status is Status.PASS


def test_hosts_that_different_machines_read_are_not_compared(compare):
    found = compare(clocks, clock("a", 10, 9, 11), clock("b", 900, 9, 11, reader="r2"))
    assert found.status is Status.UNKNOWN


def test_bundles_that_were_made_on_the_hosts_themselves_say_nothing_of_their_clocks(compare):
    assert compare(clocks, *(node(name, {}, {"date +%s": "10\n"}) for name in "ab")).status is Status.SKIP


def test_a_host_that_does_not_tell_its_time_is_unknown(compare):
    silent = node("b", {}, {"npudoctor clock": "9 11 r1\n"})
    assert compare(clocks, clock("a", 10, 9, 11), clock("c", 10, 9, 11), silent).status is Status.UNKNOWN
