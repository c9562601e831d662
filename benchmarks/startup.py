"""How long `npudoctor check` takes here, side by side with `msprechecker precheck`, and on simulated NPUs.

    python benchmarks/startup.py [--runs N] [--peer PATH]

`--peer` is an msprechecker that is installed already; without it version 0.4.0 is put into an environment of
its own that is removed afterwards, and left out where it cannot be had. Both tools run in turns, so that a
busy machine slows both alike.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

PEER = "msprechecker==0.4.0"
DELAY = 0.5
"""Seconds that one simulated npu-smi call takes."""


def main() -> None:
    """Measure and print."""
    options = _options()
    ours = (sys.executable, "-m", "npudoctor", "check")
    with tempfile.TemporaryDirectory() as folder:
        peer = options.peer or _install(Path(folder))
        _side_by_side(ours, (str(peer), "precheck") if peer else None, options.runs)
        _simulated(ours, Path(folder), max(3, options.runs // 5))


HOSTS: dict[str, dict[str, object]] = {
    "8 NPUs": {"npus": 8},
    "8 NPUs, one sick": {"npus": 8, "sick": 3},
    "16 NPUs": {"npus": 16},
}
"""The simulated hosts, in the words of `tests.lab`."""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--peer", type=Path)
    return parser.parse_args()


def _install(folder: Path) -> Path | None:
    subprocess.run([sys.executable, "-m", "venv", folder / "peer"], check=True)
    pip = [folder / "peer/bin/pip", "install", "--quiet", "--disable-pip-version-check", PEER]
    if subprocess.run(pip, check=False).returncode:
        print(f"{PEER} cannot be installed here: measured without it")
        return None
    return folder / "peer/bin/msprechecker"


def _side_by_side(ours: tuple[str, ...], peer: tuple[str, ...] | None, runs: int) -> None:
    both = [ours, peer] if peer else [ours]
    for command in both:
        _seconds(command)  # warm
    measured = [[_seconds(command) for command in both] for _ in range(runs)]
    medians = [statistics.median(column) for column in zip(*measured, strict=True)]
    print(f"median of {runs} runs in turns on this machine:")
    print(f"  npudoctor check        {medians[0] * 1000:7.0f} ms  {_our_checks(ours):4} checks")
    if peer:
        print(
            f"  msprechecker precheck  {medians[1] * 1000:7.0f} ms  {_peer_checks(peer):4} lines of results"
        )
        print(f"  ratio                  {medians[0] / medians[1]:7.2f}  (below 1: npudoctor is faster)")


def _simulated(ours: tuple[str, ...], folder: Path, runs: int) -> None:
    from tests.lab.host import build

    print(f"median of {runs} runs on simulated hosts, {DELAY} s a call of npu-smi:")
    for name, state in HOSTS.items():
        lab = folder / name
        lab.mkdir()
        host = build(lab, delay=DELAY, **state)
        (host.folder / "calls").touch()
        seconds = statistics.median(_seconds(ours, host.variables) for _ in range(runs))
        calls = len(host.calls()) // runs
        print(f"  {name:<21}  {seconds * 1000:7.0f} ms  = {seconds / DELAY:.1f} calls' time ({calls} calls)")


def _seconds(command: tuple[str, ...], variables: dict[str, str] | None = None) -> float:
    begin = time.perf_counter()
    subprocess.run(
        command, cwd=REPOSITORY, env={**_environment(), **(variables or {})}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    return time.perf_counter() - begin


def _environment() -> dict[str, str]:
    """Ours, but both tools may keep their bytecode, as an installed tool has it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _our_checks(ours: tuple[str, ...]) -> int:
    done = subprocess.run([*ours, "--format", "json"], cwd=REPOSITORY, stdout=subprocess.PIPE, check=False)
    return len(json.loads(done.stdout)["hosts"][0]["findings"])


def _peer_checks(peer: tuple[str, ...]) -> int:
    """Lines in which it states a result: it prints no count of its own."""
    words = ("[ok]", "[nok]", "[warn", "pass", "fail", "error", "warning", "recommend")
    done = subprocess.run(peer, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return sum(
        any(word in line.lower() for word in words) for line in (done.stdout + done.stderr).splitlines()
    )


if __name__ == "__main__":
    main()
