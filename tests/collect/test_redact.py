"""Secrets do not leave the host; what a parser needs does."""

from __future__ import annotations

import pytest

from npudoctor.collect.redact import redact, redact_text, redact_words
from npudoctor.collect.redact.quick import may_hold_secret
from npudoctor.collect.snapshot import snapshot_of

SECRET = "s3cr3t-Va1ue"
KNOWN = (
    "LTAI5tAbCdEfGhIjKlMn",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF-_123",
    "$6$salt$abcdefghijklmnop",
    "grub.pbkdf2.sha512.10000.AB12.CD34",
)


@pytest.mark.parametrize(
    "text",
    [
        f"HF_TOKEN={SECRET}",
        f"export MY_PASSWORD='{SECRET}'",
        f'"MYSQL_PASSWD": "{SECRET}"',
        f"db_password: {SECRET}",
        f'  "Env": ["API_KEY={SECRET}", "PATH=/usr/bin"]',
        f"AWS_SECRET_ACCESS_KEY={SECRET}",
        f"OPENAI_KEY={SECRET}",
        f"vllm serve --api-key {SECRET} --port 8000",
        f"curl --password={SECRET} x",
        f'"Cmd": ["serve",\n  "--api-key",\n  "{SECRET}"]',
        f"http_proxy=http://user:{SECRET}@proxy:3128",
        f"https://{SECRET}:x-oauth@git.example.com/a.git",
        f"Authorization: Bearer {SECRET}",
        f"curl -H 'Authorization: Basic {SECRET}'",
        f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN PRIVATE KEY-----\n{SECRET} cut off",
        f"found bearer {SECRET} in the header",
        f"SSHPASS={SECRET}",
        f"PGPASSWORD={SECRET}",
        f"LDAP_BIND_PW={SECRET}",
        f"OBS_SK={SECRET}",
        f"JWT={SECRET}",
        f"WEBHOOK=https://hooks.example.com/{SECRET}",
        f"rd.luks.key={SECRET}",
        f"sshpass -p {SECRET} ssh root@10.0.0.1",
        f"mysql -u root -p{SECRET} db",
        f"docker login -p {SECRET} -u me",
        f'"Cmd": [\n "mysql",\n "-p{SECRET}"]',
        f"redis-cli -a {SECRET} ping",
        f"ipmitool -U admin -P {SECRET} sel list",
        f"curl -u me:{SECRET} http://x/",
        f"kubeadm join 10.0.0.1:6443 --token {SECRET}",
        f"cookie: session={SECRET}",
        f"authorization: {SECRET}",
        f"machine x login me password {SECRET}",
        f"requirepass {SECRET}",
        f'"auth": "{SECRET}"',
        f"client-key-data: {SECRET}",
        f'{{"log": "{{\\"password\\":\\"{SECRET}\\"}}"}}',
        f'"Env": ["DB_PASSWORD=two {SECRET} words"]',
        f"https://bucket/x?X-Amz-Signature={SECRET}&y=1",
        f"AccountKey={SECRET};EndpointSuffix=x",
        f"redis://:{SECRET}@h:6379",
        f'PASSWORD="{SECRET} and no end',
        f"  pass: {SECRET}",
        f"ak: A, sk: {SECRET}",
        f"ansible_ssh_pass: {SECRET}",
        f"Server=db;uid=u;pwd={SECRET};",
        f"echo {SECRET} | sudo -S reboot",
        f"openssl rsa -in key.pem -passin pass:{SECRET}",
        f"sshpass -p '{SECRET} with blanks' ssh x",
        f'mysql --password "{SECRET} with blanks"',
        f"the password is {SECRET}",
        f"<adminPassword>{SECRET}</adminPassword>",
        f"password: |\n  {SECRET}\n",
        f'"Cmd": [\n "mysql",\n "-u",\n "root",\n "-p{SECRET}"]',
        "DB_PASSWORD=48213",
        f"http_proxy=user:{SECRET}@proxy.inner:3128",
        f"http://user:p@{SECRET}@proxy.inner:3128/",
        f"postgres://user:p/{SECRET}@db.inner/train",
        f"密码: {SECRET}",
        f"口令：{SECRET}",
        f"用户密码为 {SECRET} 登录失败",
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n{SECRET}\n-----END PGP PRIVATE KEY BLOCK-----",
        f"openssl rsa -passin pass:{SECRET} -in key.pem",
        f"echo 'root:{SECRET}' | chpasswd",
        f"echo {SECRET} | passwd --stdin root",
        f"ldapsearch -D cn=admin -w {SECRET} -b dc=x",
        f"skopeo copy --src-creds me:{SECRET} docker://a docker://b",
        f"mc alias set minio http://10.0.0.1:9000 ACCESS {SECRET}",
        f"obsutil config -i=AK -k={SECRET} -e=obs.example",
        f"wandb login {SECRET}",
        f"unzip -P {SECRET} a.zip",
        f"7z x -p{SECRET} a.7z",
        f"smbclient //srv/share -U me%{SECRET}",
        f"useradd -p '{SECRET}' bob",
        f'"env": [{{"name": "DB_PASSWORD", "value": "{SECRET}"}}]',
        f"auth_token=>'{SECRET}'",
        f"- name: API_TOKEN\n  value: {SECRET}\n",
        f'- name: "API_TOKEN"\n  value: "{SECRET} in two, or three"\n',
        f"- name: DB_PASS\n  value: '{SECRET}'\n",
        f"- value: {SECRET}\n  name: API_TOKEN\n",
        f'- value: "two {SECRET}"\n  name: "API_TOKEN"\n- name: A\n',
        f"- name: API_TOKEN\n  value: |\n    {SECRET}\n",
        f"pass_word={SECRET}",
        f"passwd: {SECRET}",
        f"tool --pwd {SECRET}",
        f"tool -pass {SECRET} -x",
        f"ftp 10.0.0.1 user bob pwd {SECRET}",
        f"username bob pwd {SECRET} at once",
        f"ossutil64 cp a oss://b -i AK -k {SECRET}",
        f"mc alias set minio http://10.0.0.1:9000 {SECRET} OTHER",
        f"obsutil config -i={SECRET} -k=OTHER -e=obs.example",
        f"AK={SECRET} SK=OTHER",
    ],
)
def test_a_secret_is_replaced(text: str) -> None:
    redacted = redact_text(text.encode()).decode()
    assert SECRET not in redacted
    assert "48213" not in redacted
    assert "<redacted:token>" in redacted


