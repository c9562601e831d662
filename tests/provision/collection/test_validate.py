"""The check of variables: what argument specifications do not see."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from tests.provision.collection.calling import COLLECTIONS, REPOSITORY
from tests.provision.collection.playing import environment
from tests.provision.collection.role_readme import ROLES

SHA = "0" * 64


@pytest.fixture(scope="module")
def validate() -> ModuleType:
    if str(COLLECTIONS) not in sys.path:
        sys.path.insert(0, str(COLLECTIONS))
    return importlib.import_module("ansible_collections.npudoctor.ascend.plugins.action.validate")


def problems(validate: ModuleType, **given: Any) -> list[str]:
    specs, registered = validate.known_variables()
    known = {name: value for name, value in given.items() if name in specs}
    allowed = given.get("npudoctor_known_variables", [])
    return [
        *validate.misnamed(given, {*specs, *registered, *allowed}),
        *validate.ill_valued(known, specs),
        *validate.disagreeing(known),
    ]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("driver_verison", "driver_version"),
        ("firmware_pakages", "firmware_packages"),
        ("drivr_version", "driver_version"),
        ("reboot_polcy", "reboot_policy"),
        ("npudoctor_source", "npudoctor_sources"),
        ("hcnn_netmask", "hccn_netmask"),
        ("serving_prot", "serving_port"),
        ("hosttuning_thp", "host_tuning_thp"),
        ("npudoctor_domian", "npudoctor_domain"),
    ],
)
def test_a_misspelt_name_is_an_error_with_the_name_that_is_meant(
    validate: ModuleType, name: str, meant: str
) -> None:
    (problem,) = problems(validate, **{name: "x"})
    assert name in problem
    assert f"is {meant} meant?" in problem


@pytest.mark.parametrize(
    "name",
    [
        "docker_registry_mirror_of_ours",
        "driver_of_the_bus",
        "rack",
        "http_port",
        "python_version",
        "firmware_floor",
        "env_path",
    ],
)
def test_names_of_others_pass(validate: ModuleType, name: str) -> None:
    assert problems(validate, **{name: "x"}) == []


def test_whatever_begins_with_our_name_must_be_ours(validate: ModuleType) -> None:
    assert problems(validate, npudoctor_colour="red") == [
        "npudoctor_colour is no variable that these playbooks know"
    ]


def test_a_name_can_be_let_pass(validate: ModuleType) -> None:
    assert problems(validate, drivers_version="1", npudoctor_known_variables=["drivers_version"]) == []


def test_what_the_roles_register_is_known(validate: ModuleType) -> None:
    assert problems(validate, driver_result={}, reboot_needed={}, preflight_found={}) == []


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"driver_version": None}, "driver_version is empty"),
        ({"reboot_policy": ""}, "reboot_policy is empty"),
        ({"driver_install_path": ""}, "driver_install_path is empty"),
        ({"driver_install_path": ["/a"]}, "must be a text"),
        ({"npudoctor_sources": "file:///x"}, "must be a list"),
        ({"npudoctor_stack": "a2"}, "must be a mapping"),
        ({"driver_packages": {"name": "x"}}, "must be a list"),
    ],
)
def test_values_that_are_empty_or_of_another_kind(
    validate: ModuleType, given: dict[str, Any], word: str
) -> None:
    (problem,) = problems(validate, **given)
    assert word in problem


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ({"sha256": SHA, "size": 1}, "has no name"),
        ({"name": "a.run", "sha256": "abc", "size": 1}, "64 hex digits"),
        ({"name": "a.run", "sha256": SHA, "size": 0}, "size in bytes"),
        (
            {"name": "Ascend-hdk-310p-npu-driver_25.5.0_linux-aarch64.run", "sha256": SHA, "size": 1},
            "is for 310p, the stack is for 910B",
        ),
    ],
)
def test_a_package_that_cannot_be_used(validate: ModuleType, row: dict[str, Any], word: str) -> None:
    (problem,) = problems(validate, npudoctor_stack={"chip": "910B"}, npudoctor_packages={"driver": [row]})
    assert word in problem


def test_packages_of_the_same_chip_under_its_other_name_pass(validate: ModuleType) -> None:
    row = {"name": "Atlas-A3-hdk-npu-driver_25.5.0_linux-aarch64.run", "sha256": SHA, "size": 1}
    assert problems(validate, npudoctor_stack={"chip": "A3"}, npudoctor_packages={"driver": [row]}) == []


def test_fields_that_contradict_each_other(validate: ModuleType) -> None:
    assert "no component" in problems(validate, npudoctor_only=["drivers"])[0]
    assert "must be the same" in problems(validate, driver_user="a", preflight_user="b")[0]


def test_every_variable_that_roles_and_playbooks_share_is_known(validate: ModuleType) -> None:
    texts = [path.read_text() for path in (COLLECTIONS.parent).rglob("*.yml")]
    used = {name for text in texts for name in re.findall(r"\bnpudoctor_[a-z_]+", text)}
    assert used <= {*validate.known_variables()[0]}


def test_every_component_is_known(validate: ModuleType) -> None:
    listed = REPOSITORY / "playbooks" / "vars" / "components.yml"
    order = yaml.safe_load(listed.read_text())["component_order"]
    assert set(order) == {*validate._COMPONENTS, "preflight", "reboot", "verify"}
    assert {path.name for path in ROLES.iterdir()} == {*order, "fetch", "validate"}


def test_a_playbook_stops_before_the_host_is_asked(tmp_path: Path) -> None:
    hosts = {
        "all": {
            "hosts": {"far": {"ansible_host": "192.0.2.1", "driver_verison": "25.5.0", "drvier_chip": ""}}
        }
    }
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump(hosts))
    done = subprocess.run(
        [
            "ansible-playbook",
            "-i",
            tmp_path / "hosts.yml",
            "playbooks/step.yml",
            "-e",
            "npudoctor_component=driver",
        ],
        cwd=REPOSITORY,
        env=environment(HOME=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    words = " ".join((done.stdout + done.stderr).split())
    assert "is driver_version meant?" in words
    assert "is driver_chip meant?" in words
