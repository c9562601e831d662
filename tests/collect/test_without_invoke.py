"""paramiko comes without invoke, until somebody's configuration of ssh needs it."""

from __future__ import annotations

import subprocess
import sys

_IMPORTS = "import npudoctor.collect.connect, sys; sys.exit('invoke' in sys.modules)"
_ROUTE = """
import pathlib, sys, npudoctor.collect.connect
from npudoctor.collect.inventory import Target
from npudoctor.collect.ssh_config import SshConfig
home = pathlib.Path(sys.argv[1])
route = SshConfig(home, home).route(Target("node1", "node1"))
print(route.port, route.user)
"""


def run(*arguments: str) -> str:
    command = [sys.executable, "-c", *arguments]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def test_a_fleet_is_read_without_invoke() -> None:
    run(_IMPORTS)


def test_match_exec_still_decides(tmp_path) -> None:
    (tmp_path / ".ssh").mkdir()
    lines = "Match exec true\n  Port 2222\n  User ops\nMatch exec false\n  HostName nowhere\n"
    (tmp_path / ".ssh" / "config").write_text(lines)
    assert run(_ROUTE, str(tmp_path)) == "2222 ops\n"
