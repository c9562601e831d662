"""From a plan that was agreed to, to the run and its report."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from npudoctor.cli.interrupt import interruptible
from npudoctor.cli.output import Target, put, style_for
from npudoctor.cli.provision_progress import ProvisionProgress
from npudoctor.errors import Exit
from npudoctor.provision.call import Call
from npudoctor.provision.plan.canonical import as_json as plan_as_json
from npudoctor.provision.planned import Plan
from npudoctor.provision.run.call_file import call_as_json
from npudoctor.provision.run.folder import RunFolder, default_runs
from npudoctor.provision.run.result import RunResult, as_json, exit_of
from npudoctor.provision.run.start import Means, Run
from npudoctor.report.provision_text import to_text


def run_plan(
    plan: Plan,
    call: Call,
    means: Means,
    reports: Sequence[Target],
    *,
    retry: bool = False,
    verbose: bool = False,
) -> Exit:
    """Begin a run; the exit code. `reports`: where the report goes, and in which format."""
    runs = call.run_folder or default_runs()
    folder = RunFolder.new(runs, call_as_json(call), plan_as_json(plan))
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
    except KeyboardInterrupt:  # the second one: there is no report, which would say it
        print(f"npudoctor provision resume {folder.words}", file=sys.stderr)
        raise
    finally:
        folder.close()
    for target in reports:
        put(_text(result, target, verbose), target)
    return exit_of(result)


def _text(result: RunResult, target: Target, verbose: bool) -> Sequence[str]:
    if target.format == "json":
        return [json.dumps(as_json(result), indent=2, ensure_ascii=False) + "\n"]
    return list(to_text(result, style_for(target, verbose)))
