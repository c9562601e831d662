"""Read an inventory by asking Ansible.

Ansible's inventories have ranges, groups of groups, variables in folders, scripts, plugins, templates and
vaults. Only Ansible reads all of that right, so its own program does, once for all hosts; but for files that
say all by themselves, see `static_inventory`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.collect.inventory import Become, Target
from npudoctor.collect.secret_options import secret_options
from npudoctor.collect.static_inventory import FOREIGN, GIVEN, read_static
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_HCCN = ("hccn_ports", "hccn_netmask", "hccn_gateway", "hccn_netdetect", "hccn_tls")
_WHEELS = ("python_env_index_url", "python_env_wheelhouse")
_DOCKER = ("docker_packages", "docker_names")
_SERVING = tuple(
    "serving_" + name
    for name in (
        "ascend_runtime", "capabilities", "command", "devices", "environment", "environment_file",
        "host_network", "image", "log_files", "log_size", "memory_plan", "model", "model_target", "name",
        "port", "ready_seconds", "restart_policy", "shm_size", "stack_kb", "user", "volumes",
    )
)  # fmt: skip
_WANTED = (
    "ansible_host",
    "ansible_port",
    "ansible_connection",
    "ansible_user",
    "ansible_password",
    "ansible_ssh_private_key_file",
    "ansible_ssh_common_args",
    "ansible_ssh_extra_args",
    "ansible_become",
    "ansible_become_method",
    "ansible_become_user",
    "ansible_become_password",
    "npudoctor_domain",
    "npudoctor_known_variables",
    *_HCCN,
    *_WHEELS,
    *_DOCKER,
    *_SERVING,
)
_OLDER = {
    "ansible_host": "ansible_ssh_host",
    "ansible_port": "ansible_ssh_port",
    "ansible_user": "ansible_ssh_user",
    "ansible_password": "ansible_ssh_pass",
    "ansible_become_password": "ansible_become_pass",
}
_OVER_SSH = ("ssh", "smart", "paramiko", "paramiko_ssh")
_UNMATCHED = re.compile(r"Could not match supplied host pattern, ignoring: (\S+)")
_LETTERS = {"-J": "ProxyJump", "-i": "IdentityFile", "-l": "User", "-p": "Port"}
_ASK = """\
{%- set hosts = {} -%}
{%- for host in query("ansible.builtin.inventory_hostnames", LIMIT) -%}
{%- set all = hostvars[host] -%}
{%- set given = {} -%}
{%- for name in OURS and all -%}
{%- set value = all[name] if name is match(OURS) and all[name] is defined else true -%}
{%- set _ = given.update({name: value if value in [none, ""] else true}) -%}
{%- endfor -%}
{%- set _ = hosts.update({host: {ROWS, "undefined": [UNDEFINED], "given": given}}) -%}
{%- endfor -%}
{{ hosts | to_json }}"""
_QUIET = {
    "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "1",
    "ANSIBLE_LOAD_CALLBACK_PLUGINS": "0",
    "ANSIBLE_LOG_PATH": os.devnull,  # the answer holds passwords
    "ANSIBLE_NOCOLOR": "1",
    "ANSIBLE_FORCE_COLOR": "0",
}


def read_with_ansible(
    path: Path,
    limit: str,
    vault: str | None,
    unmatched: Callable[[str], None] = lambda _word: None,
    ours: tuple[str, ...] = (),
) -> list[Target]:
    """The hosts of an inventory that the pattern `limit` matches; raises `UsageError` in Ansible's words.

    Args:
        path: The inventory.
        limit: The pattern.
        vault: The password of vaulted values, where one was typed.
        unmatched: Is told each part of the pattern that matches none.
        ours: What the names begin with that are looked at whether they are empty; without any no names
            of variables are taken along.
    """
    static = None if limit != "all" or vault else read_static(path, (*_WANTED, *_OLDER.values()))
    variables = (
        _ask_ansible(path, limit, vault, unmatched, ours) if static is None else _by_newer_names(static, ours)
    )
    return [_of_variables(name, values) for name, values in variables.items()]


def _by_newer_names(
    static: Mapping[str, Mapping[str, Any]], ours: tuple[str, ...]
) -> dict[str, dict[str, Any]]:
    """As Ansible would answer: each variable under its newer name, None where it is not there."""
    return {
        host: {
            **{name: values.get(name, values.get(_OLDER.get(name, ""))) for name in _WANTED},
            GIVEN: {
                name: value if name.startswith(ours) else True
                for name, value in values.get(GIVEN, {}).items()
                if ours
            },
        }
        for host, values in static.items()
    }


def _ask_ansible(
    path: Path, limit: str, vault: str | None, unmatched: Callable[[str], None], ours: tuple[str, ...]
) -> dict[str, dict[str, Any]]:
    """What `_WANTED` names of each host, with templates filled in and vaulted values open."""
    rows = ", ".join(f'"{name}": {_value(name)}' for name in _WANTED)
    undefined = ", ".join(map(_undefined, (*_WANTED, *_OLDER.values())))
    question = _ASK.replace("UNDEFINED", undefined).replace("ROWS", rows).replace("LIMIT", json.dumps(limit))
    question = question.replace("OURS", json.dumps("|".join(ours)))
    command = [_program(), "localhost", "-i", str(path), "-m", "ansible.builtin.debug"]
    command += ["-a", json.dumps({"msg": question})]
    given = {"--vault-password-file": vault}
    with tempfile.TemporaryDirectory(prefix="npd-") as folder, secret_options(Path(folder), given) as more:
        done = subprocess.run(
            [*command, *more],
            capture_output=True,
            text=True,
            env={**os.environ, **_QUIET},
            check=False,
        )
    answer = _answer(done.stdout)
    if done.returncode or "hosts" not in answer:
        raise UsageError(
            f"--hosts {path}: " + _complaint(answer, done.stderr), _mend(path, done.stdout + done.stderr)
        )
    for word in dict.fromkeys(_UNMATCHED.findall(" ".join(done.stderr.split()))):
        unmatched(word)
    hosts: dict[str, dict[str, Any]] = answer["hosts"]
    return hosts


def _value(name: str) -> str:
    """Jinja for a variable of `all`, under its older name too; `none` where neither is there."""
    names = [name, *([_OLDER[name]] if name in _OLDER else [])]
    return " | ".join([f"all.{names[0]}", *(f"default(all.{older})" for older in names[1:]), "default(none)"])


def _undefined(name: str) -> str:
    """Jinja for the variable's name where it is there, but its template names something that is not."""
    return f'"{name}" if "{name}" in all and all.{name} is undefined else ""'


