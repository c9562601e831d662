"""Names of hosts and people, whoever tells them, become tokens wherever they stand, and nothing else does."""

from __future__ import annotations

import pytest

from npudoctor.collect.redact import redact
from npudoctor.collect.redact.names import Names, any_of
from npudoctor.collect.redact.redactor import Run
from npudoctor.collect.redact.tokens import Tokens, is_token
from npudoctor.collect.snapshot import Entry, Snapshot, snapshot_of

PASSWD = (
    "root:x:0:0::/root:/bin/sh\nsshd:x:105:65534::/run/sshd:/bin/false\nHwHiAiUser:x:1000:1000::/home/x:/b\n"
)


def text_of(text: str, run: Run | None = None, name: str = "node1", **told: object) -> str:
    """What becomes of a log line on a host that is known from other files."""
    files = {"/x.log": text, **told.pop("files", {})}
    return redact(snapshot_of(files, name=name, **told), run).entry("files/x.log").text


@pytest.mark.parametrize(
    "told",
    [
        {"name": "atlas-7"},
        {"files": {"/proc/sys/kernel/hostname": "atlas-7\n"}},
        {"files": {"/etc/hosts": "10.0.0.1 a.example atlas-7\n"}},
        {"commands": {"uname -a": "Linux atlas-7 5.10 aarch64"}},
        {"environment": "HOSTNAME=atlas-7\n"},
        {"commands": {"docker info": " Containers: 1\n Name: atlas-7\n"}},
        {"run": Run(hosts=["atlas-7.corp.example"])},
        {"run": Run(Tokens(None, {"host-00000001": "atlas-7"}))},
    ],
)
def test_a_host_is_known_from_many_sides(told) -> None:
    new = text_of("rank 3 on ATLAS-7: lost, see atlas-7_log and atlas-77", **told)
    token = new.split()[3].rstrip(":")
    assert is_token(token)
    assert new == f"rank 3 on {token}: lost, see {token}_log and atlas-77"


@pytest.mark.parametrize(
    "told",
    [
        {"files": {"/etc/passwd": "carol:x:1001:1001::/home/carol:/bin/sh\n"}},
        {"commands": {"id": "uid=1001(carol) gid=1001(carol)"}},
        {"environment": "USER=carol\n"},
        {"files": {"/home/carol/Ascend/cann/version.cfg": "x"}},
        {"commands": {"ls -l /data": "drwxr-xr-x 2 carol staff 4096 Nov 29 10:00 models\n"}},
        {"run": Run(users=["carol"])},
    ],
)
def test_a_person_is_known_from_many_sides(told) -> None:
    new = text_of("by carol (carol_old), not caroline", **told)
    token = new.split()[1]
    assert is_token(token)
    assert new == f"by {token} ({token}_old), not caroline"


def test_accounts_of_the_system_and_of_the_driver_stay() -> None:
    text = "root sshd HwHiAiUser nobody localhost at /home/HwHiAiUser http://localhost:80 ip6-loopback"
    assert text_of(text, files={"/etc/passwd": PASSWD}) == text


def test_a_user_whose_name_is_a_word_is_replaced_only_where_an_account_stands() -> None:
    passwd = "model:x:1001:1001::/home/model:/bin/sh\n"
    new = text_of("model loaded from /home/model/x", files={"/etc/passwd": passwd})
    assert new.startswith("model loaded from /home/user-")


def test_names_in_chinese_are_replaced_as_others_are() -> None:
    passwd = (
        "zw:x:1001:1001:张伟,研发部,13800000000:/home/zw:/bin/sh\n李小明:x:1002:1002::/home/李小明:/bin/sh\n"
    )
    hosts = "10.0.0.1 存储一号\n"
    new = redact(
        snapshot_of(
            {"/etc/passwd": passwd, "/etc/hosts": hosts, "/x.log": "张伟, 李小明 on 存储一号 /home/王五/x"}
        )
    )
    text = "".join(entry.text for entry in new.entries.values())
    for name in ("张伟", "研发部", "13800000000", "李小明", "存储一号", "王五"):
        assert name not in text


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("environment", "SLURM_SUBMIT_HOST=login7", "login7"),
        ("environment", "SLURM_JOB_NODELIST=gpu-[001-004]", "gpu-[001-004]"),
        ("environment", "https_proxy=proxy7.inner:3128", "proxy7"),
        ("commands/docker_info", " Username: bob7", "bob7"),
        ("commands/docker_info", " ID: 3f2c1a77-aaaa-bbbb-cccc-0123456789ab", "3f2c1a77"),
        ("commands/docker_inspect_a", ' "store7:10.0.0.1",', "store7"),
        ("files/rank.json", '{"server_id": "node7"}', "node7"),
    ],
)
def test_a_name_is_known_by_where_it_stands(path: str, text: str, name: str) -> None:
    (new,) = redact(Snapshot("a", "local", {path: Entry(path, "", text.encode())})).entries.values()
    assert name not in new.text
    assert "-" in new.text


@pytest.mark.parametrize(
    "name",
    [
        *("ascend910", "npu", "npu0", "master", "910b", "localhost"),
        *("ubuntu", "openEuler", "aarch64", "x86", "root", "GNU", "HBM", "pcie", "cann-8.5.0", "vllm-ascend"),
    ],
)
def test_a_host_whose_name_is_a_word_of_the_outputs_does_not_spoil_them(name: str) -> None:
    text = (
        "| 0  Ascend910  npu master 910B npu0 localhost ubuntu aarch64 x86_64 root cann-8.5.0 vllm-ascend |"
    )
    assert text_of(text, name=name) == text


