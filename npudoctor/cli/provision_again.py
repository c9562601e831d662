"""What `resume` and `retry` share: a run that was begun before, and its hosts as the inventory has them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from npudoctor.cli.sources import Remote
from npudoctor.collect.inventory import Target
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.provision.call import Call
from npudoctor.provision.packages.near import kept_here
from npudoctor.provision.packages.place import default_store, open_place
from npudoctor.provision.planned import Plan
from npudoctor.provision.run.call_file import call_of_json
from npudoctor.provision.run.folder import RunFolder, default_runs, find_run
from npudoctor.provision.run.stage import File
from npudoctor.words import _


@dataclass(frozen=True, slots=True)
class Passwords:
    """Which passwords are asked for: none is ever kept with a run."""

    login: bool
    become: bool
    vault: bool


def begun(run: str | None, run_dir: Path | None) -> tuple[RunFolder, Call]:
    """The run of that name, or the newest one, and its call; raises `UsageError` where there is none."""
    folder = find_run(run_dir or default_runs(), run)
    return folder, call_of_json(folder.get("call.json"))


def remote_of(call: Call, limit: str | None, passwords: Passwords) -> Remote:
    """How its hosts are read: as then, but with passwords that are typed now."""
    return Remote(call.hosts, limit, call.forks, passwords.login, passwords.become, passwords.vault)


def files_of(plan: Plan, call: Call) -> dict[str, File]:
    """Its packages, by digest, where they still are at their place; what is not may be on the hosts."""
    where = call.packages or str(default_store())
    if not plan.files or not (call.packages or Path(where).is_dir()):
        return {}
    place = open_place(where)
    held = {sha256: place.held(name) for sha256, (name, _size) in plan.files.items()}
    return {
        sha256: File(name, size, (found.path if found else None) or kept_here(sha256))
        for sha256, (name, size) in plan.files.items()
        for found in (held[sha256],)
    }


def check_hosts(plan: Plan, targets: Iterable[Target]) -> None:
    """Raise `UsageError` where the inventory has none of the plan's hosts any more."""
    if not {host.name for host in plan.hosts} & {target.name for target in targets}:
        raise UsageError(_("the inventory has none of the hosts of that run"), _("plan again"))
