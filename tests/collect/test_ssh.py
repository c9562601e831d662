"""A host is read through a real sshd; whatever stands in the way is said in one sentence."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import sys
import time

import pytest

from npudoctor.collect.bundle import read_bundle
from npudoctor.collect.connect import Connection
from npudoctor.collect.inventory import Become, Target
from npudoctor.collect.script import render
from npudoctor.collect.snapshot import CLOCK
from npudoctor.collect.ssh import read_ssh
from npudoctor.collect.ssh_config import SshConfig
from npudoctor.collect.write import write_bundle
from npudoctor.errors import IncompleteError
from tests.lab import bastion
from tests.lab.host import LAB
from tests.lab.sshd import make_key


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No agent of whoever runs the tests."""
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)


def target_of(host, **said):
    return Target("node1", **{"address": host.address, "port": host.port, **said})


def read(ssh, target, seconds=30.0):
    config = SshConfig(ssh.home, ssh.folder / "no-system")
    connection = Connection(config.route(target), time.monotonic() + seconds)
    return read_ssh(connection, target.name, render(), target.become)


def refusal(ssh, target, seconds=30.0):
    with pytest.raises(IncompleteError) as caught:
        read(ssh, target, seconds)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture(scope="module")
def good(ssh):
    return ssh.add("good", npus=2)


@pytest.fixture
def bad(ssh, request):
    """Starts a host with lines of its own in sshd_config."""
    return lambda options="", known=True: ssh.add(
        f"bad{len(ssh.hosts)}", known=known, options=options, npus=1
    )


@pytest.fixture
def config(ssh):
    """Writes `~/.ssh/config` for one test."""
    yield (ssh.ssh / "config").write_text
    (ssh.ssh / "config").unlink(missing_ok=True)


def test_a_host_is_read_as_if_we_were_on_it(ssh, good):
    snapshot = read(ssh, target_of(good))
    assert (snapshot.name, snapshot.source, snapshot.problems) == ("node1", "ssh", ())
    assert "910B3" in snapshot.command("npu-smi info").value
    assert snapshot.command("npu-smi info -t board -i 1").known


def test_our_clock_is_noted_beside_the_hosts_and_goes_into_its_bundle(ssh, good, tmp_path):
    write_bundle(read(ssh, target_of(good)), tmp_path / "node1.tgz")
    snapshot = read_bundle(tmp_path / "node1.tgz")
    before, after, reader = snapshot.command(CLOCK).value.split()
    assert float(before) <= int(snapshot.command("date +%s").value) + 1
    assert int(snapshot.command("date +%s").value) <= float(after)
    assert len(reader) == 12


def test_nothing_is_left_open_or_running(ssh, good):
    before = len(os.listdir("/proc/self/fd"))
    for _round in range(3):
        read(ssh, target_of(good))
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_the_command_that_mends_an_unknown_key_mends_it(ssh, bad):
    host = bad(known=False)
    said = refusal(ssh, target_of(host))
    assert "its host key is not known: ssh-ed25519 SHA256:" in said
    command = said.partition("if that is its key: ")[2]
    subprocess.run(
        command, shell=True, env={**os.environ, "HOME": str(ssh.home)}, check=True, stderr=subprocess.DEVNULL
    )
    assert read(ssh, target_of(host)).problems == ()


@pytest.mark.parametrize("file", ["~/.ssh/of_the_lab", "{folder}/of_the_lab", "/dev/null"])
def test_a_changed_key_is_mended_in_the_file_that_is_read(ssh, bad, config, tmp_path, file):
    host = bad(known=False)
    config(f'Host *\n  UserKnownHostsFile "{file.format(folder=tmp_path)}"\n')
    read_from = (ssh.ssh / "of_the_lab", tmp_path / "of_the_lab", ssh.ssh / "known_hosts")
    place = f"[{host.address}]:{host.port}"
    for number, path in enumerate(read_from):
        with path.open("a") as lines:
            lines.write(f"{place} {stranger(tmp_path / f'old{number}')}\n")
    said = refusal(ssh, target_of(host))
    mend(ssh, said.partition("set up anew: ")[2])
    assert read(ssh, target_of(host)).problems == ()


