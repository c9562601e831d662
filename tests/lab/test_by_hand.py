"""The lab that a person starts by hand: what its words ask for."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab.by_hand import STACK, read

ROOT = Path(__file__).parents[2]


def test_words_give_a_state_to_all_hosts_and_to_single_ones():
    wanted = read(["2", "docker=24.0.7", "node2.driver=25.2.0", "node2.fail_install=driver 25.5.0 always"])
    assert (wanted.names, wanted.stack, wanted.all) == (["node1", "node2"], STACK, {"docker": "24.0.7"})
    assert wanted.own == {"node2": {"driver": "25.2.0", "fail_install": "driver 25.5.0 always"}}


def test_folder_and_stack_are_no_state():
    wanted = read(["1", "folder=/tmp/other", "stack=a2-cann8.3.rc2-vllm0.11.0"])
    assert (wanted.folder, wanted.stack) == (Path("/tmp/other"), "a2-cann8.3.rc2-vllm0.11.0")
    assert not wanted.all


@pytest.mark.parametrize("words", [[], ["three"], ["3", "docker"], ["3", "node4.busy=0"]])
def test_what_cannot_be_understood_is_said(words):
    with pytest.raises(SystemExit, match=r"type: python -m|there is no host node4"):
        read(words)


def test_it_needs_no_pytest():
    """A checkout that only runs npudoctor has none."""
    program = "import sys; sys.modules['pytest'] = None; import tests.lab.by_hand"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
