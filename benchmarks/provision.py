"""How long a second `npudoctor provision` takes, side by side with the playbook alone on the same hosts.

    python benchmarks/provision.py [--hosts 2] [--runs 3]

The hosts are containers that boot systemd. First a call of npudoctor brings them from bare to a whole stack;
then both are asked to do it again, in turns, so that a busy machine slows both alike. Neither may change
anything. Hosts and controller share the cores of this machine.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from tests.lab.by_hand import own_digests  # noqa: E402 (the checkout must be on the path first)
from tests.lab.image import why_not  # noqa: E402
from tests.lab.provisioned import provision_lab  # noqa: E402
from tests.provision.provisioning import STACK, Caller  # noqa: E402

_PLAYBOOK = Path(sys.executable).parent / "ansible-playbook"
_CHANGED = re.compile(r"changed=(\d+) .*failed=(\d+)")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if reason := why_not():
        raise SystemExit(f"not measured: {reason}")
    with tempfile.TemporaryDirectory() as folder, provision_lab(Path(folder)) as lab:
        packages = lab.packages(STACK)
        os.environ["NPUDOCTOR_DIGESTS"] = str(own_digests(packages))
        lab.boot(*(f"node{number}" for number in range(options.hosts)), docker="24.0.7")
        caller = Caller(lab.inventory(), packages, Path(folder) / "runs", more=())
        print(f"{options.hosts} bare hosts, the whole of {STACK}: {_first(caller):.0f} s", flush=True)
        _side_by_side(caller, _playbook(caller), options.runs)


def _first(caller: Caller) -> float:
    begin = time.monotonic()
    code, said = caller.call("--canary", "0", "--max-unavailable", "100%")
    if code:
        raise SystemExit(f"the hosts did not come to the stack:\n{said}")
    return time.monotonic() - begin


def _playbook(caller: Caller) -> list[str]:
    command = [sys.executable, "-m", "npudoctor", "provision", "packages", "--stack", STACK]
    command += ["--packages", str(caller.packages), "--format", "json"]
    variables = caller.runs.parent / "packages.json"
    variables.write_bytes(subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True).stdout)
    playbook = str(REPOSITORY / "playbooks" / "site.yml")
    return [str(_PLAYBOOK), "-i", str(caller.inventory), playbook, "-e", f"@{variables}"]


def _side_by_side(caller: Caller, playbook: list[str], runs: int) -> None:
    ours, theirs = [], []
    for _run in range(runs):
        begin = time.monotonic()
        code, said = caller.call()
        ours.append(time.monotonic() - begin)
        if code or {*caller.words().values()} != {"converged"}:
            raise SystemExit(f"the second call did not find all hosts right:\n{said}")
        theirs.append(_played(playbook))
    mine, other = statistics.median(ours), statistics.median(theirs)
    print(f"second call, median of {runs}:")
    print(f"  npudoctor provision:        {mine:6.1f} s")
    print(f"  ansible-playbook site.yml:  {other:6.1f} s")
    print(f"  ratio: {other / mine:.1f}")


def _played(command: list[str]) -> float:
    begin = time.monotonic()
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode or {*_CHANGED.findall(done.stdout)} != {("0", "0")}:
        raise SystemExit(f"the playbook failed or changed something:\n{done.stdout}{done.stderr}")
    return time.monotonic() - begin


if __name__ == "__main__":
    main()
