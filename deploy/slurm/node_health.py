#!/usr/bin/python3
"""Slurm's HealthCheckProgram, Prolog and Epilog in one: drain a node whose NPUs cannot run jobs.

Lies on every node beside `node_health.ini`, and needs nothing but Python 3.7 and npudoctor. Slurm starts it
with next to no environment; what it is called for stands in SLURM_SCRIPT_CONTEXT.

    verdict    what npudoctor said             health check                   prolog            epilog
    bad        a check failed                  drain, reason "npudoctor: ID"  drain, exit 1     drain
    good       every check passed              resume what it drained itself  exit 0            nothing
    unclear    a check is unknown, or          nothing                        exit 0            nothing
               npudoctor itself failed

A node is resumed only where its whole reason is one that this program writes: a word added by a person
makes it that person's node. What it did, and what it could not find out, goes to syslog as `npudoctor`.
"""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import subprocess
import sys
import syslog
from pathlib import Path
from typing import Any, NamedTuple

DEFAULTS = {
    "command": "/usr/local/bin/npudoctor check --only npu.visible,npu.health",
    "seconds": "40",
    "good_runs": "2",
    "drain": "yes",
    "state": "/run/npudoctor",
}
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
MOST_IDS = 5
SLURM_SECONDS = 5
OURS = re.compile(r"npudoctor: [a-z_]+\.[a-z0-9_]+(, [a-z_]+\.[a-z0-9_]+)*( and \d+ more)?")
OUT_OF_SERVICE = ("drain", "down", "fail", "inval", "unk")
CONTEXTS = {"prolog_slurmd": "prolog", "epilog_slurmd": "epilog"}


class Settings(NamedTuple):
    """`node_health.ini`, which explains each."""

    command: list[str]
    environment: dict[str, str]
    seconds: float
    good_runs: int
    drain: bool
    state: Path


class Verdict(NamedTuple):
    """`word` is good, bad or unclear; `why` the ids that failed, or what is not clear."""

    word: str
    why: str


class Node(NamedTuple):
    """What Slurm says of this node: `idle`, `drained`, ... and the reason where there is one."""

    name: str
    state: str
    reason: str


def main() -> int:
    """Judge this node and tell Slurm; the exit code for Slurm."""
    syslog.openlog("npudoctor")
    context = CONTEXTS.get(os.environ.get("SLURM_SCRIPT_CONTEXT", ""), "health")
    try:
        settings = read_settings(Path(__file__).resolve().with_name("node_health.ini"))
    except (configparser.Error, ValueError) as error:
        say(f"left as it is: node_health.ini: {error}")
        return 0
    os.environ.update(settings.environment)
    verdict = judge(settings)
    try:
        act(verdict, context, settings)
    except (OSError, subprocess.SubprocessError) as error:
        say(f"Slurm was not told: {error}")
    return 1 if context == "prolog" and verdict.word == "bad" and settings.drain else 0


