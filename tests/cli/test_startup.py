"""Start-up is a feature: nothing heavy is imported before it is needed."""

import subprocess
import sys

import pytest

HEAVY = {
    "paramiko",
    "docker",
    "jinja2",
    "ansible",
    "pydantic",
    "yaml",
    "rich",
    "jsonschema",
    "fastjsonschema",
}
PROGRAM = """
import sys
try:
    from npudoctor.cli import main
    main()
except SystemExit:
    print("modules:", *sys.modules)
"""


def modules_after(*arguments):
    """The modules that a command has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True
    )
    assert "internal error" not in done.stderr
    return set(done.stdout.rpartition("modules:")[2].split())


@pytest.mark.parametrize("arguments", [["--help"], ["check"], ["check", "--help"], ["facts"]])
def test_nothing_heavy_is_imported(arguments):
    modules_after(*arguments)  # an edited data file is compiled by the first run after the edit
    assert not HEAVY & modules_after(*arguments)


def test_help_imports_no_command():
    assert not {name for name in modules_after("--help") if name.startswith("npudoctor.cli.check")}
