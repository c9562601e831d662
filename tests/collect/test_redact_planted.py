"""A lab host with secrets and names in more than forty places: none is left, and its verdicts stay."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from npudoctor.collect.bundle import read_bundle
from npudoctor.collect.redact.redactor import Run
from npudoctor.collect.since import Since
from npudoctor.collect.snapshot import Entry, Snapshot, slug
from npudoctor.collect.write import write_bundle
from tests.collect.redacting import in_tokens, inside, verdicts
from tests.lab.host import build

VARIABLES = {
    "HF_TOKEN": "pl01Hf",
    "DB_PASSWORD": "pl02 with pl03 blanks",
    "http_proxy": "http://carol:pl04Proxy@proxy.corp.example:3128",
    "AWS_SECRET_ACCESS_KEY": "pl05Aws/abc+def",
    "AWS_ACCESS_KEY_ID": "AKIAPL06ABCDEFGHIJ12",
    "PIP_INDEX_URL": "https://__token__:pl07pip@pypi.corp.example/simple",
    "MYSQL_PWD": "pl08my",
    "KUBE_TOKEN": "eyJhbGciOiJSUzI1NiJ9.eyJwbDA5IjoicGwwOSJ9.pl09signature-x",
    "LAUNCH": "sshpass -p 'pl10 quoted' ssh carol@10.66.7.9",
    "NPU_CONFIG": '{"serving": {"auth": {"apiKey": "pl11json", "users": [{"password": "pl12 nested"}]}}}',
    "HOSTNAME": "atlas-rack7.corp.example",
    "USER": "carol",
    "MASTER_ADDR": "atlas-rack8",
    "HCCL_IF_IP": "10.66.7.8",
}
PLOG = """\
[ERROR] HCCL(4242,python3):2026-11-29-10:11:12.345.678 [network.cc:99]4300 connect 10.66.7.9:16666 password=pl13plog failed
[INFO] GE(4242,python3):2026-11-29-10:11:12.345.678 [ge.cc:1]4300 Authorization: Bearer pl14BearerXyz on atlas-rack7
2026-11-29 10:11 vllm serve /home/carol/models/qwen --api-key pl15vllm --max-model-len 4096
url=https://obs.corp.example/a?X-Amz-Signature=pl16sig&x=1 cookie: session=pl17cookie
mysql -u root -ppl18mysql -h 10.66.7.9 train; curl -u carol:pl19curl https://repo.corp.example/
{"log": "{\\"password\\":\\"pl20escaped\\"}", "stream": "stderr"}
the password is pl21sentence, ansible_password: pl22ansible, <password>pl23xml</password>
x-auth-token: pl24header  client-key-data: pl25kube  requirepass=pl26redis
device aa:bb:cc:11:22:33 of fd12:3456:789a::ff0e serial number: 2102SERIAL0042 git clone https://pl27oauthtokenlong@git.corp.example/x
"""  # noqa: E501
DMESG = """\
[    1.0] Kernel command line: root=UUID=0d1e2f3a-4b5c-6d7e-8f90-a1b2c3d4e5f6 rd.luks.key=pl28luks pcie_aspm=off
[    2.0] echo: -----BEGIN OPENSSH PRIVATE KEY-----
[    2.1] echo: b3BlbnNzaC1rZXktdjEAAAAApl29key
[    2.2] echo: -----END OPENSSH PRIVATE KEY-----
[    3.0] audit: user carol on atlas-rack7 from 10.66.7.9 token=pl30audit
[    4.0] usb 1-1: SerialNumber: PL31SERIAL9
"""  # noqa: E501
DAEMON = {
    "registry-mirrors": ["https://robot:pl32mirror@registry.corp.example"],
    "auths": {"registry.corp.example": {"auth": "cGwzM2Jhc2U2NA=="}},
    "default-runtime": "ascend",
    "proxies": {"http-proxy": "http://carol:pl34@10.66.7.1:3128"},
}
CONTAINER = {
    "Name": "/carol-train",
    "State": {"Running": True},
    "HostConfig": {
        "Devices": [],
        "Binds": ["/home/carol/data:/data"],
        "ExtraHosts": ["atlas-rack8:10.66.7.9"],
    },
    "Config": {
        "Image": "registry.corp.example/ascend/vllm-ascend:v0.11.0",
        "Hostname": "atlas-rack7",
        "Env": ["OPENAI_API_KEY=pl35env", "MINIO_PASSWORD=pl36 two words", "ASCEND_VISIBLE_DEVICES=0"],
        "Cmd": ["mysql", "-u", "root", "-ppl37cmd", "--token", "pl38cmd", "curl", "-u", "me:pl39cmd"],
    },
    "Mounts": [],
    "NetworkSettings": {"IPAddress": "10.66.7.77", "MacAddress": "02:42:0a:42:07:4d"},
}
FILES = {
    "/etc/hosts": "127.0.0.1 localhost\n10.66.7.8 atlas-rack7.corp.example atlas-rack7\n"
    "10.66.7.9 atlas-rack8 ldap\n",
    "/etc/passwd": "root:x:0:0:root:/root:/bin/bash\nHwHiAiUser:x:1000:1000::/home/HwHiAiUser:/bin/bash\n"
    "carol:x:1001:1001:Carol Curie,,,:/home/carol:/bin/bash\nxu:x:1002:1002::/home/xu:/bin/sh\n",
    "/etc/group": "root:x:0:\nHwHiAiUser:x:1000:carol,xu\ncarol:x:1001:\nxu:x:1002:\n",
    "/proc/sys/kernel/hostname": "atlas-rack7\n",
    "/proc/cmdline": "root=UUID=0d1e2f3a-4b5c-6d7e-8f90-a1b2c3d4e5f6 ipmi_password=pl40cmdline\n",
    "/etc/docker/daemon.json": json.dumps(DAEMON, indent=1),
    "/etc/hccn.conf": "address_0=10.66.8.21\nnetmask_0=255.255.255.0\ngateway_0=10.66.8.1\n"
    "address_1=10.66.8.22\nnetmask_1=255.255.255.0\ngateway_1=10.66.8.1\n",
    "/etc/default/grub": "password_pbkdf2 root grub.pbkdf2.sha512.10000.AB41.CD41\n",
    "/home/carol/Ascend/cann/version.cfg": "# version: 8.5.0.1\n",
}
COMMANDS = {
    "uname -a": "Linux atlas-rack7 5.10.0-60 #1 SMP Mon Jul 15 09:12:31 UTC 2026 aarch64 GNU/Linux\n",
    "id": "uid=1001(carol) gid=1001(carol) groups=1001(carol),1000(HwHiAiUser)\n",
    "ls -l /home/carol/Ascend": "drwxr-xr-x 3 carol carol 4096 Nov 29 10:00 cann\n",
    "ip -o addr": "2: eth0 inet 10.66.7.8/24 brd 10.66.7.255 scope global eth0\n"
    "2: eth0 inet6 fe80::a8bb:ccff:fe11:2233/64 scope link\n",
    "ss -ltnp": 'LISTEN 0 128 10.66.7.8:16666 0.0.0.0:* users:(("python3",pid=1,fd=3))\n',
    "docker inspect carol-train": json.dumps([CONTAINER], indent=1),
    "dmesg": DMESG,
}
NAMES = (
    *("carol", "Carol Curie", "/xu", "xu:", ",xu", "atlas-rack7", "atlas-rack8", "corp.example"),
    *("10.66.7.8", "10.66.7.9", "10.66.8.21", "10.66.7.77", "aa:bb:cc:11:22:33", "02:42:0a:42:07:4d"),
    *("fd12:3456:789a", "a8bb:ccff:fe11:2233", "2102SERIAL0042", "PL31SERIAL9", "0d1e2f3a-4b5c"),
)
SECRETS = tuple(f"pl{number:02}" for number in range(1, 41) if number not in (6, 31, 33))
MORE_SECRETS = ("PL06", "cGwzM2Jhc2U2NA", "AB41", "eyJwbDA5")


@pytest.fixture(scope="module")
def host(tmp_path_factory) -> Snapshot:
    """What the script read in the lab, with the files of a host that this machine is not."""
    lab = build(tmp_path_factory.mktemp("lab"))
    logs = lab.folder / "home/carol/ascend/log/debug/plog"
    logs.mkdir(parents=True)
    (logs / "plog-4242_20261129101112345.log").write_text(PLOG)
    variables = {**VARIABLES, "HOME": f"{lab.folder}/home/carol", "PYTEST_CURRENT_TEST": ""}
    read = lab.run(script=lab.script(everything=True, since=Since(minutes=60)), variables=variables)
    entries = {**read.entries}
    for path, text in FILES.items():
        entries["files" + path] = Entry("files" + path, path, text.encode())
    for line, text in COMMANDS.items():
        path = f"commands/{slug(line)}"
        entries[path] = Entry(path, line, text.encode(), b"carol: bad password=pl01err\n")
    problems = ("atlas-rack7: the stream is cut off",)
    return replace(read, name="atlas-rack7", entries=entries, problems=problems)


@pytest.fixture(scope="module")
def bundle(host: Snapshot, tmp_path_factory) -> tuple[Path, Run]:
    path, run = tmp_path_factory.mktemp("out") / "b", Run()
    write_bundle(host, path, run)
    return path, run


def test_the_lab_has_what_is_looked_for(host: Snapshot) -> None:
    everything = b"\n".join(entry.stdout for entry in host.entries.values()).decode("utf-8", "replace")
    assert [word for word in (*SECRETS, *MORE_SECRETS, *NAMES) if word not in everything] == []


@pytest.mark.parametrize("word", [*SECRETS, *MORE_SECRETS, *NAMES])
def test_none_is_left_in_any_member_nor_in_a_name(bundle, word: str) -> None:
    assert word not in inside(bundle[0]).decode("utf-8", "replace")


def test_the_verdicts_do_not_change(host: Snapshot, bundle) -> None:
    path, run = bundle
    assert verdicts(read_bundle(path)) == in_tokens(verdicts(host), run)


def test_the_ledger_says_what_was_replaced_where_and_not_what_it_was(bundle) -> None:
    ledger = json.loads((bundle[0] / "ledger.json").read_text())
    assert ledger["schema"] == "npudoctor.ledger/1"
    assert ledger["entries"]["commands/id"] == {"secret": 1, "user": 4}
    assert ledger["entries"]["files/etc/hccn.conf"] == {"ipv4": 4}
    assert set(ledger["total"]) == {
        "domain",
        "host",
        "ipv4",
        "ipv6",
        "mac",
        "name",
        "secret",
        "serial",
        "user",
    }


def test_the_log_lies_in_the_bundle_under_a_path_without_the_name_of_its_owner(bundle) -> None:
    (log,) = (bundle[0] / "logs").rglob("plog-4242_*.log")
    text = log.read_text()
    assert "carol" not in str(log.relative_to(bundle[0]))
    assert "[ERROR] HCCL(4242,python3):2026-11-29-10:11:12.345.678 [network.cc:99]4300 connect 10." in text
    assert len(text.splitlines()) == len(PLOG.splitlines())


def test_the_same_name_has_the_same_token_everywhere(bundle) -> None:
    path, run = bundle
    (token,) = (token for token, text in run.tokens.originals.items() if text == "carol")
    assert (path / "commands" / "id").read_text().startswith(f"uid=1001({token}) gid=1001({token})")
    assert f"\n{token}:x:1001:1001:name-" in (path / "files/etc/passwd").read_text()
    assert (path / "files" / "home" / token / "Ascend/cann/version.cfg").exists()