def _program() -> str:
    """Ansible of this Python, or else the one on PATH."""
    beside = Path(sys.executable).with_name("ansible")
    found = str(beside) if beside.exists() else shutil.which("ansible")
    if not found:
        mend = _("type: pip install 'npudoctor[fleet]', or give a list: --hosts a,b,")
        raise UsageError(_("an inventory file needs Ansible, which is not there"), mend)
    return found


def _answer(output: str) -> dict[str, Any]:
    """The JSON behind `localhost | SUCCESS => `; its message is JSON again."""
    try:
        answer: dict[str, Any] = json.loads(output[output.index("=> {") + 3 :])
        if "SUCCESS" not in output.partition("=>")[0]:
            return answer
        said = answer["msg"]
        return {"hosts": json.loads(said) if isinstance(said, str) else said}
    except (ValueError, KeyError):
        return {}


def _complaint(answer: Mapping[str, Any], errors: str) -> str:
    """Ansible's own words in one line."""
    lines = [line for line in errors.splitlines() if line.startswith(("[ERROR]", "ERROR!"))]
    said = str(answer.get("msg") or (lines or errors.splitlines() or ["Ansible gave no answer"])[0])
    return re.sub(r"^(\[ERROR\]:|ERROR!)\s*", "", said.rpartition("Error rendering template: ")[2])


