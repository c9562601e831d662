"""Hosts out of a comma list, and out of inventories as Ansible reads them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from npudoctor.collect import ansible
from npudoctor.collect.inventory import Become, Target, read_inventory
from npudoctor.errors import UsageError

with_ansible = pytest.mark.skipif(
    not (shutil.which("ansible") or Path(sys.executable).with_name("ansible").exists()),
    reason="Ansible is not on this machine",
)


def names(text, limit=None):
    return [target.name for target in read_inventory(str(text), limit)]


def inventory_file(folder, text, name="hosts.ini"):
    (folder / name).write_text(text)
    return folder / name


def test_a_comma_list_names_hosts_once_each_and_in_order():
    assert names("b,a,,b, c ,") == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("word", "user", "address", "port"),
    [
        ("node1", None, "node1", None),
        ("ops@node1:2222", "ops", "node1", 2222),
        ("10.0.0.7", None, "10.0.0.7", None),
        ("fd00::1", None, "fd00::1", None),
        ("[fd00::1]:22", None, "fd00::1", 22),
    ],
)
def test_a_word_of_a_list_may_name_user_and_port(word, user, address, port):
    assert read_inventory(word + ",") == [Target(word, address, port, user)]


@pytest.mark.parametrize(
    ("limit", "left"),
    [
        ("node*", ["node1", "node2"]),
        ("!node1", ["node2", "gpu1"]),
        ("all:!gpu*", ["node1", "node2"]),
        ("node1,gpu1", ["node1", "gpu1"]),
        ("*1:&node*", ["node1"]),
    ],
)
def test_limit_chooses_from_a_comma_list(limit, left):
    assert names("node1,node2,gpu1", limit) == left


def test_a_part_of_the_limit_that_matches_no_host_of_a_list_is_told():
    told = []
    found = read_inventory("node1,node2,", "node1,typo:!gpu*:&node*", unmatched=told.append)
    assert [target.name for target in found] == ["node1"]
    assert told == ["typo", "gpu*"]


@with_ansible
def test_a_part_of_the_limit_that_matches_no_host_of_an_inventory_is_told(tmp_path):
    told = []
    path = inventory_file(tmp_path, "[npu]\nnode1\nnode2\n")
    found = read_inventory(str(path), "node1,typo,typo", unmatched=told.append)
    assert ([target.name for target in found], told) == (["node1"], ["typo"])


@with_ansible
def test_a_template_that_names_nothing_is_known_and_never_the_default(tmp_path):
    text = """
a ansible_user="{{ nosuch }}" ansible_ssh_pass="{{ nosuch }}"
b ansible_user="{{ there }}" there=ops
c ansible_user="{{ nosuch | default('me') }}"
"""
    a, b, c = read_inventory(str(inventory_file(tmp_path, text)))
    assert a.undefined == ("ansible_user", "ansible_ssh_pass")
    assert (b.user, b.undefined) == ("ops", ())
    assert (c.user, c.undefined) == ("me", ())


def test_a_limit_that_leaves_nothing_is_wrong_usage():
    with pytest.raises(UsageError, match="no host is named"):
        names("node1,", "gpu*")


def test_a_single_name_without_a_comma_is_told_apart_from_a_missing_file():
    with pytest.raises(UsageError, match="or a list with a comma: node1,"):
        names("node1")


def test_an_inventory_without_ansible_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(ansible.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"npudoctor\[fleet\]"):
        names(inventory_file(tmp_path, "node[1:2]\n"))


@with_ansible
def test_an_ini_inventory_is_read_with_ranges_groups_and_variables(tmp_path):
    path = inventory_file(
        tmp_path,
        """
[npu]
node[01:02] ansible_port=2222 ansible_user=ops
lone ansible_host=10.0.0.9 ansible_ssh_private_key_file=/keys/lone
[cpu]
other
[site:children]
npu
[npu:vars]
ansible_become=true
ansible_become_user=admin
""",
    )
    first, second, lone = read_inventory(str(path), "site")
    assert first == Target("node01", "node01", 2222, "ops", become=Become("admin"))
    assert second.name == "node02"
    assert (lone.address, lone.port, lone.key) == ("10.0.0.9", None, "/keys/lone")


@with_ansible
def test_a_yaml_inventory_and_its_folders_of_variables_are_read(tmp_path):
    text = "npu:\n  hosts:\n    a: {ansible_ssh_host: 10.0.0.1}\n    b:\n  vars: {ansible_connection: ssh}\n"
    path = inventory_file(tmp_path, text, "hosts.yml")
    for folder, name, line in (
        ("group_vars", "npu", "ansible_user: ops"),
        ("host_vars", "b", "ansible_port: 23"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}.yml").write_text(line + "\n")
    assert read_inventory(str(path)) == [Target("a", "10.0.0.1", user="ops"), Target("b", "b", 23, "ops")]


@with_ansible
def test_a_folder_and_an_executable_script_are_inventories_too(tmp_path):
    script = tmp_path / "cloud"
    script.write_text("""#!/bin/sh
