"""A lab for a person: hosts that stay until Enter is typed, the packages of a stack, and what to type.

python -m tests.lab.provisioned 3                                       # three bare hosts
python -m tests.lab.provisioned 3 driver=25.2.0 node3.busy=0            # KEY of all, HOST.KEY of one
python -m tests.lab.provisioned 3 stack=a2-cann8.3.rc2-vllm0.11.0       # packages of another stack
python -m tests.lab.provisioned 3 folder=/tmp/other                     # a second lab beside the first
python -m tests.lab.provisioned 2 docker=real                           # with a service to bring up
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from tests.lab.engine import REAL
from tests.lab.image import why_not
from tests.lab.machines import Machine
from tests.lab.provisioned import ProvisionLab, provision_lab
from tests.lab.services import ServedInventory, give_model, service_image

STACK = "a2-cann8.5.0-vllm0.13.0"
FOLDER = "/tmp/npudoctor-lab"
_INSTALLED = ("driver", "firmware", "cann", "nnal", "ascend_runtime")
"""Of what a host has, the packages are at hand too: that is the way back."""
_TOLD = """
{hosts} are up.
  inventory   {inventory}
  packages    {packages}

In another terminal:
  export NPUDOCTOR_PROVISION_PACE=0.1     # simulated hosts need no minutes to come up
  export NPUDOCTOR_DIGESTS={digests}     # the lab made its packages itself
  npudoctor provision --hosts {inventory} --stack {stack} \\
    --packages {packages} --plan

{services}A shell on a host:
{shells}

Enter here ends it: hosts, packages and keys are removed. """
_SERVICES = """The inventory asks for a small service (model "tiny"), which answers afterwards:
{addresses}

"""
_IMAGE = "lab-service:1"


@dataclass
class Wanted:
    """What the words of the command line ask for; `all` is the state of every host, `own` of single ones."""

    names: list[str]
    stack: str = STACK
    folder: Path = Path(FOLDER)
    all: dict[str, str] = field(default_factory=dict)
    own: dict[str, dict[str, str]] = field(default_factory=dict)


def main(words: list[str]) -> None:
    """Start the lab, say what it has, and end it at Enter or Ctrl-C."""
    if reason := why_not():
        sys.exit(f"the lab cannot be here: {reason}")
    wanted = read(words)
    try:
        wanted.folder.mkdir(mode=0o700)
    except FileExistsError:
        sys.exit(
            f"{wanted.folder} is there: another lab has it; give this one folder=/tmp/other.\n"
            "Left over from a lab that was killed? docker rm -f its containers "
            "(docker ps --filter name=npudoctor-lab) and remove the folder"
        )
    try:
        _run(wanted)
    except (KeyboardInterrupt, EOFError):
        print()
    finally:
        shutil.rmtree(wanted.folder, ignore_errors=True)


def read(words: list[str]) -> Wanted:
    """The number of hosts, then `key=value`, `host.key=value`, `stack=…`, `folder=…`, in any order."""
    if not words or not words[0].isdecimal() or any("=" not in word for word in words[1:]):
        sys.exit("type: python -m tests.lab.provisioned NUMBER [KEY=VALUE | HOST.KEY=VALUE | stack=NAME] …")
    wanted = Wanted([f"node{number}" for number in range(1, int(words[0]) + 1)])
    for key, value in (word.split("=", 1) for word in words[1:]):
        host, dot, name = key.partition(".")
        if dot:
            wanted.own.setdefault(host, {})[name] = value
        elif key == "folder":
            wanted.folder = Path(value)
        elif key == "stack":
            wanted.stack = value
        else:
            wanted.all[key] = value
    if others := sorted(set(wanted.own) - set(wanted.names)):
        sys.exit(f"there is no host {', '.join(others)} among {', '.join(wanted.names)}")
    return wanted


def _run(wanted: Wanted) -> None:
    with provision_lab(wanted.folder) as lab:
        print("Packages are being made, hosts are booting …", file=sys.stderr)
        packages = lab.packages(wanted.stack)
        for name in wanted.names:
            state = wanted.all | wanted.own.get(name, {})
            lab.packages(padding=0, **{key: state[key] for key in _INSTALLED if key in state})
            lab.boot(name, **state)
        print(_told(lab, wanted, packages), end="", flush=True)
        input()
        print("Hosts are being removed …", file=sys.stderr)


def _services(lab: ProvisionLab, wanted: Wanted, packages: Path) -> str:
    """For hosts with a real engine: an image, a model, an inventory that asks for both; and what to say."""
    real = [name for name in wanted.names if (wanted.all | wanted.own.get(name, {})).get("docker") == REAL]
    if not real:
        return ""
    service_image(_IMAGE, packages)
    inventory = ServedInventory(lab, real)
    inventory(serving_image=_IMAGE)
    for name in real:
        give_model(lab.hosts[name])
    addresses = (f"  {name:11} http://127.0.0.1:{port}" for name, port in inventory.ports.items())
    return _SERVICES.format(addresses="\n".join(addresses))


def _told(lab: ProvisionLab, wanted: Wanted, packages: Path) -> str:
    machines = [(name, host) for name, host in lab.hosts.items() if isinstance(host, Machine)]
    shells = "\n".join(f"  {name:11} docker exec -it {host.container} bash" for name, host in machines)
    inventory = lab.inventory()
    services = _services(lab, wanted, packages)
    return _TOLD.format(
        hosts=", ".join(wanted.names),
        inventory=inventory,
        packages=packages,
        digests=own_digests(packages),
        stack=wanted.stack,
        shells=shells,
        services=services,
    )


def own_digests(packages: Path) -> Path:
    """Beside the folder, as `sha256sum` writes it: of some names the digests of the vendor's are known."""
    files = sorted(file for file in packages.iterdir() if file.is_file())
    path = packages.with_name("own-digests")
    path.write_text("".join(f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files))
    return path
