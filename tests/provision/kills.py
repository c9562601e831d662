"""The controller killed, hosts dropped and switched off at many moments, on hosts of the lab.

python -m tests.provision.kills kill 20      # SIGKILL of the controller at 20 moments, two hosts at a time
python -m tests.provision.kills drop 10      # every connection to the host broken
python -m tests.provision.kills power 10     # its power cut
"""

import itertools
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.lab.provisioned import provision_lab
from tests.provision.provisioning import NEW, OLD, Caller, ended, installed_twice, lines_of, record_of

HOSTS = ("node1", "node2")


def one(caller, host, name, how, line, later, back):
    """Bring a host to the stack, or back, with something happening at a moment; what is wrong in the end."""
    words = ("--limit", name, *(["--rollback"] if back else []))
    before = len(host.installs)
    known = {*caller.runs.glob("*-*-*")} if caller.runs.exists() else set()
    process = caller.begin(*words)
    if how == "kill":
        hit = caller.kill_at(process, line, later)
        code, said = caller.resume() if hit else (0, "")
    else:
        hit = happens(process, caller, known, host, how, line, later)
        code, said = ended(process)
        if code == 3:  # not reached while packages were brought: nothing was changed, and it is called again
            code, said = caller.retry()
    wrong = judged(host, code, OLD if back else NEW, host.installs[before:])
    what = f"{name} {how} at line {line}+{later:.1f}s {'back' if back else 'up'} hit={hit} code={code}"
    print(f"{what}: {wrong or 'right'}", flush=True)
    if wrong:
        print(said, flush=True)
    return bool(wrong)


def happens(process, caller, known, host, how, line, later):
    while process.poll() is None:
        fresh = [path for path in caller.runs.glob("*-*-*") if path not in known]
        if fresh and lines_of(fresh[0] / "journal.jsonl") >= line:
            time.sleep(later)
            host.drop() if how == "drop" else host.cut_power()
            return True
        time.sleep(0.02)
    return False


def judged(host, code, wanted, installs):
    wrong = [] if code == 0 else [f"exit code {code}"]
    if host.running != wanted:
        wrong.append(f"runs {host.running}")
    phase = record_of(host)["phase"]
    if phase not in ("done", "rolled-back"):
        wrong.append(f"is {phase}")
    return wrong + [f"installed twice: {what}" for what in installed_twice(installs)]


def many(how, number):
    chance = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="kills-") as folder, provision_lab(Path(folder)) as lab:
        lab.boot(*HOSTS, **OLD)
        lab.packages(**NEW)
        packages = lab.packages(**OLD)
        moments = [(3 + chance.randrange(13), chance.random() * 3) for _moment in range(number)]

        def all_of(place):
            name = HOSTS[place]
            caller = Caller(lab.inventory(), packages, Path(folder) / f"runs-{name}")
            mine = moments[place :: len(HOSTS)]
            backs = itertools.cycle((False, True))
            return sum(
                one(caller, lab.hosts[name], name, how, line, later, back)
                for (line, later), back in zip(mine, backs, strict=False)
            )

        with ThreadPoolExecutor(len(HOSTS)) as pool:
            return sum(pool.map(all_of, range(len(HOSTS))))


if __name__ == "__main__":
    began = time.monotonic()
    wrong = many(sys.argv[1], int(sys.argv[2]))
    print(f"{wrong} wrong, {time.monotonic() - began:.0f} s")
    sys.exit(bool(wrong))
