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
    assert check.title[0].isupper()
    assert not check.title.endswith(".")


@pytest.mark.parametrize(
    "module", sorted((ROOT / "npudoctor" / "checks").glob("[a-z]*.py")), ids=lambda m: m.stem
)
def test_a_module_of_checks_has_its_tests_in_the_mirror(module):
    assert (ROOT / "tests" / "checks" / f"test_{module.stem}.py").is_file()


@pytest.mark.parametrize("command", ["bin/npudoctor", "bin/test", ".ci/run"])
def test_the_commands_of_the_readme_can_be_run(command):
    assert os.access(ROOT / command, os.X_OK)