echo '{"npu": {"hosts": ["n1"]}, "_meta": {"hostvars": {"n1": {"ansible_host": "10.1.1.1"}}}}'
""")
    script.chmod(0o755)
    inventory_file(tmp_path, "[cpu]\nc1\n")
    assert read_inventory(str(script)) == [Target("n1", "10.1.1.1")]
    assert names(tmp_path, "npu:cpu") == ["n1", "c1"]
    assert names(tmp_path, "~c.") == ["c1"]


@with_ansible
def test_vaulted_values_are_opened_also_behind_a_template(tmp_path, monkeypatch):
    (tmp_path / "key").write_text("open sesame\n")
    vault = Path(sys.executable).with_name("ansible-vault")
    sealed = subprocess.run(
        [vault, "encrypt_string", "--vault-password-file", tmp_path / "key", "--name", "sealed", "q\"'{u}\\"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    text = 'all:\n  hosts:\n    a: {ansible_become: true, ansible_become_pass: "{{ sealed }}"}\n'
    path = inventory_file(tmp_path, text, "hosts.yml")
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars" / "all.yml").write_text(sealed)
    with pytest.raises(UsageError, match="ANSIBLE_VAULT_PASSWORD_FILE"):
        read_inventory(str(path))
    (typed,) = read_inventory(str(path), vault="open sesame")
    assert typed.become == Become("root", "q\"'{u}\\")
    with pytest.raises(UsageError, match="ANSIBLE_VAULT_PASSWORD_FILE"):
        read_inventory(str(path), vault="open says me")
    monkeypatch.setenv("ANSIBLE_VAULT_PASSWORD_FILE", str(tmp_path / "key"))
    assert read_inventory(str(path)) == [typed]


@with_ansible
def test_a_bastion_in_the_arguments_for_ssh_is_seen(tmp_path):
    line = (
        """a ansible_ssh_common_args='-o ProxyCommand="ssh -W %h:%p bastion" -J b1,b2 -o ForwardAgent=no'\n"""
    )
    (target,) = read_inventory(str(inventory_file(tmp_path, line)))
    assert dict(target.options) == {
        "proxycommand": "ssh -W %h:%p bastion",
        "proxyjump": "b1,b2",
        "forwardagent": "no",
    }


@with_ansible
@pytest.mark.parametrize("text", ["[npu\nnode1\n", "npu:\n  hosts: [\n"])
def test_a_broken_inventory_is_one_line(tmp_path, text):
    with pytest.raises(UsageError, match=r"hosts\.ini") as caught:
        names(inventory_file(tmp_path, text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("node[1:3],", ["node1", "node2", "node3"]),
        ("node[08:10],x", ["node08", "node09", "node10", "x"]),
        ("n[0:4:2],", ["n0", "n2", "n4"]),
        ("rack[a:b]-[1:2],", ["racka-1", "racka-2", "rackb-1", "rackb-2"]),
        ("[fd00::1]:22,", ["[fd00::1]:22"]),
    ],
)
def test_ranges_of_a_list_are_written_out(text, names):
    assert [target.name for target in read_inventory(text)] == names


def test_a_variable_that_was_empty_does_not_name_the_folder_one_stands_in(tmp_path, monkeypatch):
    inventory_file(tmp_path, "node1\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no host is named"):
        names("")


def test_a_range_that_names_nobody_is_refused():
    with pytest.raises(UsageError, match="is no range"):
        read_inventory("node[9:1],")


def test_a_file_can_say_which_hosts(tmp_path):
    (tmp_path / "some").write_text("# failed yesterday\nb\n\nc\n")
    targets = read_inventory("a,b,c,d", f"@{tmp_path}/some")
    assert [target.name for target in targets] == ["b", "c"]


@pytest.mark.parametrize("text", [None, "# nobody\n"])
def test_a_file_of_hosts_that_names_none_is_refused(tmp_path, text):
    if text:
        (tmp_path / "some").write_text(text)
    with pytest.raises(UsageError, match="--limit @"):
        read_inventory("a,b,", f"@{tmp_path}/some")


def test_a_connection_that_is_not_ssh(tmp_path):
    path = tmp_path / "hosts.ini"
    path.write_text(
        "here ansible_connection=local\nthere ansible_ssh_extra_args='-i /k -l me -o HostKeyAlias=x'\n"
    )
    here, there = read_inventory(str(path))
    assert here.local
    assert dict(there.options) == {"identityfile": "/k", "user": "me", "hostkeyalias": "x"}
    path.write_text("window ansible_connection=winrm\n")
    with pytest.raises(UsageError, match="winrm: only ssh and local are known; leave it out"):
        read_inventory(str(path))


@with_ansible
@pytest.mark.parametrize("value", ["rack1", "'{{ inventory_hostname }}'"], ids=["plain", "a template"])
def test_names_of_variables_are_read_where_they_are_asked_for(tmp_path, value):
    text = f"npu: {{vars: {{hccn_tls: , rack: {value}}}, hosts: {{a: {{hccn_netmaks: ''}}}}}}\n"
    path = str(inventory_file(tmp_path, text, "hosts.yml"))
    (host,) = read_inventory(path, ours=("hccn_",))
    assert {"rack", "hccn_tls", "hccn_netmaks"} <= {*host.variables}
    assert {("hccn_tls", None), ("hccn_netmaks", "")} <= {*host.empty}
    assert read_inventory(path)[0].variables == ()


@with_ansible
def test_names_that_are_said_to_be_right_are_not_among_them(tmp_path):
    text = "npu: {hosts: {a: {hccn_netmaks: 1, npudoctor_known_variables: [hccn_netmaks]}}}\n"
    (host,) = read_inventory(str(inventory_file(tmp_path, text, "hosts.yml")), ours=("hccn_",))
    assert "hccn_netmaks" not in host.variables


@with_ansible
def test_an_inventory_that_is_broken_is_named_in_the_command_that_looks_at_it(tmp_path):
    path = inventory_file(tmp_path, "all: {hosts: [\n", "my hosts.yml")
    with pytest.raises(UsageError, match=f"see: ansible-inventory -i '{path}' --list"):
        read_inventory(str(path))