def test_a_key_behind_another_host_is_asked_for_from_there(ssh, good, bad):
    host = bad(known=False)
    jump = f"{getpass.getuser()}@{good.address}:{good.port}"
    said = refusal(ssh, target_of(host, options=(("proxyjump", jump),)))
    place = f"{getpass.getuser()}@{good.address} -p {good.port}"
    assert said.endswith(f": ssh {place} ssh-keyscan -p {host.port} {host.address} >> ~/.ssh/known_hosts")


def test_a_key_behind_a_command_is_asked_for_through_it(ssh, bad):
    host = bad(known=False)
    said = refusal(
        ssh, target_of(host, options=(("proxycommand", f"{sys.executable} {bastion.__file__} %h %p"),))
    )
    assert "ssh -o 'ProxyCommand=" in said
    assert said.endswith(
        f" -o StrictHostKeyChecking=ask {getpass.getuser()}@{host.address} -p {host.port} true"
    )


def stranger(file):
    """A public key that no host has."""
    make_key(file)
    return " ".join(file.with_suffix(".pub").read_text().split()[:2])


def mend(ssh, command):
    """Type a command as the person who reads the hosts."""
    # The shell takes the home from HOME, ssh-keygen -R from the user's entry: it is told the file.
    usual = f"ssh-keygen -f {ssh.ssh}/known_hosts -R"
    command = command if " -f " in command else command.replace("ssh-keygen -R", usual)
    environment = {**os.environ, "HOME": str(ssh.home)}
    subprocess.run(command, shell=True, env=environment, check=True, capture_output=True)


def test_a_changed_key_is_a_verdict_and_nothing_is_sent(ssh, bad, tmp_path):
    host = bad(known=False)
    make_key(tmp_path / "old")
    ssh.know(host, " ".join((tmp_path / "old.pub").read_text().split()[:2]))
    said = refusal(ssh, target_of(host, password="secret"))
    assert f"ssh-keygen -R '[{host.address}]:{host.port}'; ssh-keyscan" in said
    assert not (host.lab.folder / "calls").exists()


def test_a_key_of_another_kind_in_known_hosts_does_not_hide_the_one_that_is_there(ssh, bad):
    host = bad(known=False)
    ssh.know(host, "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ==")
    ssh.know(host)
    assert read(ssh, target_of(host)).problems == ()


def test_a_key_that_is_not_let_in_says_how_to_give_another(ssh, good, tmp_path):
    make_key(tmp_path / "stranger")
    said = refusal(ssh, target_of(good, key=str(tmp_path / "stranger")))
    assert f"{getpass.getuser()} is not let in" in said
    assert "--ask-pass" in said


def test_a_key_with_a_passphrase_belongs_into_the_agent(ssh, good, tmp_path):
    make_key(tmp_path / "locked", "a passphrase")
    assert f"type: ssh-add {tmp_path}/locked" in refusal(ssh, target_of(good, key=str(tmp_path / "locked")))


def test_a_key_file_that_is_not_there_is_named(ssh, good):
    assert "/no/such/key cannot be read" in refusal(ssh, target_of(good, key="/no/such/key"))


