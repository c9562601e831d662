"""Every shell script of deploy/ is one that shellcheck finds nothing in, and can be run."""

import shutil
import subprocess
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"
SCRIPTS = [file for file in DEPLOY.rglob("*") if file.is_file() and file.read_bytes()[:2] == b"#!"]


def test_there_are_scripts():
    assert len(SCRIPTS) >= 3


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.name for script in SCRIPTS])
def test_a_script_can_be_run(script):
    assert script.stat().st_mode & 0o111 == 0o111


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not on this machine")
@pytest.mark.parametrize(
    "script", [s for s in SCRIPTS if s.suffix == ".sh"], ids=lambda script: Path(script).name
)
def test_shellcheck_finds_nothing(script):
    done = subprocess.run(["shellcheck", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
