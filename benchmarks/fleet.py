"""How long `npudoctor check --hosts` takes on simulated hosts, side by side with `ansible all -m setup`.

    python benchmarks/fleet.py [--hosts 32] [--forks 32] [--runs 3] [--npus 8] [--alone 1,8,32]

The hosts are real sshds of this machine, one loopback address each. Both tools read the same hosts with the
same forks, in turns, so that a busy machine slows both alike. Hosts and readers share its cores, so the wall
time holds the work of all hosts; the processor time is that of the reader and its children alone. Then comes
npudoctor on other numbers of hosts: time for each host, and the most memory that its process had.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from tests.lab.sshd import SshLab, ssh_lab  # noqa: E402 (the checkout must be on the path first)


@dataclass(frozen=True)
class Run:
    """One run of a command: seconds on the wall and of the processor, and its most memory in MB."""

    wall: float
    processor: float
    memory: int


def main() -> None:
    """Measure and print."""
    options = _options()
    alone = [int(number) for number in options.alone.split(",") if number]
    with tempfile.TemporaryDirectory() as folder, ssh_lab(Path(folder)) as lab:
        for number in range(max([options.hosts, *alone])):
            lab.add(f"node{number:03}", npus=options.npus)
        inventory = _inventory(lab)
        _side_by_side(lab, inventory, options)
        for number in alone:
            run = _run(lab, _check(inventory, number, options.forks))
            each = 1000 * run.wall / number
            print(f"npudoctor, {number} hosts: {run.wall:.1f} s, {each:.0f} ms a host, {run.memory} MB")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=32)
    parser.add_argument("--forks", type=int, default=32)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--npus", type=int, default=8, help="of each host")
    parser.add_argument("--alone", default="1,8,32", help="numbers of hosts for npudoctor alone")
    return parser.parse_args()


def _inventory(lab: SshLab) -> Path:
    """The lab's inventory, with what ssh must be told since it does not ask HOME where `~` is."""
    path = lab.inventory()
    arguments = f"-F none -o UserKnownHostsFile={lab.ssh}/known_hosts"
    ours = {
        "ansible_ssh_private_key_file": f"{lab.ssh}/id_ed25519",
        "ansible_ssh_common_args": f"'{arguments}'",
        "ansible_python_interpreter": sys.executable,
    }
    lines = ", ".join(f"{name}: {value}" for name, value in ours.items())
    path.write_text(path.read_text().replace("ansible_user:", f"{lines}, ansible_user:"))
    return path


def _check(inventory: Path, hosts: int, forks: int) -> list[str]:
    limit = f"all[0:{hosts - 1}]"
    shared = ["--hosts", str(inventory), "--limit", limit, "--forks", str(forks), "--exit-zero"]
    return [sys.executable, "-m", "npudoctor", "check", *shared, "--format", "json"]


def _side_by_side(lab: SshLab, inventory: Path, options: argparse.Namespace) -> None:
    ansible = shutil.which("ansible", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    ours = _check(inventory, options.hosts, options.forks)
    limit = f"all[0:{options.hosts - 1}]"
    both = {"npudoctor check": ours}
    if ansible:
        setup = [ansible, limit, "-i", str(inventory), "-m", "setup", "-f", str(options.forks)]
        both["ansible setup"] = setup
    done: dict[str, list[Run]] = {name: [] for name in both}
    for _round in range(options.runs):
        for name, command in both.items():
            done[name].append(_run(lab, command))
    print(
        f"{options.hosts} hosts with {options.npus} NPUs, {options.forks} at once, median of {options.runs}:"
    )
    for name, runs in done.items():
        wall = statistics.median(run.wall for run in runs)
        print(f"  {name}: {wall:.1f} s, processor {statistics.median(run.processor for run in runs):.1f} s")


def _run(lab: SshLab, command: list[str]) -> Run:
    environment = {**os.environ, "HOME": str(lab.home), "PYTHONPATH": str(REPOSITORY)}
    begin = time.monotonic()
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    said = process.stderr.read()
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}: {said}")
    return Run(time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024)


if __name__ == "__main__":
    main()