def test_a_key_of_the_agent_is_let_in(ssh, good, tmp_path, monkeypatch):
    if not shutil.which("ssh-agent"):
        pytest.skip("ssh-agent is not on this machine")
    agent = subprocess.Popen(
        ["ssh-agent", "-D", "-a", tmp_path / "agent"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL
    )
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
    try:
        while not (tmp_path / "agent").exists():
            time.sleep(0.01)
        shutil.copy(ssh.ssh / "id_ed25519", tmp_path / "key")
        subprocess.run(["ssh-add", "-q", tmp_path / "key"], check=True)
        make_key(tmp_path / "stranger")
        assert read(ssh, target_of(good, key=str(tmp_path / "stranger"))).problems == ()
    finally:
        agent.terminate()
        agent.wait(10)


def test_a_port_where_nothing_listens_is_refused(ssh, good):
    assert "connection refused" in refusal(ssh, target_of(good, port=1))


def test_a_name_that_nobody_knows_is_said(ssh):
    assert "its name is not known" in refusal(ssh, Target("x", "no-such-host.invalid"))


def test_a_host_that_accepts_and_says_nothing_is_given_up_in_time(ssh):
    with bastion.impostor("127.0.1.99") as port:
        begin = time.monotonic()
        said = refusal(ssh, Target("x", "127.0.1.99", port), seconds=1.0)
        assert "no answer in time" in said or "no SSH server" in said
        assert time.monotonic() - begin < 3


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n" * 200, bytes(range(256)) * 400])
def test_what_is_no_ssh_server_is_said(ssh, greeting):
    with bastion.impostor("127.0.1.99", greeting) as port:
        assert "127.0.1.99 port" in refusal(ssh, Target("x", "127.0.1.99", port), seconds=3.0)


def test_nonsense_in_the_place_of_the_key_exchange_is_a_verdict(ssh):
    with bastion.impostor(
        "127.0.1.99", b"SSH-2.0-x\r\n" + b"\x00\x00\x00\x14\x04" + b"\x14\xff" * 400
    ) as port:
        assert "127.0.1.99 port" in refusal(ssh, Target("x", "127.0.1.99", port), seconds=3.0)


@pytest.mark.parametrize(
    ("greeting", "said"),
    [
        (b"SSH-1.5-x\r\n", "it speaks an old SSH only, version 1; update its SSH server"),
        (b"SSH-2.0-x\r\n" + b"\x00\x00\x00\x15\x04" + b"\x14\xff" * 400, "garbled on the way"),
    ],
)
def test_what_is_wrong_with_another_ssh_is_told_in_plain_words(ssh, greeting, said):
    with bastion.impostor("127.0.1.99", greeting) as port:
        assert said in refusal(ssh, Target("x", "127.0.1.99", port), seconds=3.0)


def test_a_server_with_old_ciphers_only_is_told_as_such(ssh, bad):
    said = refusal(ssh, target_of(bad("Ciphers chacha20-poly1305@openssh.com\n")))
    assert "methods of encryption" in said


def test_a_login_that_hangs_is_given_up_in_time(ssh, bad):
    begin = time.monotonic()
    assert "no answer in time" in refusal(ssh, target_of(bad("ForceCommand exec sleep 20\n")), seconds=2.0)
    assert time.monotonic() - begin < 4


def test_a_host_that_dies_in_the_middle_gives_what_had_come(ssh, bad):
    host = bad("ForceCommand sh -c '/bin/sh -s | head -c 40000; sleep 0.5; kill -9 $PPID'\n")
    snapshot = read(ssh, target_of(host))
    assert snapshot.problems == ("the stream is cut off",)
    assert snapshot.entries


def test_banners_and_noise_before_the_stream_are_passed_over(ssh, bad, tmp_path):
    (tmp_path / "banner").write_bytes("Authorised use only · 授权\n".encode() * 50)
    noise = "ForceCommand head -c 30000 /dev/urandom; head -c 30000 /dev/urandom >&2; exec /bin/sh -s\n"
    snapshot = read(ssh, target_of(bad(f"Banner {tmp_path}/banner\n{noise}")))
    assert snapshot.problems == ()
    assert "910B3" in snapshot.command("npu-smi info").value


def test_a_host_that_only_makes_noise_is_given_up_in_time(ssh, bad):
    host = bad("ForceCommand exec cat /dev/zero >&2\n")
    assert "no answer in time" in refusal(ssh, target_of(host), seconds=2.0)


def test_an_account_without_a_shell_is_quoted(ssh, bad):
    host = bad("ForceCommand echo 'This account is currently not available.'; exit 1\n")
    assert "no shell takes the script: This account is currently not available." in refusal(
        ssh, target_of(host)
    )


def test_a_server_that_refuses_sessions_is_a_verdict(ssh, bad):
    host = bad("MaxSessions 0\n")
    said = refusal(ssh, target_of(host))
    assert said.startswith(f"{host.address} port {host.port}: it lets us in, but opens no session")


def test_a_full_disk_is_quoted(ssh, bad):
    host = bad("ForceCommand echo '/bin/sh: cannot create temp file: No space left on device' >&2; exit 2\n")
    assert "No space left on device" in refusal(ssh, target_of(host))


def test_the_configuration_of_ssh_says_how_a_host_is_reached(ssh, good, config, tmp_path):
    shutil.copy(ssh.ssh / "id_ed25519", tmp_path / "mine")
    (ssh.ssh / "more").write_text(f"Host a2-*\n  IdentityFile {tmp_path}/mine\n  Port {good.port}\n")
    config(
        f"Include more\nHost a2-one\n  HostName {good.address}\n"
        f"  User {getpass.getuser()}\nHost *\n  Port 1\n"
    )
    assert read(ssh, Target("a2-one", "a2-one")).problems == ()


def test_a_host_is_reached_through_another(ssh, good, bad, config):
    between = bad()
    config(
        f"Host inner\n  HostName {good.address}\n  Port {good.port}\n  ProxyJump b\n"
        f"Host b\n  HostName {between.address}\n  Port {between.port}\n"
    )
    assert read(ssh, Target("inner", "inner")).problems == ()
    between.stop()
    assert f"{between.address} port {between.port}: connection refused" in refusal(ssh, Target("x", "inner"))


def test_a_jump_that_leads_nowhere_names_who_stands_between(ssh, good):
    jump = (("proxyjump", f"{good.address}:{good.port}"),)
    said = refusal(ssh, Target("x", "127.0.1.98", 1, options=jump))
    assert f"{good.address} does not let us through to 127.0.1.98 port 1" in said


def test_jumps_in_a_circle_are_said(ssh, config):
    config("Host a\n  ProxyJump b\nHost b\n  ProxyJump a\n")
    assert "leads in a circle" in refusal(ssh, Target("a", "a"))


def test_a_command_stands_in_for_the_connection(ssh, good, config):
    config(f"Host *\n  ProxyCommand {sys.executable} {bastion.__file__} %h %p\n")
    assert read(ssh, target_of(good)).problems == ()


def test_a_proxy_command_that_fails_is_a_verdict(ssh, good, config):
    config("Host *\n  ProxyCommand /bin/false\n")
    assert refusal(ssh, target_of(good), seconds=3.0)
    config("Host *\n  ProxyCommand /no/such/program\n")
    assert refusal(ssh, target_of(good), seconds=3.0)


@pytest.fixture(scope="module")
def sudo(ssh):
    """A host with sudo, which wants the password that is written to `sudo_password`."""
    host = ssh.add("sudo", npus=1)
    shutil.copy(LAB / "fake_sudo.sh", host.lab.folder / "bin" / "sudo")
    (host.lab.folder / "bin" / "sudo").chmod(0o755)
    return host


@pytest.mark.parametrize("wanted", ["", "s3cret"])
@pytest.mark.parametrize("given", [None, "s3cret", "wrong"])
def test_sudo_is_answered_when_it_asks_and_only_then(ssh, sudo, wanted, given):
    (sudo.lab.folder / "sudo_password").write_text(wanted + "\n")
    target = target_of(sudo, become=Become("admin", given))
    if wanted and given is None:
        assert "sudo wants a password; give --ask-become-pass" in refusal(ssh, target)
    elif wanted and given != wanted:
        assert "sudo does not take the password" in refusal(ssh, target)
    else:
        snapshot = read(ssh, target)
        assert snapshot.problems == ()
        assert "SUDO_USER=admin" in snapshot.entry("environment").text
        assert not [path for path, entry in snapshot.entries.items() if b"s3cret" in entry.stdout]


def test_another_way_to_become_is_refused_before_anything_runs(ssh, good):
    assert "only sudo is known" in refusal(ssh, target_of(good, become=Become("root", None, "su")))


def test_a_host_without_sudo_is_quoted(ssh, good):
    if shutil.which("sudo"):
        pytest.skip("this machine has sudo")
    assert "sudo" in refusal(ssh, target_of(good, become=Become()))


def test_an_authority_alone_is_no_key_and_that_is_said(ssh, bad):
    host = bad(known=False)
    with (ssh.ssh / "known_hosts").open("a") as file:
        file.write(f"@cert-authority [{host.address}]:{host.port} {host.public_key}\n")
    said = refusal(ssh, target_of(host))
    assert "only an authority is known of it" in said
    assert "ssh-keyscan" in said


def test_a_revoked_key_is_never_taken(ssh, bad):
    host = bad()
    with (ssh.ssh / "known_hosts").open("a") as file:
        file.write(f"@revoked * {host.public_key}\n")
    assert "its host key is revoked" in refusal(ssh, target_of(host))


def test_a_host_is_known_by_its_alias(ssh, bad):
    host = bad(known=False)
    target = target_of(host, options=(("hostkeyalias", "Rack7"),))
    assert "ssh-keyscan" in refusal(ssh, target)
    assert "| sed s/^[^ ]*/rack7/ >>" in refusal(ssh, target).replace("'", "")
    with (ssh.ssh / "known_hosts").open("a") as file:
        file.write(f"rack7 {host.public_key}\n")
    assert read(ssh, target).problems == ()


def test_a_key_of_the_arguments_for_ssh_is_taken(ssh, good):
    assert "/no/such/key cannot be read" in refusal(
        ssh, target_of(good, options=(("identityfile", "/no/such/key"),))
    )


def test_a_server_that_hangs_up_on_callers_is_called_again(ssh, bad):
    host = bad("MaxStartups 1:100:1\nLoginGraceTime 3\n")
    with socket.create_connection(
        (host.address, host.port)
    ):  # takes the only place until the grace time is over
        assert read(ssh, target_of(host)).problems == ()


def test_a_host_that_hangs_in_the_middle_gives_what_had_come(ssh, bad):
    host = bad("ForceCommand sh -c '/bin/sh -s | head -c 40000; sleep 30'\n")
    snapshot = read(ssh, target_of(host), seconds=4.0)
    assert snapshot.problems == ("the stream is cut off",)
    assert snapshot.entries


def test_noise_behind_the_stream_is_passed_over(ssh, bad):
    host = bad("ForceCommand /bin/sh -s; head -c 300000 /dev/urandom; head -c 300000 /dev/urandom >&2\n")
    assert read(ssh, target_of(host)).problems == ()


@pytest.mark.parametrize("command", ["/bin/false", "internal-sftp", "cat", "sh -c 'cat >/dev/null'"])
def test_what_is_no_shell_is_a_verdict(ssh, bad, command):
    assert refusal(ssh, target_of(bad(f"ForceCommand {command}\n")), seconds=4.0)


@pytest.mark.parametrize(
    "variables", ["LC_ALL=tlh_KX.UTF-8", "LANG=zh_CN.GB18030", "IFS=x", "POSIXLY_CORRECT=1"]
)
def test_a_strange_environment_changes_nothing(ssh, bad, variables):
    host = bad()
    host.stop()
    config = host.lab.folder / "sshd_config"
    ssh.start(host, f"SetEnv PATH={host.lab.variables['PATH']} {variables}\n")
    assert variables in config.read_text()
    snapshot = read(ssh, target_of(host))
    assert snapshot.problems == ()
    assert "910B3" in snapshot.command("npu-smi info").value
