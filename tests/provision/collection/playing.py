"""Runs the playbooks against the lab as a person would who has Ansible alone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lab.provisioned import ProvisionLab
from tests.provision.collection.calling import REPOSITORY

_RECAP = re.compile(r"^(\S+)\s*: ok=\d+\s+changed=(\d+)\s+unreachable=(\d+)\s+failed=(\d+)", re.MULTILINE)


@dataclass
class Played:
    """What a run of a playbook came to: all that it said, and how many tasks changed and failed by host."""

    output: str
    changed: dict[str, int]
    failed: dict[str, int]


def play(lab: ProvisionLab, book: str, given: dict[str, Any], *options: str) -> Played:
    """Run a playbook over the inventory of the lab."""
    variables = {"ansible_python_interpreter": "/usr/bin/python3", "reboot_pause": 1, **given}
    command = ["ansible-playbook", "-i", str(lab.inventory()), f"playbooks/{book}", "-f", "8"]
    done = subprocess.run(
        [*command, "-e", json.dumps(variables), *options],
        cwd=REPOSITORY,
        env=environment(HOME=str(lab.home)),
        capture_output=True,
        text=True,
        check=False,
    )
    rows = _RECAP.findall(done.stdout)
    assert rows, done.stdout + done.stderr
    changed = {host: int(number) for host, number, _lost, _failed in rows}
    failed = {host: int(lost) + int(number) for host, _changed, lost, number in rows}
    return Played(done.stdout + done.stderr, changed, failed)


def environment(**more: str) -> dict[str, str]:
    """Of every call of Ansible: the tools of this environment, no colour, no facts as variables."""
    path = f"{REPOSITORY}/.venv/bin:{os.environ['PATH']}"
    return {
        **os.environ,
        "PATH": path,
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_PIPELINING": "True",
        "ANSIBLE_INJECT_FACT_VARS": "False",
        "ANSIBLE_COLLECTIONS_PATH": str(REPOSITORY / "playbooks" / "collections"),
        **more,
    }


def rows(folder: Path, *versions: str) -> dict[str, list[dict[str, Any]]]:
    """The packages of these versions in a folder by component, as `npudoctor_packages` takes them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.run")):
        if not any(f"_{version}" in path.name for version in versions):
            continue
        component = next(part for part in ("driver", "firmware") if f"npu-{part}" in path.name)
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        row = {"name": path.name, "sha256": sha256, "size": path.stat().st_size}
        found.setdefault(component, []).append(row)
    return found


def stack(packages: Path, **versions: str) -> dict[str, Any]:
    """The variables that bring a host to these versions, with the packages of a folder."""
    return {
        "npudoctor_stack": {"name": "lab", "chip": "910B", "versions": versions},
        "npudoctor_packages": rows(packages, *versions.values()),
        "reboot_policy": "reboot",
    }
