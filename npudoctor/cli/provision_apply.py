"""From a plan that was agreed to, to the run and its report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from npudoctor.cli.interrupt import interruptible
from npudoctor.cli.output import Target, put, style_for
from npudoctor.cli.provision_progress import ProvisionProgress
from npudoctor.collect.inventory import Target as Host
from npudoctor.collect.ssh_config import SshConfig
from npudoctor.errors import Exit
from npudoctor.matrix import Matrix
from npudoctor.provision.call import Call
from npudoctor.provision.packages.find import Found
from npudoctor.provision.plan.canonical import as_json as plan_as_json
from npudoctor.provision.plan.make import Planner
from npudoctor.provision.planned import Plan
from npudoctor.provision.run.call_file import call_as_json
from npudoctor.provision.run.folder import RunFolder, default_runs
from npudoctor.provision.run.result import RunResult, as_json, exit_of
from npudoctor.provision.run.stage import File
from npudoctor.provision.run.start import Means, Run
from npudoctor.report.provision_text import to_text


def means_of(hosts: Sequence[Host], planner: Planner, matrix: Matrix) -> Means:
    """What a run needs beside its plan: hosts as the inventory has them, and packages on this machine."""
    found: dict[str, Found] = getattr(planner.shelf, "found", {})
    files = {sha256: File(one.name, one.size or 0, _path(one)) for sha256, one in found.items()}
    return Means({host.name: host for host in hosts}, SshConfig(), matrix, planner, files)


def _path(found: Found) -> Path | None:
    return found.held.path if found.held and not found.zipped else None


def apply(
    call: Call,
    plan: Plan,
    planner: Planner,
    hosts: Sequence[Host],
    matrix: Matrix,
    reports: Sequence[Target] = (Target("text", None),),
    *,
    retry: bool = False,
    verbose: bool = False,
) -> Exit:
    """Begin a run; the exit code. `reports`: where the report goes, and in which format."""
    runs = call.run_folder or default_runs()
    folder = RunFolder.new(runs, call_as_json(call), plan_as_json(plan))
    means = means_of(hosts, planner, matrix)
    return go_on(plan, call, means, folder, reports, retry=retry, verbose=verbose)


def go_on(
    plan: Plan,
    call: Call,
    means: Means,
    folder: RunFolder,
    reports: Sequence[Target],
    *,
    retry: bool = False,
    verbose: bool = False,
) -> Exit:
    """Bring a run to its end, from wherever it is. Ctrl-C ends it at once; hosts can go on where they are."""
    try:
        run = Run(plan, call, means, folder, retry=retry, told=ProvisionProgress().tell)
        with interruptible(run.stop):
            result = run.go()
    finally:
        folder.close()
    for target in reports:
        put(_text(result, target, verbose), target)
    return exit_of(result)


def _text(result: RunResult, target: Target, verbose: bool) -> Sequence[str]:
    if target.format == "json":
        return [json.dumps(as_json(result), indent=2, ensure_ascii=False) + "\n"]
    return list(to_text(result, style_for(target, verbose)))