@pytest.mark.parametrize(
    "text", ["ghp_" + "a1B2" * 9, "hf_" + "abcdEFGH" * 4, "AKIAABCDEFGHIJKLMNOP", *KNOWN]
)
def test_a_well_known_kind_of_key_is_replaced_wherever_it_stands(text: str) -> None:
    assert text.encode() not in redact_text(f"cloned with {text} from there".encode())


@pytest.mark.parametrize(
    "text",
    [
        "--max-num-batched-tokens 8192",
        "max_tokens=4096",
        "tokenizer=/models/qwen/tokenizer.json",
        "--tokenizer-mode auto",
        "ASCEND_HOME_PATH=/usr/local/Ascend/cann-8.5.0",
        "LD_LIBRARY_PATH=/usr/local/Ascend/driver/lib64:/usr/local/lib",
        "TASK_QUEUE_ENABLE=1",
        "HCCL_OP_BASE_FFTS_MODE_ENABLE=TRUE",
        "address_0=192.0.2.10",
        "PWD=/root/work",
        "OLDPWD=~/work",
        "x86/PAT: Configuration [0-7]: WB  WC",
        "disk: 3 of 8",
        "max_position: 4096, eos_token: 2",
        "ask: whether pass: is right here",
        "password_required=1",
        "keyboard=us",
        "| 0     910B3               | OK            | 92.8        38                0    / 0              |",
        "auth       sufficient pam_rootok.so",
        "tls switch[0](0:disable, 1:enable)",
        "root:x:0:0:root:/root:/bin/bash",
        "ssh-keygen -t ed25519",
        "/etc/passwd: not collected",
        "secretaries:x:1100:bob",
        "密码是否正确",
        "nginx-proxy: ascend/cann:8.5.0",
        "http://host:80/models/a@b",
        "- name: MODEL_PATH\n  value: /models/qwen\n",
        "- name: MAX_TOKENS\n  value: 4096\n- name: B\n",
        "- name: PATH\n  value: /usr/bin\n",
        "- value: /models\n  name: TOKENIZER_PATH\n",
        "- name: API_TOKEN\n  valueFrom:\n    secretKeyRef:\n      name: keys\n      key: token\n",
        "cd /root && pwd && ls",
        "ossutil ls",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact_text(text.encode()).decode() == text


def test_a_value_with_blanks_goes_wholly_in_the_environment() -> None:
    snapshot = redact(snapshot_of(environment="DB_PASSWORD=one two three\nA=1\n"))
    assert snapshot.entry("environment").text == "DB_PASSWORD=<redacted:token>\nA=1\n"


def test_the_names_and_the_number_of_lines_stay() -> None:
    before = "A=1\nHF_TOKEN=abcdefgh\nB=2\n"
    after = redact(snapshot_of(environment=before)).entry("environment").text
    assert [line.partition("=")[0] for line in after.splitlines()] == ["A", "HF_TOKEN", "B"]


def test_json_stays_json() -> None:
    import json

    text = json.dumps(
        [{"Config": {"Env": ['HF_TOKEN=ab"cd', "P=1"]}, "api_key": 'x\\"y z', "n": {"password": ""}}]
    )
    again = json.loads(redact_text(text.encode()))
    assert "ab" not in again[0]["Config"]["Env"][0]
    assert again[0]["api_key"] == "<redacted:token>"
    assert again[0]["Config"]["Env"][1] == "P=1"


def test_redacting_twice_changes_nothing() -> None:
    once = redact_text(b"HF_TOKEN=abcdefgh --password x http://u:p@h/ Authorization: Bearer abcdefghij")
    assert redact_text(once) == once


@pytest.mark.parametrize("text", test_a_secret_is_replaced.pytestmark[0].args[1])
def test_a_quick_look_passes_over_no_secret(text: str) -> None:
    assert all(may_hold_secret(line) for line in text.splitlines() if redact_words(line) != line)
