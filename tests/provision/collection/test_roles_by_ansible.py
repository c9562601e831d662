"""The roles as Ansible itself runs them: packed, sent and unpacked, on a host that is a tree of files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.provision.collection.hdk_hosts import Host
from tests.provision.collection.playing import environment

DRIVER, FIRMWARE = "25.5.0", "7.8.0.5.216"
TOKEN = "planted-in-no-output"
ROLES = ("validate", "fetch", "driver", "firmware", "reboot")


class Local:
    """One host, its packages in a folder beside it, and a play of the roles."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.host = Host(folder, monkeypatch)
        self.folder = folder
        share = folder / "share"
        share.mkdir()
        packages = {
            kind: self.host.package(kind, version)
            for kind, version in (("driver", DRIVER), ("firmware", FIRMWARE))
        }
        for package in packages.values():
            self.host.stored(package["sha256"]).rename(share / package["name"])
        self.given: dict[str, Any] = {
            "npudoctor_stack": {
                "name": "x",
                "chip": "910B",
                "versions": {"driver": DRIVER, "firmware": FIRMWARE},
            },
            "npudoctor_packages": {kind: [package] for kind, package in packages.items()},
            "npudoctor_sources": [f"file://{share}"],
            "npudoctor_token": TOKEN,
            "reboot_policy": "report",
            "ansible_python_interpreter": sys.executable,
        }
        roles = [{"ansible.builtin.include_role": {"name": f"npudoctor.ascend.{role}"}} for role in ROLES]
        defaults = {"group/npudoctor.ascend.all": {"root": str(self.host.root)}}
        play = {"hosts": "all", "gather_facts": False, "module_defaults": defaults, "tasks": roles}
        (folder / "play.yml").write_text(yaml.safe_dump([play]))

    def play(self, *options: str) -> tuple[int, str]:
        """How many tasks changed the host, and all that was said."""
        (self.folder / "given.json").write_text(json.dumps(self.given))
        command = ["ansible-playbook", "-i", "host,", "-c", "local", "play.yml", "-e", "@given.json"]
        done = subprocess.run(
            [*command, *options],
            cwd=self.folder,
            env=environment(HOME=str(self.folder)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        recap = re.search(r"changed=(\d+)", done.stdout)
        assert recap
        return int(recap[1]), done.stdout + done.stderr


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Local:
    return Local(tmp_path, monkeypatch)


def test_check_mode_predicts_the_first_call_and_the_second_changes_nothing(local: Local) -> None:
    before = sorted(local.host.root.rglob("*"))
    predicted, said = local.play("--check", "--diff")
    assert f"+driver: {DRIVER}" in said
    assert sorted(local.host.root.rglob("*")) == before
    assert local.play()[0] == predicted == 3
    assert len(local.host.ran) == 2
    assert local.play()[0] == 0
    assert local.play("--check")[0] == 0
    assert len(local.host.ran) == 2


def test_a_planted_token_is_in_no_output_and_no_file_of_the_host(local: Local) -> None:
    _changed, said = local.play("-vvv")
    assert "npudoctor.ascend.fetch" in said
    assert TOKEN not in said
    files = [path for path in local.host.root.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if TOKEN.encode() in path.read_bytes()]
