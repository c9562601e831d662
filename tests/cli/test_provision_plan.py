"""What has to hold on this machine before hosts are read for a plan."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from npudoctor.cli import provision_plan
from npudoctor.cli.provision_plan import Wishes, _goes_on, check_logins, login_of, provision_hosts
from npudoctor.cli.sources import Remote
from npudoctor.collect.inventory import Target
from npudoctor.errors import UsageError
from npudoctor.provision.call import Call
from npudoctor.provision.plan.controller import controller_of
from npudoctor.provision.plan.make import not_reached
from npudoctor.provision.plan.survey import Surveyed
from npudoctor.provision.planned import Plan
from tests.provision.plan.hosts import STACK, older, plan

BY_PASSWORD = Target("node1", "10.0.0.1", password="planted")
BY_KEY = Target("node2", "10.0.0.2")
HERE = Target("node3", "localhost", password="planted", local=True)


def test_an_ansible_that_could_not_log_in_is_told_before_anything_is_read(monkeypatch):
    monkeypatch.setattr(provision_plan.shutil, "which", lambda _name: None)
    with pytest.raises(UsageError, match=r"ansible-core 2\.17\.9 logs in with a password by sshpass") as told:
        check_logins([BY_KEY, BY_PASSWORD], controller_of("2.17.9"))
    assert "planted" not in str(told.value)


@pytest.mark.parametrize(
    ("core", "program", "hosts"),
    [
        ("2.17.9", "/usr/bin/sshpass", [BY_PASSWORD]),
        ("2.19.0", None, [BY_PASSWORD]),
        ("2.17.9", None, [BY_KEY, HERE]),
    ],
)
def test_whoever_can_log_in_is_let_through(monkeypatch, core, program, hosts):
    monkeypatch.setattr(provision_plan.shutil, "which", lambda _name: program)
    check_logins(hosts, controller_of(core))


ASKED = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # else Ctrl-C is no signal
from npudoctor.cli.boundary import Boundary
from npudoctor.cli.provision_plan import confirmed
end = Boundary()
with end:
    confirmed()
exit(end.code)
"""


@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_who_breaks_off_at_the_question_is_told_that_nothing_was_changed(key):
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", ASKED], stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    said = b""
    while b"[y/N]" not in said:
        said += os.read(master, 1000)
    os.write(master, key)
    assert process.wait(timeout=20) == 130
    while b"Nothing was changed." not in said:
        said += os.read(master, 1000)
    os.close(master)
    assert b"Traceback" not in said


def wishes(**fields):
    given = {
        "remote": Remote("a,"), "bundles": (), "sample": None, "plan": False, "check": False, "yes": False,
        "answers": None, "format": "text", "output": (), "verbose": False,
    }  # fmt: skip
    return Wishes(**(given | fields))


def test_where_every_host_is_blocked_nobody_is_asked_but_the_fixes_are_shown(capsys):
    blocked = plan(make=older, commands={"id": "uid=1000(ops) gid=1000(ops) groups=1000(ops)\n"})
    assert _goes_on(Plan(STACK, {}, "", (blocked,)), wishes())
    shown = capsys.readouterr().err
    assert "In the way" in shown
    assert blocked.blockers[0].fix.summary.split()[0] in shown


def test_so_is_how_to_try_a_host_that_is_not_reached(capsys):
    lost = not_reached(Surveyed("node1", error="no route", login="-p 2222 ops@10.0.0.1"))
    assert _goes_on(Plan(STACK, {}, "", (lost,)), wishes())
    assert "$ ssh -p 2222 ops@10.0.0.1 true" in capsys.readouterr().err


def test_where_every_host_is_right_the_report_alone_says_so(capsys):
    assert _goes_on(Plan(STACK, {}, "", (plan(),)), wishes())
    assert capsys.readouterr().err == ""


def test_who_breaks_off_while_hosts_are_read_is_told_that_nothing_was_changed(capsys, monkeypatch):
    def interrupted(*_given):
        raise KeyboardInterrupt

    monkeypatch.setattr(provision_plan, "_surveyed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        provision_hosts(Call("a,", STACK), wishes())
    assert "Nothing was changed." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("host", "login"),
    [
        (Target("node1", "node1"), "node1"),
        (Target("node1", "10.0.0.1", port=2222, user="ops"), "-p 2222 ops@10.0.0.1"),
        (Target("node1", "10.0.0.1", key="/k e/y"), "-i '/k e/y' 10.0.0.1"),
        (Target("node1", "10.0.0.1", options=(("proxyjump", "gate"),)), "-o proxyjump=gate 10.0.0.1"),
    ],
)
def test_the_command_that_tries_a_host_logs_in_as_the_inventory_says(host, login):
    assert login_of(host) == login
    (blocker,) = not_reached(Surveyed("node1", error="no route", login=login_of(host))).blockers
    assert blocker.fix.commands == (f"ssh {login} true",)
