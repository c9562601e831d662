"""The command line, run as a user runs it."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def npudoctor(tmp_path):
    """`npudoctor("check", "--lang", "en")` in a folder of its own: a `CompletedProcess` with texts."""

    def run(*arguments, **options):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", **options.pop("env", {})}
        command = [sys.executable, "-m", "npudoctor", *map(str, arguments)]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            timeout=60,
            check=False,
            **options,
        )

    return run
