"""Inventories that are read without Ansible: as Ansible reads them, or not at all."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from npudoctor.collect import ansible
from npudoctor.collect.ansible import read_with_ansible
from npudoctor.collect.static_inventory import read_static

WANTED = (*ansible._WANTED, *ansible._OLDER.values())
with_ansible = pytest.mark.skipif(
    not (shutil.which("ansible") or Path(sys.executable).with_name("ansible").exists()),
    reason="Ansible is not on this machine",
)
STATIC = {
    "lines.ini": "b\na ansible_port=22 ansible_user=ops\n\n; nobody\n# else\n10.0.0.7\n",
    "groups.ini": """
last
[npu]
node2 ansible_host=10.0.0.2
node1 ansible_ssh_host=10.0.0.1 ansible_become=yes
[rest]
node3 ansible_port=0x16
node1
[npu:vars]
ansible_user = ops
rack=7
[all:vars]
ansible_ssh_port=2222
""",
    "group.yml": """
npu:
  hosts:
    n2: {ansible_host: 10.0.0.2}
    n1:
  vars: {ansible_port: 2200, ansible_user: root, ansible_ssh_common_args: '-F none -o Port=3'}
""",
    "named.yml": """
npu:
  hosts: {n1: {hccn_netmask: , hccn_gateway: '', other: }, n2: {hccn_netmask: 1, rack: r}, n3: {hccn_tls: }}
  vars: {hccn_tls: enable, hccn_netdetect: ''}
""",
    "tree.yaml": """
all:
  vars: {ansible_user: ops, disks: [a, b]}
  hosts: {lone: {ansible_become: true}}
  children:
    npu:
      hosts: {n1: {ansible_user: root}, n2: {ansible_host: null}}
      vars: {ansible_port: "22"}
    cpu:
      children: {old: {hosts: {c1: {}}}}
""",
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A folder without settings of Ansible."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in list(ansible.os.environ):
        if name.startswith("ANSIBLE_"):
            monkeypatch.delenv(name)


@with_ansible
@pytest.mark.parametrize("name", STATIC)
def test_ansible_reads_the_same(tmp_path, name, monkeypatch):
    path = tmp_path / name
    path.write_text(STATIC[name])
    assert read_static(path, WANTED)
    ours = read_with_ansible(path, "all", False, ours=("hccn_", "rack"))
    monkeypatch.setattr(ansible, "read_static", lambda _path, _wanted: None)
    assert ours == read_with_ansible(path, "all", False, ours=("hccn_", "rack"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hosts.ini", "node[1:3]\n"),
        ("hosts.ini", "node1:2222\n"),
        ("hosts.ini", "localhost\n"),
        ("hosts.ini", "node1 ansible_user='a b'\n"),
        ("hosts.ini", "node1 ansible_user=a#b\n"),
        ("hosts.ini", "node1 ansible_port=1.5\n"),
        ("hosts.ini", "[npu:children]\ncpu\n"),
        ("hosts.ini", "[npu:vars]\nansible_port=1\n"),
        ("hosts.ini", "[npu\nnode1\n"),
        ("hosts.ini", "[a]\nn\n[b]\nn\n[a:vars]\nansible_port=1\n[b:vars]\nansible_port=2\n"),
        ("hosts.ini", "[a]\nn ansible_port=1\n[b]\nn ansible_port=2\n"),
        ("hosts.ini", "# nobody\n"),
        ("hosts.toml", "[npu.hosts]\n"),
        ("hosts.yml", "plugin: constructed\n"),
        ("hosts.yml", "npu: {hosts: {n1: {ansible_host: '{{ inventory_hostname }}.lan'}}}\n"),
        ("hosts.yml", "npu: {hosts: {n1: {ansible_password: !vault x}}}\n"),
        ("hosts.yml", "npu: {hosts: [n1]}\n"),
        ("hosts.yml", "npu: {hosts: {'n[1:2]': }}\n"),
        ("hosts.yml", "npu: {hosts: {n1: {ansible_user: [a]}}}\n"),
        ("hosts.yml", "npu: {hosts: {n1: }, vars: {ansible_group_priority: 2}}\n"),
        ("hosts.yml", "a: {children: {c: {hosts: {n1: }}}}\nb: {children: {c: {}}}\n"),
        ("hosts.yml", "npu: {hosts: [\n"),
        ("hosts.yml", "npu: {hosts: {n1: }, children: {n1: {hosts: {n2: }}}}\n"),
        ("hosts.yml", "npu: {hosts: {n1: }, children: {all: {hosts: {n2: }}}}\n"),
        ("hosts.ini", "[ungrouped:vars]\nansible_port=1\n[all]\nn1\n"),
    ],
)
def test_what_only_ansible_understands_is_left_to_it(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_static(tmp_path / name, WANTED) is None


@pytest.mark.parametrize("there", ["ansible.cfg", ".ansible.cfg", "group_vars", "host_vars"])
def test_settings_of_ansible_have_their_say(tmp_path, there):
    path = tmp_path / "hosts"
    path.write_text("node1\n")
    assert read_static(path, WANTED) == {"node1": {}}
    (tmp_path / there).mkdir()
    assert read_static(path, WANTED) is None


def test_so_have_its_variables(tmp_path, monkeypatch):
    (tmp_path / "hosts").write_text("node1\n")
    monkeypatch.setenv("ANSIBLE_INVENTORY_ENABLED", "script")
    assert read_static(tmp_path / "hosts", WANTED) is None


def test_a_script_is_run_by_ansible_and_not_read(tmp_path):
    (tmp_path / "hosts").write_text("node1\n")
    (tmp_path / "hosts").chmod(0o755)
    assert read_static(tmp_path / "hosts", WANTED) is None
    assert read_static(tmp_path, WANTED) is None
