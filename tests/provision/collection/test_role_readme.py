"""READMEs of roles say what the specifications say."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.provision.collection.role_readme import BEGIN, ROLES, with_table

WITH_TABLE = [path for path in sorted(ROLES.glob("*/README.md")) if BEGIN in path.read_text()]


@pytest.mark.parametrize("readme", WITH_TABLE, ids=lambda path: path.parent.name)
def test_its_table_is_that_of_the_specification(readme: Path) -> None:
    assert readme.read_text() == with_table(readme.read_text(), readme.parent)


@pytest.mark.parametrize("readme", WITH_TABLE, ids=lambda path: path.parent.name)
def test_defaults_of_the_role_are_those_of_the_specification(readme: Path) -> None:
    role = readme.parent
    defaults = yaml.safe_load((role / "defaults" / "main.yml").read_text())
    specs = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]
    assert defaults.keys() == specs["options"].keys()
    for name, option in specs["options"].items():
        taken = "{{" in str(defaults[name])
        assert taken or defaults[name] == option["default"]