def read_settings(file: Path) -> Settings:
    """The settings of the file over the defaults; raises ValueError or configparser.Error."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign] # variables keep their capitals
    parser.read_dict({"health": DEFAULTS, "environment": ENVIRONMENT})
    parser.read(file)
    health = parser["health"]
    return Settings(
        command=shlex.split(health["command"]),
        environment={**parser["environment"]},
        seconds=float(health["seconds"]),
        good_runs=int(health["good_runs"]),
        drain=parser.getboolean("health", "drain"),
        state=Path(health["state"]),
    )


def judge(settings: Settings) -> Verdict:
    """Run npudoctor; whatever goes wrong with it is `unclear`, never `bad`."""
    try:
        done = run([*settings.command, "--format", "json"], settings.seconds)
        return verdict_of(done.returncode, json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        return Verdict("unclear", f"npudoctor gave no answer within {settings.seconds:g} s")
    except OSError as error:
        return Verdict("unclear", f"npudoctor did not start: {error}")
    except (ValueError, KeyError, TypeError):
        return Verdict("unclear", f"npudoctor ended with exit code {done.returncode}: {done.stderr.strip()}")


def verdict_of(code: int, report: dict[str, Any]) -> Verdict:
    """What a report means for the node: 1 is bad, and only 0 with nothing unknown is good."""
    findings = [finding for host in report["hosts"] for finding in host["findings"]]
    failed = [finding["id"] for finding in findings if finding["status"] == "fail"]
    unknown = [finding["id"] for finding in findings if finding["status"] == "unknown"]
    if code == 1 and failed:
        return Verdict("bad", listed(failed))
    if code != 0 or not findings:
        return Verdict("unclear", f"npudoctor ended with exit code {code}")
    if unknown:
        return Verdict("unclear", "unknown: " + listed(unknown))
    return Verdict("good", "")


def listed(ids: list[str]) -> str:
    """The first ids, and how many there are beyond them."""
    more = len(ids) - MOST_IDS
    return ", ".join(ids[:MOST_IDS]) + (f" and {more} more" if more > 0 else "")


def act(verdict: Verdict, context: str, settings: Settings) -> None:
    """Drain or resume where the verdict and the node's state call for it."""
    if verdict.word == "unclear":
        say(f"left as it is: {verdict.why}")
    elif verdict.word == "bad" and not settings.drain:
        say(f"would be drained: {verdict.why}")
    elif verdict.word == "bad":
        drain(this_node(), f"npudoctor: {verdict.why}")
    if context == "health":
        runs = count_good_runs(settings.state, verdict.word == "good")
        if settings.drain and runs >= settings.good_runs:
            resume(this_node())


def count_good_runs(folder: Path, good: bool) -> int:
    """How many health checks in a row were good, so that a fault that comes and goes does not flap a node."""
    file = folder / "good_runs"
    before = file.read_text() if file.exists() else ""
    now = int(before) + 1 if good and before.isdigit() else int(good)
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(str(now))
    return now


def drain(node: Node, reason: str) -> None:
    """Drain a node in service, or bring the reason up to date where it is ours."""
    if node.state.startswith(OUT_OF_SERVICE) and not (is_ours(node) and node.reason != reason):
        return
    ask_slurm("scontrol", "update", f"NodeName={node.name}", "State=DRAIN", f"Reason={reason}")
    say(f"drained: {reason}")


def resume(node: Node) -> None:
    """Give back a node that this program drained, and no other."""
    if is_ours(node):
        ask_slurm("scontrol", "update", f"NodeName={node.name}", "State=RESUME")
        say(f"resumed; it was drained with: {node.reason}")


def is_ours(node: Node) -> bool:
    """Whether this program drained it and nobody has touched the reason since."""
    return node.state.startswith("drain") and OURS.fullmatch(node.reason) is not None


def this_node() -> Node:
    """This node as Slurm sees it; raises OSError where Slurm does not know it."""
    name = os.environ.get("SLURMD_NODENAME") or os.uname().nodename.partition(".")[0]
    lines = ask_slurm("sinfo", "--noheader", "--Node", f"--nodes={name}", "--format=%T %E").splitlines()
    if not lines:
        raise OSError(f"sinfo knows no node {name}")
    state, _blank, reason = lines[0].partition(" ")
    return Node(name, state, reason.strip())


def run(command: list[str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a command without a terminal, for at most so many seconds."""
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False
    )


def ask_slurm(*command: str) -> str:
    """What one of Slurm's commands prints; raises OSError with its message where it fails."""
    done = run([*command], SLURM_SECONDS)
    if done.returncode:
        raise OSError(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def say(text: str) -> None:
    """One line for the node's log; Slurm shows the same line where a prolog fails."""
    syslog.syslog(text)
    print(f"npudoctor: {text}")


if __name__ == "__main__":
    sys.exit(main())
