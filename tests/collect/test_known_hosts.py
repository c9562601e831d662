"""`known_hosts` files are read as OpenSSH reads them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from npudoctor.collect.known_hosts import KnownKey, fingerprint, name_in_known_hosts, read_known_hosts

DATA = "AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ"


needs_ssh_keygen = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="ssh-keygen is not on this machine"
)


def key_of(hosts):
    return KnownKey(hosts, "ssh-ed25519", DATA)


@pytest.mark.parametrize(
    ("hosts", "name", "belongs"),
    [
        ("node1", "node1", True),
        ("node1,10.0.0.1", "10.0.0.1", True),
        ("node1", "node10", False),
        ("[node1]:2222", "[node1]:2222", True),
        ("[node1]:2222", "node1", False),
        ("*.lab,!bad.lab", "good.lab", True),
        ("*.lab,!bad.lab", "bad.lab", False),
        ("[node?]:2222", "[node7]:2222", True),
        ("Node1", "node1", True),
        ("|1|nonsense", "node1", False),
    ],
)
def test_a_line_belongs_to_the_hosts_that_it_names(hosts, name, belongs):
    assert key_of(hosts).belongs_to(name) is belongs


@needs_ssh_keygen
def test_a_hashed_name_is_found(tmp_path):
    file = tmp_path / "known_hosts"
    file.write_text(f"[node1]:2222 ssh-ed25519 {DATA}\n")
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", file], check=True, capture_output=True)
    (key,) = read_known_hosts([file])
    assert key.hosts.startswith("|1|")
    assert key.belongs_to("[node1]:2222")
    assert not key.belongs_to("node1")


def test_comments_and_broken_lines_are_no_keys_and_a_marked_one_says_how(tmp_path):
    file = tmp_path / "known_hosts"
    file.write_text(f"# node1 ssh-ed25519 {DATA}\n\n@no-marker * ssh-ed25519 {DATA}\nnode1 short\n")
    assert read_known_hosts([file, tmp_path / "none"]) == ()
    file.write_text(f"@revoked * ssh-ed25519 {DATA} why\n")
    assert read_known_hosts([file]) == (KnownKey("*", "ssh-ed25519", DATA, revoked=True),)
    file.write_text(f"@cert-authority * ssh-ed25519 {DATA}\n")
    assert read_known_hosts([file]) == (KnownKey("*", "ssh-ed25519", DATA, authority=True),)


def test_the_port_is_part_of_the_name_but_for_22():
    assert name_in_known_hosts("Node1", 22) == "node1"
    assert name_in_known_hosts("node1", 2222) == "[node1]:2222"


@needs_ssh_keygen
def test_the_fingerprint_is_that_of_ssh_keygen(tmp_path):
    (tmp_path / "key.pub").write_text(f"ssh-ed25519 {DATA}\n")
    shown = subprocess.run(
        ["ssh-keygen", "-l", "-f", tmp_path / "key.pub"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.split()[1] == fingerprint(DATA)
