"""What holds for the whole house, held by tools that exist: see also ruff's limits and the import layers."""

import os
from pathlib import Path

import pytest

from npudoctor.checks.registry import all_checks
from npudoctor.data import compile_all

ROOT = Path(__file__).parents[1]
CHECKS = {check.id: check for check in all_checks()}


def test_every_data_file_holds_what_its_schema_says():
    assert len(compile_all()) >= 3


@pytest.mark.parametrize("id", CHECKS)
def test_a_check_says_why_it_matters_and_where_that_is_known_from(id):
    check = CHECKS[id]
    assert len(check.why) > 80, "the docstring is what explain prints: why, which value, since when"
    assert check.sources
    assert all(check.sources)
    assert check.dated[:2] == "20"
    assert check.title
    assert not check.title.endswith(".")


def areas_of_checks():
    """`container` for container_devices.py and container_mounts.py; their tests may share a file or not."""
    modules = (ROOT / "npudoctor" / "checks").glob("[a-z]*.py")
    return sorted({module.stem.partition("_")[0] for module in modules})


@pytest.mark.parametrize("area", areas_of_checks())
def test_the_checks_of_an_area_have_their_tests_in_the_mirror(area):
    assert list((ROOT / "tests" / "checks").glob(f"test_{area}*.py"))


@pytest.mark.parametrize("command", ["bin/npudoctor", "bin/test", ".ci/run"])
def test_the_commands_of_the_readme_can_be_run(command):
    assert os.access(ROOT / command, os.X_OK)
