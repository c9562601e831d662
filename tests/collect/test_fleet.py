"""Many hosts side by side: each its own answer in its own time, whatever the others do."""

from __future__ import annotations

import resource
import threading
import time
from dataclasses import replace

import pytest

from npudoctor.collect import fleet as fleet_module
from npudoctor.collect.connect import Connection
from npudoctor.collect.fleet import MOST_FORKS, Fleet, forks_for
from npudoctor.collect.inventory import Target
from npudoctor.collect.script import render
from npudoctor.collect.snapshot import snapshot_of
from npudoctor.collect.ssh_config import SshConfig
from npudoctor.errors import IncompleteError
from tests.lab import bastion


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No agent of whoever runs the tests."""
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)


def fleet_of(targets, tmp_path, **options):
    return Fleet(targets, SshConfig(tmp_path, tmp_path), "script", **options)


@pytest.fixture
def reads(monkeypatch):
    """Puts a function in the place of what reads one host: `reads(lambda connection, name: …)`."""

    def put(read):
        monkeypatch.setattr(
            fleet_module, "read_ssh", lambda connection, name, _script, _become: read(connection, name)
        )

    return put


def hosts(count):
    return [Target(f"n{number}", "127.0.1.1") for number in range(count)]


def outcome(reading):
    try:
        return reading.snapshot().problems
    except IncompleteError as error:
        return str(error)


def test_eight_hosts_of_which_most_are_in_trouble_each_get_their_own_answer(ssh, tmp_path):
    good = [ssh.add(f"good{number}", npus=1) for number in range(2)]
    dies = ssh.add(
        "dies", npus=1, options="ForceCommand sh -c '/bin/sh -s | head -c 30000; sleep 0.5; kill -9 $PPID'\n"
    )
    hangs = ssh.add("hangs", npus=1, options="ForceCommand exec sleep 30\n")
    unknown = ssh.add("unknown", npus=1, known=False)
    changed = ssh.add("changed", npus=1, known=False)
    ssh.know(changed, good[0].public_key)
    told = []
    with bastion.impostor("127.0.1.99") as port:
        targets = [
            Target("silent", "127.0.1.99", port),
            *(Target(host.lab.folder.name, host.address, host.port) for host in (hangs, dies, *good)),
            Target("refuses", good[0].address, 1),
            Target("unknown", unknown.address, unknown.port),
            Target("changed", changed.address, changed.port),
        ]
        begin = time.monotonic()
        config = SshConfig(ssh.home, tmp_path)
        fleet = Fleet(
            targets, config, render(), seconds=8, told=lambda one, every: told.append(one.target.name)
        )
        outcomes = {reading.target.name: outcome(reading) for reading in fleet.readings}
        assert time.monotonic() - begin < 13
        fleet.stop()
    assert outcomes.pop("good0") == outcomes.pop("good1") == ()
    assert outcomes.pop("dies") == ("the stream is cut off",)
    for name, said in {
        "silent": "127.0.1.99",
        "hangs": "no answer in time",
        "refuses": "connection refused",
        "unknown": "ssh-keyscan",
        "changed": "ssh-keygen -R",
    }.items():
        assert said in outcomes.pop(name)
    assert outcomes == {}
    assert sorted(told) == sorted(target.name for target in targets)
    assert not fleet.interrupted


def test_no_more_than_so_many_are_read_at_once(reads, tmp_path):
    now, most, lock = 0, 0, threading.Lock()

    def read(connection, name):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1
        return snapshot_of(name=name)

    reads(read)
    fleet = fleet_of(hosts(20), tmp_path, forks=3)
    assert [reading.snapshot().name for reading in fleet.readings] == [f"n{number}" for number in range(20)]
    assert most == 3


def test_hosts_arrive_as_they_come_and_a_slow_one_holds_up_no_other(reads, tmp_path):
    rest = threading.Event()

    def read(connection, name):
        if name == "n0":
            rest.wait()
        return snapshot_of(name=name)

    reads(read)
    fleet = fleet_of(hosts(30), tmp_path, forks=2)
    arriving = fleet.arriving()
    first = [next(arriving).snapshot().name for _number in range(29)]
    assert first == [f"n{number}" for number in range(1, 30)]
    rest.set()
    (last,) = arriving
    assert (last.snapshot().name, last.place) == ("n0", 0)


def test_snapshots_that_nobody_has_taken_yet_keep_the_slots_of_their_hosts(reads, tmp_path):
    read = []

    def one(connection, name):
        read.append(name)
        return snapshot_of(name=name)

    reads(one)
    fleet = fleet_of(hosts(20), tmp_path, forks=3)
    arriving = fleet.arriving()
    held = [next(arriving) for _number in range(3)]
    time.sleep(0.1)
    assert len(read) == 3
    for reading in held:
        reading.snapshot()
    assert len([reading.snapshot() for reading in arriving]) == 17


def test_a_host_whose_thread_never_comes_back_is_given_up_and_the_rest_is_read(reads, tmp_path, monkeypatch):
    monkeypatch.setattr(fleet_module, "_GRACE", 0.1)
    never = threading.Event()
    reads(lambda connection, name: snapshot_of(name=name) if name != "n0" else never.wait())
    fleet = fleet_of(hosts(4), tmp_path, forks=1, seconds=0.3)
    assert [outcome(reading) for reading in fleet.readings] == ["no answer in time", (), (), ()]
    never.set()


def test_an_interrupted_run_ends_at_once_with_what_is_there(reads, tmp_path):
    never = threading.Event()
    reads(lambda connection, name: snapshot_of(name=name) if name == "n0" or never.wait() else None)
    fleet = fleet_of(hosts(5), tmp_path, forks=2)
    fleet.readings[0].snapshot()
    begin = time.monotonic()
    fleet.stop()
    assert {outcome(reading) for reading in fleet.readings[1:]} == {"interrupted before it was read"}
    assert time.monotonic() - begin < 2
    assert fleet.interrupted
    never.set()


def test_what_an_interrupted_host_says_of_its_lost_connection_is_no_verdict_on_it(reads, tmp_path):
    closed, begun = threading.Event(), threading.Event()

    def read(connection, name):
        begun.set()
        closed.wait()
        raise IncompleteError("the connection was lost")

    reads(read)
    fleet = fleet_of(hosts(1), tmp_path)
    fleet.readings[0].close = closed.set
    begun.wait()
    fleet.stop()
    assert outcome(fleet.readings[0]) == "interrupted before it was read"


def test_of_an_interrupted_host_it_is_said_that_we_ended_it(reads, tmp_path):
    closed, begun = threading.Event(), threading.Event()

    def read(connection, name):
        begun.set()
        closed.wait()
        return replace(snapshot_of(name=name), problems=("the stream is cut off",))

    reads(read)
    fleet = fleet_of(hosts(1), tmp_path)
    fleet.readings[0].close = closed.set
    begun.wait()
    fleet.stop()
    assert outcome(fleet.readings[0]) == ("collecting was ended before all was read",)


def test_a_host_whose_inventory_leaves_open_who_logs_in_is_not_called(reads, tmp_path):
    called = []
    reads(lambda connection, name: called.append(name) or snapshot_of(name=name))
    targets = [Target("a", "127.0.1.1", undefined=("ansible_user",)), Target("b", "127.0.1.1")]
    first, second = (outcome(reading) for reading in fleet_of(targets, tmp_path).readings)
    assert first.startswith("the template of ansible_user names a variable that is not there")
    assert (second, called) == ((), ["b"])


def test_a_fault_of_ours_costs_one_host(reads, tmp_path, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda _arguments: None)

    def read(connection, name):
        if name == "n0":
            raise ZeroDivisionError
        return snapshot_of(name=name)

    reads(read)
    first, second = (outcome(reading) for reading in fleet_of(hosts(2), tmp_path).readings)
    assert "please report it" in first
    assert second == ()


def test_an_answer_is_handed_out_once_and_then_forgotten(reads, tmp_path):
    reads(lambda connection, name: snapshot_of(name=name))
    (reading,) = fleet_of(hosts(1), tmp_path).readings
    assert reading.snapshot().name == "n0"
    assert reading._answer is None


@pytest.mark.parametrize("wanted", [None, 64])
@pytest.mark.parametrize(("hard", "forks"), [(1024, 64), (256, 48), (100, 9), (20, 1)])
def test_forks_follow_from_the_limit_of_open_files(monkeypatch, hard, forks, wanted):
    limits = [(20, hard)]
    monkeypatch.setattr(resource, "getrlimit", lambda _which: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _which, both: limits.append(both))
    assert forks_for(wanted) == forks <= MOST_FORKS
    assert all(soft <= hard for soft, _hard in limits)


def test_no_more_forks_than_asked_for(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (1024, 1024))
    assert forks_for(3) == 3


def test_this_machine_is_read_without_ssh(tmp_path):
    fleet = Fleet([Target("here", "here", local=True)], SshConfig(tmp_path, tmp_path), render())
    snapshot = fleet.readings[0].snapshot()
    assert (snapshot.name, snapshot.source, snapshot.problems) == ("here", "local", ())


def test_a_connection_that_is_over_has_no_time_left():
    assert Connection(None, time.monotonic() - 1).over
    assert not Connection(None, time.monotonic() + 1).over


def test_hosts_behind_another_share_one_connection_to_it(ssh, tmp_path):
    hosts = [ssh.add(f"inner{number}", npus=0) for number in range(5)]
    between = ssh.add("between", npus=0, options="MaxStartups 1:100:1\nLogLevel VERBOSE\n")
    jump = (("proxyjump", f"{between.address}:{between.port}"),)
    targets = [Target(host.lab.folder.name, host.address, host.port, options=jump) for host in hosts]
    fleet = Fleet(targets, SshConfig(ssh.home, tmp_path), render())
    assert [outcome(reading) for reading in fleet.readings] == [()] * 5
    fleet.stop()
    log = (between.lab.folder / "sshd.log").read_text()
    assert log.count("Accepted publickey") == 1


def test_hosts_behind_one_that_is_not_there_share_its_verdict(ssh, tmp_path):
    jump = (("proxyjump", "127.0.1.98:1"),)
    targets = [Target(f"n{number}", "127.0.1.97", options=jump) for number in range(3)]
    fleet = Fleet(targets, SshConfig(ssh.home, tmp_path), render())
    assert {outcome(reading).partition(";")[0] for reading in fleet.readings} == {
        "127.0.1.98 port 1: connection refused"
    }
