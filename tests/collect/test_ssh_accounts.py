"""Accounts of a real host: login shells, start-up files, and sudo as it is delivered."""

from __future__ import annotations

import time

import pytest

from npudoctor.collect.connect import Connection
from npudoctor.collect.inventory import Become, Target
from npudoctor.collect.script import render
from npudoctor.collect.ssh import read_ssh
from npudoctor.collect.ssh_config import SshConfig
from npudoctor.errors import IncompleteError
from tests.lab.image import why_not
from tests.lab.machines import docker, machine_lab

ACCOUNTS = """
set -e
account() { useradd -m -s "$2" "$1"; echo "$1:s3cret" | chpasswd; }
account plain /bin/bash
account csh /bin/tcsh
account nologin /usr/sbin/nologin
account false /bin/false
account gone /no/such/shell
account noisy /bin/bash
echo 'echo hello; echo an error >&2; stty erase x' | tee /home/noisy/.bashrc >/home/noisy/.profile
account hungry /bin/bash
echo 'cat >/dev/null' >/home/hungry/.bashrc
account free /bin/csh
account ttyless /bin/bash
{
  echo 'plain ALL=(ALL) ALL'
  echo 'noisy ALL=(ALL) NOPASSWD: ALL'
  echo 'free ALL=(ALL) NOPASSWD: ALL'
  echo 'Defaults:ttyless requiretty'
  echo 'ttyless ALL=(ALL) NOPASSWD: ALL'
} >/etc/sudoers.d/lab
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    with machine_lab(tmp_path_factory.mktemp("machines")) as lab:
        lab.boot(["node1"], npus=1)
        docker("exec", lab.hosts["node1"].container, "sh", "-c", ACCOUNTS)
        yield lab


@pytest.fixture
def read(machine, monkeypatch):
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)

    def run(user, become=None, seconds=30.0):
        host = machine.hosts["node1"]
        target = Target("node1", host.address, host.port, user, become=become)
        config = SshConfig(machine.home, machine.folder / "no-system")
        return read_ssh(
            Connection(config.route(target), time.monotonic() + seconds), "node1", render(), become
        )

    return run


@pytest.mark.parametrize("user", ["plain", "csh", "noisy"])
def test_any_login_shell_that_runs_commands_will_do(read, user):
    snapshot = read(user)
    assert snapshot.problems == ()
    assert f"({user})" in snapshot.command("id").value
    assert "910B3" in snapshot.command("npu-smi info").value


@pytest.mark.parametrize("user", ["nologin", "false", "gone", "hungry"])
def test_an_account_that_gives_no_shell_is_a_verdict(read, user):
    with pytest.raises(IncompleteError) as caught:
        read(user, seconds=5.0)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("user", "password"), [("plain", "s3cret"), ("noisy", None), ("free", None), ("free", "x")]
)
def test_sudo_is_passed(read, user, password):
    snapshot = read(user, Become("root", password))
    assert snapshot.problems == ()
    assert snapshot.command("id").value.startswith("uid=0(root)")


@pytest.mark.parametrize(
    ("user", "password", "said"),
    [
        ("plain", None, "sudo wants a password; give --ask-become-pass"),
        ("plain", "wrong", "sudo does not take the password"),
        ("csh", "s3cret", "csh is not in the sudoers file"),
        ("ttyless", None, "you must have a tty to run sudo"),
        ("nologin", None, "no shell takes the script"),
    ],
)
def test_why_sudo_says_no_is_told(read, user, password, said):
    with pytest.raises(IncompleteError) as caught:
        read(user, Become("root", password), seconds=15.0)
    assert said in str(caught.value)