def _mend(path: Path, errors: str) -> str:
    if "vault" in errors.lower():
        return _("give --ask-vault-pass, or set ANSIBLE_VAULT_PASSWORD_FILE")
    return _("see: ansible-inventory -i {path} --list").format(path=shlex.quote(str(path)))


def _of_variables(name: str, values: Mapping[str, Any]) -> Target:
    port = values["ansible_port"]
    if port is not None and not str(port).isdigit():
        raise UsageError(f"{name}: ansible_port {port}: " + _("is no number"), _("mend it in the inventory"))
    return Target(
        name=name,
        address=_text(values["ansible_host"]) or name,
        port=None if port is None else int(port),
        user=_text(values["ansible_user"]),
        key=_text(values["ansible_ssh_private_key_file"]),
        password=_text(values["ansible_password"]),
        options=_options(values),
        become=_become(values),
        local=_is_local(name, values),
        undefined=tuple(filter(None, values.get("undefined", ()))),
        domain=_text(values["npudoctor_domain"]) or "",
        hccn=_hccn(values),
        wheels=next(filter(None, map(_text, (values[name] for name in _WHEELS))), ""),
        docker=_given(values, _DOCKER),
        serving=_given(values, _SERVING),
        **_names(values),
    )


def _names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Its variables, but those that it says are right all the same."""
    let_pass = values["npudoctor_known_variables"] or ()
    given = {
        name: value
        for name, value in sorted(values[GIVEN].items())
        if not name.startswith(FOREIGN) and name not in let_pass
    }
    empty = tuple((name, value) for name, value in given.items() if value in (None, ""))
    return {"variables": tuple(given), "empty": empty}


def _hccn(values: Mapping[str, Any]) -> str:
    given = {name: values[name] for name in _HCCN if values[name] not in (None, "")}
    return json.dumps(given, sort_keys=True) if given.get("hccn_ports") else ""


def _given(values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    given = {name: values[name] for name in names if values[name] not in (None, "", [])}
    return json.dumps(given, sort_keys=True) if given else ""


def _is_local(name: str, values: Mapping[str, Any]) -> bool:
    kind = (_text(values["ansible_connection"]) or "ssh").rpartition(".")[2]
    if kind not in (*_OVER_SSH, "local"):
        what = f"{name}: ansible_connection {kind}: " + _("only ssh and local are known")
        raise UsageError(what, _("leave it out: --limit all:!{name}").format(name=name))
    return kind == "local"


def _become(values: Mapping[str, Any]) -> Become | None:
    if str(values["ansible_become"]).lower() not in ("true", "yes", "on", "1", "t", "y"):
        return None
    return Become(
        _text(values["ansible_become_user"]) or "root",
        _text(values["ansible_become_password"]),
        _text(values["ansible_become_method"]) or "sudo",
    )


def _options(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """`-o Name=value`, `-o "Name value"`, `-J HOST`, `-i FILE` among the arguments for the ssh program."""
    given = (_text(values[name]) or "" for name in ("ansible_ssh_common_args", "ansible_ssh_extra_args"))
    words = iter(shlex.split(" ".join(given)))
    found = []
    for word in words:
        if word.startswith(("-o", *_LETTERS)):
            text = word[2:] or next(words, "")
            name, _equals, value = (_LETTERS[word[:2]], "", text) if word[:2] in _LETTERS else _halves(text)
            found.append((name.lower(), value))
    return tuple(found)


def _halves(option: str) -> tuple[str, str, str]:
    return option.partition("=") if "=" in option.split(" ", 1)[0] else option.partition(" ")


def _text(value: Any) -> str | None:
    return None if value in (None, "") else str(value)
