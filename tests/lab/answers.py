"""Answers of the simulated tools, prepared once: their own time is then little more than that of a process.

For benchmarks, which measure who calls the tools. Such a tool knows the calls of `check` only, keeps no
record of them, and has no faults.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from tests.lab.host import LabHost

_TOOL = """\
#!/bin/sh
. "{home}/answers/${{0##*/}}${{*:+ $*}}"
"""


def record(host: LabHost) -> dict[str, str]:
    """What each tool answers to each call that `check` makes, by its command line."""
    host.run()
    calls = [call for tool in ("npu-smi", "hccn_tool", "lspci", "dmesg") for call in host.calls(tool)]
    return {call: _answer(host, call) for call in calls}


def _answer(host: LabHost, call: str) -> str:
    environment = {**os.environ, **host.variables}
    return subprocess.run(call.split(), env=environment, capture_output=True, text=True, check=True).stdout


def prepare(folder: Path, answers: dict[str, str], home: str) -> None:
    """Give them to the tools of a host of the same state, whose folder is `home` for itself."""
    (folder / "answers").mkdir()
    for call, text in answers.items():
        script = f"echo {shlex.quote(text.removesuffix(chr(10)))}\nexit\n"
        (folder / "answers" / call).write_text(script)
    for tool in {call.split()[0] for call in answers}:
        (folder / "bin" / tool).write_text(_TOOL.format(home=home))
