"""What the README shows is what is printed."""

import os
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_example_is_what_its_command_prints():
    """Where a text was changed: run the command of the README again and paste what it prints."""
    command, shown = README.split("` prints:\n\n```\n")
    command = command.rpartition("`./bin/npudoctor ")[2]
    done = subprocess.run(
        [sys.executable, "-m", "npudoctor", *command.split(), "--lang", "en"],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "100", "LC_ALL": "C.UTF-8"},
        check=False,
    )
    assert done.stdout == shown.partition("```")[0]
