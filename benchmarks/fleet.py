"""How long `npudoctor check` takes on many hosts, side by side with `ansible all -m setup`.

    python benchmarks/fleet.py [--hosts 32] [--forks 32] [--runs 3] [--alone 1,8,32,256] [--recorded 100]

The hosts of the comparison are containers with a root and an sshd of their own, one loopback address each.
Both tools read the same hosts with the same forks and their own defaults, in turns, so that a busy machine
slows both alike. Hosts and readers share its cores, so the wall time holds the work of all hosts. The
processor time of the reader with its children stands apart from that of the hosts, which their cgroups count.
The simulated npu-smi, hccn_tool, lspci and dmesg have their answers prepared: they cost what a process costs.

Then comes npudoctor on other numbers of hosts (sshds without containers), and on recorded ones: time for each
host, and the most memory that its process had.
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
from dataclasses import dataclass, replace
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
_CHECK = (sys.executable, "-m", "npudoctor", "check", "--exit-zero", "--format", "json")
sys.path.insert(0, str(REPOSITORY))

from tests.lab.answers import prepare, record  # noqa: E402 (the checkout must be on the path first)
from tests.lab.image import HOME, why_not  # noqa: E402
from tests.lab.machines import MachineLab, machine_lab  # noqa: E402
from tests.lab.sshd import SshLab, ssh_lab  # noqa: E402


@dataclass(frozen=True)
class Run:
    """One run of a command: seconds on the wall and of the processor, and its most memory in MB.

    Attributes:
        hosts: Seconds of the processor that all hosts together took for it; None where nobody counts them.
    """

    wall: float
    processor: float
    memory: int
    hosts: float | None = None


def main() -> None:
    """Measure and print."""
    options = _options()
    _against_ansible(options)
    _alone(options)
    _recorded(options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=32)
    parser.add_argument("--forks", type=int, default=32)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--npus", type=int, default=8, help="of each host")
    parser.add_argument("--alone", type=_numbers, default="1,8,32", help="numbers of hosts over SSH")
    parser.add_argument("--recorded", type=_numbers, default="100", help="numbers of recorded hosts")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


def _against_ansible(options: argparse.Namespace) -> None:
    if reason := why_not():
        print(f"not measured beside Ansible: {reason}")
        return
    with tempfile.TemporaryDirectory() as folder, machine_lab(Path(folder)) as lab:
        begin = time.monotonic()
        lab.boot([f"node{number:03}" for number in range(options.hosts)], npus=options.npus)
        print(f"{options.hosts} hosts with {options.npus} NPUs up in {time.monotonic() - begin:.1f} s")
        answers = record(next(iter(lab.hosts.values())).lab)
        for host in lab.hosts.values():
            prepare(host.lab.folder, answers, HOME)
        _side_by_side(lab, _inventory(lab), options)


def _alone(options: argparse.Namespace) -> None:
    if not options.alone:
        return
    with tempfile.TemporaryDirectory() as folder, ssh_lab(Path(folder)) as lab:
        for number in range(max(options.alone)):
            lab.add(f"node{number:03}", npus=options.npus)
        inventory = _inventory(lab)
        for number in options.alone:
            limit = ["--limit", f"all[0:{number - 1}]"]
            _tell(f"{number} hosts over SSH", number, _run(lab, _check(inventory, options.forks, *limit)))


def _recorded(options: argparse.Namespace) -> None:
    if not options.recorded:
        return
    with tempfile.TemporaryDirectory() as folder, ssh_lab(Path(folder) / "lab") as lab:
        (Path(folder) / "bundles").mkdir()
        host = lab.add("recorded", npus=options.npus).lab
        stream = subprocess.run(
            ["sh"], input=host.script(), env=host.variables, capture_output=True, text=True, check=True
        )
        name = os.uname().nodename
        for number in options.recorded:
            paths = [Path(folder) / "bundles" / f"node{each:05}" for each in range(number)]
            for path in paths:
                path.write_text(stream.stdout.replace(f"\n{name}\n", f"\n{path.name}\n"))
            command = [*_CHECK, "--from", *map(str, paths)]
            _tell(f"{number} recorded hosts", number, _run(lab, command))


def _tell(what: str, number: int, run: Run) -> None:
    each = 1000 * run.wall / number
    print(f"npudoctor, {what}: {run.wall:.1f} s, {each:.1f} ms a host, {run.memory} MB", flush=True)


def _inventory(lab: SshLab) -> Path:
    """The lab's inventory, with what ssh must be told since it does not ask HOME where `~` is."""
    path = lab.inventory()
    arguments = f"-F none -o UserKnownHostsFile={lab.ssh}/known_hosts"
    ours = {
        "ansible_ssh_private_key_file": f"{lab.ssh}/id_ed25519",
        "ansible_ssh_common_args": f"'{arguments}'",
    }
    lines = ", ".join(f"{name}: {value}" for name, value in ours.items())
    path.write_text(path.read_text().replace("ansible_user:", f"{lines}, ansible_user:"))
    return path


def _check(inventory: Path, forks: int, *more: str) -> list[str]:
    return [*_CHECK, "--hosts", str(inventory), "--forks", str(forks), *more]


def _side_by_side(lab: MachineLab, inventory: Path, options: argparse.Namespace) -> None:
    ansible = shutil.which("ansible", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    both = {"npudoctor check": _check(inventory, options.forks)}
    if ansible:
        setup = [ansible, "all", "-i", str(inventory), "-m", "setup", "-f", str(options.forks)]
        both["ansible setup"] = setup
    done: dict[str, list[Run]] = {name: [] for name in both}
    for _round in range(options.runs):
        for name, command in both.items():
            before = lab.processor()
            run = _run(lab, command)
            done[name].append(replace(run, hosts=lab.processor() - before))
    print(f"{options.forks} at once, median of {options.runs}:")
    walls = []
    for name, runs in done.items():
        walls.append(statistics.median(run.wall for run in runs))
        processor = statistics.median(run.processor for run in runs)
        hosts = statistics.median(run.hosts or 0.0 for run in runs)
        print(f"  {name}: {walls[-1]:.1f} s, processor {processor:.1f} s, and {hosts:.1f} s of the hosts")
    print(f"  ratio: {walls[-1] / walls[0]:.1f}", flush=True)


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
