"""What has to hold on this machine before hosts are read for a plan."""

from __future__ import annotations

import pytest

from npudoctor.cli import provision_plan
from npudoctor.cli.provision_plan import check_logins
from npudoctor.collect.inventory import Target
from npudoctor.errors import UsageError
from npudoctor.provision.plan.controller import controller_of

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