def test_a_whole_name_is_host_and_domain() -> None:
    hosts = {"/etc/hosts": "10.0.0.1 atlas-7.corp.example atlas-7\n"}
    new = text_of("atlas-7.corp.example atlas-7 ldap.corp.example", files=hosts)
    whole, short, other = new.split()
    neighbour, _dot, domain = other.partition(".")
    assert whole == f"{short}.{domain}"
    assert is_token(short)
    assert is_token(neighbour)
    assert neighbour != short


def test_servers_that_nobody_told_of_are_replaced_in_addresses_and_public_ones_stay() -> None:
    new = text_of("https://nexus.inner/x https://pypi.org/simple git+ssh://git@forge.inner:22/a")
    assert new.count("host-") == 2
    assert "https://pypi.org/simple" in new


@pytest.mark.parametrize(
    "label",
    ["Serial Number : {}", "SN: {}", '"serial": "{}"', "SerialNumber={}", "product_uuid: {}", "UUID={}"],
)
def test_a_serial_number_keeps_its_shape(label: str) -> None:
    new = text_of(label.format("2102354X0A10R8000001"))
    value = new.rstrip('"')[-20:]
    assert value != "2102354X0A10R8000001"
    kinds = ["d" if letter.isdigit() else "A" for letter in value]
    assert "".join(kinds) == "dddddddAdAddAddddddd"


@pytest.mark.parametrize(
    "text", ["Serial Number : NA", "SN: -", "serial console", "Serial: 8250/16550 driver"]
)
def test_what_is_no_serial_number_stays(text: str) -> None:
    assert text_of(text) == text


def test_a_serial_number_is_replaced_where_no_label_says_so() -> None:
    board = {"npu-smi info -t board -i 0": "Serial Number : 2102354X0A10R8000001\n"}
    assert "2102354X0A10R8000001" not in text_of("card 2102354X0A10R8000001 fell off", commands=board)


def test_a_key_and_a_map_belong_together() -> None:
    one, two = Tokens(bytes(32)), Tokens(bytes(32))
    assert one.name("host", "Node1") == two.name("host", "node1")
    assert Tokens().name("host", "node1") != one.name("host", "node1")
    again = Tokens(one.key, dict(one.originals))
    assert again.name("host", "node1") == one.name("host", "node1")


def test_two_names_never_share_a_token() -> None:
    tokens = Tokens(bytes(32))
    taken = f"host-{tokens.digest('host', 'b', '0', size=4).hex()}"
    tokens.note(taken, "a")
    assert tokens.name("host", "b") != taken


def test_ten_thousand_names_of_an_inventory_are_found_in_one_look() -> None:
    names = Names((f"rack{number // 40}-node{number}", "host") for number in range(10_000))
    said = names.replace(b"from rack17-node701 to rack249-node9999", lambda kind, name: kind.upper())
    assert said == b"from HOST to HOST"


def test_a_pattern_of_many_words_takes_the_longest() -> None:
    import re

    assert re.fullmatch(any_of([b"node1", b"node10", b"node"]), b"node10")


def test_a_name_may_be_hidden_in_origin_stderr_and_problems() -> None:
    entry = Entry(
        "commands/ls_-l_home_carol", "ls -l /home/carol", b"", b"/home/carol: denied on node-1\n", 2
    )
    raw = Snapshot("node-1", "local", {entry.path: entry}, ("node-1: cut off",))
    (new,) = redact(raw).entries.values()
    assert new.path == "commands/ls_-l_home_" + new.origin.rpartition("/")[2]
    assert b"carol" not in new.stderr
    assert "node-1" not in redact(raw).problems[0]


@pytest.mark.parametrize(
    "text",
    [
        "write to li.wei@lab.corp.example, he knows",
        "<li.wei@lab.corp.example>",
        "li.wei@lab.corp.example",
        "From: li.wei@lab.corp.example\nTo: li.wei@lab.corp.example",
    ],
)
def test_an_address_of_mail_is_user_and_domain(text: str) -> None:
    new = text_of(text)
    assert "li.wei" not in new
    assert "corp.example" not in new
    assert new.count("user-") == new.count("@domain-") == text.count("@")


def test_the_user_of_an_address_of_mail_is_the_one_of_the_account() -> None:
    new = text_of("carol@corp.example is carol", files={"/etc/passwd": "carol:x:1001:1001::/home/c:/b\n"})
    mail, _is, token = new.split()
    assert mail.partition("@")[0] == token


def test_the_host_of_an_address_is_the_one_that_it_has_elsewhere() -> None:
    hosts = {"/etc/hosts": "10.0.0.1 atlas-7.corp.example atlas-7\n"}
    whole, mail = text_of("atlas-7.corp.example bob@atlas-7.corp.example", files=hosts).split()
    assert mail.partition("@")[2] == whole


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:Ascend/a.git",
        "getty@tty1.service user@1000.service",
        "systemd-fsck@dev-sda1.service: done",
        "symbol foo@GLIBC_2.17 not found",
        "std@@GLIBCXX_3.4.21",
        "vllm @ file:///src",
        "image@sha256:abc.def",
        "npm @scope/a@1.2.3",
        "package@v1.2.rc1",
    ],
)
def test_what_has_the_sign_of_mail_and_is_none_stays(text: str) -> None:
    assert text_of(text) == text


def test_a_person_who_has_an_account_is_replaced_where_only_a_log_names_them() -> None:
    passwd = {"/etc/passwd": "dave:x:1004:1004::/srv/d:/bin/sh\n"}
    new = text_of("sshd[7]: Accepted publickey for dave from 10.0.0.9", files=passwd)
    assert "dave" not in new
