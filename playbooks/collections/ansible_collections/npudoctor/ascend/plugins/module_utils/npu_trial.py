"""Runs `npu_script` on a host: with the environment of CANN, in a folder that goes with it, for so long at most."""

from __future__ import annotations

import inspect
import os
import shutil
import signal
import subprocess
import tempfile

from ansible_collections.npudoctor.ascend.plugins.module_utils import npu_script


class Trial:
    """One part of the script: its answer (empty where it came to none) and the last line of what it said."""

    def __init__(self, answer: dict, said: str) -> None:
        self.answer = answer
        self.said = said


def attempt(part: str, python: str, environment: dict, seconds: int) -> Trial:
    """Run a part. Logs, caches and what operators compile lie in a folder that is removed."""
    folder = tempfile.mkdtemp(prefix="npudoctor-")
    try:
        file = os.path.join(folder, "npu_script.py")
        with open(file, "w", encoding="utf-8") as script:
            script.write(inspect.getsource(npu_script))
        own = {"HOME": folder, "ASCEND_PROCESS_LOG_PATH": folder, "ASCEND_WORK_PATH": folder}
        text = _call([python, "-B", file, part], folder, dict(os.environ, **environment, **own), seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return Trial(npu_script.answer_in(text), lines[-1] if lines else "it said nothing")


def _call(argv: list, folder: str, environment: dict, seconds: int) -> str:
    try:
        child = subprocess.Popen(
            argv,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return str(error)
    try:
        return child.communicate(timeout=seconds)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return "it did not end within {0} s".format(seconds)
