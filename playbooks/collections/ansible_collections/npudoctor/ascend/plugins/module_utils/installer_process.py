"""Runs one installer to its end, whatever becomes of who asked for it. Started by `installer`, as a file.

    python3 installer_process.py STEP.json

The step says what to run; it is written again when that has ended: `rc`, `ended`, and what the words of the
installer come to (see `words`), as nobody may be there any more to read them. A lock on `STEP.json.lock` is
held as long as this process lives, so that a second caller sees that it still runs. It uses the standard library
alone: nothing else of the collection is there when it runs.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time

TIMED_OUT = 124
NOT_STARTED = 127


def main(path: str) -> int:
    """Run what the step says; 0 where that could be told, whatever it ended with."""
    lock = open(path + ".lock", "w")  # noqa: SIM115 (held until this process ends)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return 1
    with open(path, encoding="utf-8") as file:
        step = json.load(file)
    with open(step["log"], "ab") as log:
        step["rc"] = _run(step, log)
        os.fsync(log.fileno())
    with open(step["log"], encoding="utf-8", errors="replace") as log:
        step.update(judge(step["words"], log.read(), step["rc"]))
    step["ended"] = time.time()
    _write(path, step)
    return 0


def _run(step: dict, log) -> int:
    environment = dict(os.environ, **step["environment"])
    try:
        child = subprocess.Popen(
            step["argv"],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=step["folder"],
            start_new_session=True,
        )
    except OSError as error:
        log.write("npudoctor: {0}\n".format(error).encode())
        return NOT_STARTED
    try:
        child.communicate(step.get("answers", "").encode(), step["seconds"])
        return child.returncode
    except subprocess.TimeoutExpired:
        log.write("npudoctor: not ended after {0} s\n".format(step["seconds"]).encode())
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return TIMED_OUT


def judge(words: dict, text: str, rc: int) -> dict:
    """`ok`, the reboots asked for, and of a failure its `key`, the `line` that says so and the `fix`."""
    lines = [line for line in (_plain(each) for each in text.splitlines()) if line]
    asked = [line for line in lines if any(each.lower() in line.lower() for each in words["reboot"])]
    failed = _failure(words, lines, rc)
    if failed:
        return {"ok": False, "reboot": asked, "key": failed[0], "line": failed[1], "fix": failed[2]}
    return {"ok": True, "reboot": asked or list(filter(None, [words["always"]]))}


def _failure(words: dict, lines: list, rc: int):
    for key, text, fix in words["failure"]:
        for line in lines:
            if text.lower() in line.lower():
                return key, line, fix
    if rc == TIMED_OUT:
        return "timed-out", lines[-1], ""
    if rc not in words["codes"]:
        return "installer-failed", _last_error(lines) or "it ended with {0}".format(rc), ""
    said = "\n".join(lines).lower()
    if words["success"] and not any(each.lower() in said for each in words["success"]):
        return "installer-silent", "it ended with {0}, but did not say that it worked".format(rc), ""
    return None


def _plain(line: str) -> str:
    """A line without the escapes that colour it."""
    parts = line.split("\033[")
    return "".join([parts[0]] + [part.partition("m")[2] for part in parts[1:]]).strip()


def _last_error(lines: list) -> str:
    marked = [line for line in lines if "error" in line.lower() or "fail" in line.lower()]
    return (marked or lines or [""])[-1]


def _write(path: str, step: dict) -> None:
    """Temporary, fsync, rename, fsync: a power loss leaves the old or the new step, never a part."""
    temporary = path + ".new"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(step, file, indent=1, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
