"""CANN, NNAL and the Python environment on hosts that boot: a first installation, 8.3 to 8.5, and back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from tests.lab.provisioned import ProvisionLab, provision_lab
from tests.lab.unchanged import changes, snapshot
from tests.provision.collection.playing import Played, play
from tests.provision.collection.test_on_lab_hosts import served

STACK = "a2-cann8.5.0-vllm0.13.0"
OLD_CANN = "8.3.RC1"
PARTS = ["toolkit", "ops", "nnal", "python_env"]
_COMPONENTS = {
    "toolkit": r"Ascend-cann-toolkit_",
    "ops": r"-ops_|cann-kernels",
    "nnal": r"Ascend-cann-nnal_",
    "python_env": r"\.whl$",
}


def _rows(packages: Path, *words: str) -> dict[str, list[dict[str, Any]]]:
    """Packages by component, of those whose name has one of the words."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(packages.iterdir()):
        component = next((key for key, each in _COMPONENTS.items() if re.search(each, path.name)), "")
        if component and any(word in path.name for word in words):
            row = {"name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
            found.setdefault(component, []).append(row | {"size": path.stat().st_size})
    return found


class Story:
    """What calls of the playbooks did to two hosts: `fresh` has a driver alone, `old` CANN 8.3 too."""

    def __init__(self, lab: ProvisionLab, given: dict[str, Any], previous: dict[str, Any]) -> None:
        self.lab = lab
        before = {name: snapshot(host) for name, host in lab.hosts.items()}
        self.check = play(lab, "site.yml", given, "--check", "--diff")
        self.touched = {name: changes(before[name], snapshot(host)) for name, host in lab.hosts.items()}
        self.first = play(lab, "site.yml", given)
        self.seen = {name: self.found(name) for name in lab.hosts}
        self.second = play(lab, "site.yml", given)
        back = {
            "lab_previous": previous,
            "npudoctor_only": PARTS,
            "npudoctor_previous": "{{ lab_previous if inventory_hostname == 'old' else {} }}",
        }
        self.back = play(lab, "rollback.yml", given | back)
        self.after = {name: self.found(name) for name in lab.hosts}

    def found(self, name: str) -> str:
        """What is installed, as the host itself lists it."""
        links = "cann ascend-toolkit/latest nnal/atb/latest"
        links = f"for link in {links}; do [ ! -e $link ] || readlink -f $link; done"
        script = f"cd /usr/local/Ascend && {{ {links}; ls -d cann-* ascend-toolkit/[0-9]*; }}"
        return self.lab.hosts[name].run("sh", "-c", script, check=False).stdout


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    stack = load_stack(load_matrix(), STACK)
    driver = {key: stack.versions[key] for key in ("driver", "firmware")}
    with provision_lab(tmp_path_factory.mktemp("lab")) as lab:
        packages = lab.packages(STACK)
        lab.packages(cann=OLD_CANN, nnal=OLD_CANN)
        lab.boot("fresh", **driver)
        lab.boot("old", cann=OLD_CANN, nnal=OLD_CANN, **driver)
        with served(packages) as mirror:
            given = {
                "npudoctor_stack": {"name": STACK, "chip": stack.chip, "versions": dict(stack.versions)},
                "npudoctor_packages": _rows(packages, stack.versions["cann"], ".whl"),
                "npudoctor_sources": [mirror],
                "npudoctor_only": [*PARTS, "verify"],
            }
            yield Story(lab, given, {"packages": _rows(packages, OLD_CANN)})


def _calm(played: Played) -> bool:
    return not any(played.failed.values())


def test_check_mode_predicts_a_change_and_leaves_both_hosts_as_they_are(story: Story) -> None:
    assert _calm(story.check), story.check.output
    assert story.touched == {"fresh": [], "old": []}
    assert all(story.check.changed.values())
    assert all(story.first.changed.values())


def test_both_hosts_end_with_the_new_layout_alone(story: Story) -> None:
    assert _calm(story.first), story.first.output
    for name in ("fresh", "old"):
        assert "/usr/local/Ascend/cann-8.5.0\n" in story.seen[name]
        assert "ascend-toolkit/8" not in story.seen[name]


def test_the_old_one_was_upgraded_and_its_kernels_made_way_for_ops(story: Story) -> None:
    installs = [(each.component, each.options.split()[1]) for each in story.lab.hosts["old"].installs]
    assert installs[:3] == [("toolkit", "--upgrade"), ("ops", "--install"), ("nnal", "--install")]


def test_acl_tensors_and_all_reduce_were_verified_on_both(story: Story) -> None:
    assert "not verified: HCCL" not in story.first.output
    assert "not verified: import acl" not in story.first.output


def test_the_second_call_changes_nothing(story: Story) -> None:
    assert _calm(story.second), story.second.output
    assert story.second.changed == {"fresh": 0, "old": 0}


def test_going_back_brings_8_3_with_its_kernels(story: Story) -> None:
    assert _calm(story.back), story.back.output
    assert "/usr/local/Ascend/ascend-toolkit/8.3.RC1\n" in story.after["old"]
    assert "/usr/local/Ascend/nnal/atb/8.3.RC1\n" in story.after["old"]
    assert "cann-8.5.0" not in story.after["old"]
    kernels = "/usr/local/Ascend/ascend-toolkit/latest/opp_kernel/version.info"
    assert OLD_CANN in story.lab.hosts["old"].run("cat", kernels).stdout


def test_going_back_from_a_first_installation_leaves_nothing_of_it(story: Story) -> None:
    assert story.after["fresh"] == ""
