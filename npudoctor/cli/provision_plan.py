"""The way from the options of `npudoctor provision` to a plan, to a question, and on to the run."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from npudoctor.cli.judge import workers_for
from npudoctor.cli.judging import Task
from npudoctor.cli.output import Target as Output
from npudoctor.cli.output import put, style_for, targets
from npudoctor.cli.remote import reading_targets, targets_of, vault_of
from npudoctor.cli.sources import Chosen, Remote, Sources, chosen, reading
from npudoctor.cli.surveying import survey_of, survey_task, unsurveyed
from npudoctor.collect.inventory import Target
from npudoctor.collect.script import render
from npudoctor.dataclass import dataclass
from npudoctor.errors import Exit, UsageError
from npudoctor.host import load_areas
from npudoctor.matrix import Matrix, load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.call import DRAINS, Call, share
from npudoctor.provision.packages.shelf import PlaceShelf, open_shelf
from npudoctor.provision.plan.answers import read_answers
from npudoctor.provision.plan.back import back, nothing
from npudoctor.provision.plan.canonical import as_json
from npudoctor.provision.plan.controller import Controller, controller
from npudoctor.provision.plan.make import Planner
from npudoctor.provision.plan.names import misnamed, prefixes
from npudoctor.provision.plan.survey import Surveyed
from npudoctor.provision.plan.wanted import wanted_of
from npudoctor.provision.planned import Outcome, Plan
from npudoctor.report.plan_text import to_text
from npudoctor.words import _, ngettext

if TYPE_CHECKING:
    from npudoctor.provision.run.start import Means

FORMATS = ("text", "json")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options say beside the call itself: where hosts are read from, and what follows the plan.

    `retry`: whether hosts that an earlier run left stuck are tried again.
    """

    remote: Remote | None
    bundles: tuple[Path, ...]
    sample: str | None
    plan: bool
    check: bool
    yes: bool
    answers: Path | None
    format: str
    output: tuple[str, ...]
    verbose: bool
    retry: bool = False


def call_of(
    *,
    hosts: str | None,
    stack: str | None,
    limit: str | None,
    packages: str | None,
    only: Iterable[str] | None,
    skip: Iterable[str] | None,
    canary: int,
    max_unavailable: str,
    max_failed: str,
    drain: str,
    rollback: bool,
    restart_docker: bool,
    rack_cache: int,
    forks: int | None,
    timeout: float | None,
    run_folder: Path | None,
    matrix: Path | None,
) -> Call:
    """The call; raises `UsageError` where an option is not what it may be."""
    if drain not in DRAINS:
        what = _("--drain {text}: is not known").format(text=drain)
        raise UsageError(what, _("use ") + ", ".join(DRAINS))
    return Call(
        hosts=hosts or "",
        stack=stack or "",
        limit=limit,
        packages=packages,
        only=_words("--only", only),
        skip=_words("--skip", skip),
        canary=canary,
        max_unavailable=share("--max-unavailable", max_unavailable, none=False),
        max_failed=share("--max-failed", max_failed),
        drain=drain,
        rollback=rollback,
        restart_docker=restart_docker,
        rack_cache=rack_cache,
        forks=forks,
        timeout=timeout,
        run_folder=run_folder,
        matrix=matrix,
    )


def provision_hosts(call: Call, wishes: Wishes) -> int:
    """Plan for the hosts, and where that is wanted do it; the exit code."""
    wanted = targets(wishes.format, wishes.output, FORMATS)
    choice = chosen(list(wishes.bundles), None, wishes.sample, remote=wishes.remote)
    if not (wishes.remote or wishes.bundles or wishes.sample):
        mend = _("give an inventory, or a list with a comma: --hosts a,b")
        raise UsageError(_("provision needs --hosts"), mend)
    if not (call.stack or call.rollback):
        raise UsageError(_("provision needs --stack"), _("npudoctor matrix show stacks lists them"))
    matrix = load_matrix(call.matrix)
    planner = planner_of(call, matrix, wishes.answers, retry=wishes.retry)
    with _changing_nothing():
        hosts = targets_of(wishes.remote, prefixes()) if wishes.remote else []
        check_names(call.hosts, hosts)
        if not (wishes.plan or wishes.check):
            check_logins(hosts, planner.controller)
        seen = _surveyed(call, choice, hosts, matrix)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        plan = back(planner, seen, now) if call.rollback else planner.plan(seen, now)
    if wishes.plan or wishes.check or not wishes.remote:
        return _only_shown(plan, wishes, wanted, asked=True)
    if not _goes_on(plan, wishes):
        return _only_shown(plan, wishes, wanted, asked=False)
    from npudoctor.cli.provision_run import run_plan

    with _changing_nothing():
        means = replace(means_of(hosts, matrix, planner), vault=vault_of(wishes.remote))
    return run_plan(plan, call, means, wanted, retry=wishes.retry, verbose=wishes.verbose)


def _only_shown(plan: Plan, wishes: Wishes, wanted: list[Output], *, asked: bool) -> Exit:
    """The plan and nothing else; `asked`: whether that is what was asked for."""
    for target in wanted:
        put(_shown(plan, target, wishes.verbose), target)
    if asked:
        return _exit(plan, wishes)
    again = shlex.join(["npudoctor", *sys.argv[1:], "--yes"])
    print(_("Nothing was changed. To do it, type: {line}").format(line=again), file=sys.stderr)
    return Exit.FINDINGS


def _goes_on(plan: Plan, wishes: Wishes) -> bool:
    """Show the plan beside the report that follows, and ask; False where nobody says yes.

    Where every host is blocked or not reached nobody is asked, but the report does not say how to mend it.
    """
    outcomes = {host.outcome for host in plan.hosts}
    asks = Outcome.CHANGE in outcomes and not wishes.yes
    if asks and not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    if outcomes - {Outcome.CONVERGED}:
        sys.stderr.writelines(_shown(plan, Output("text", None), wishes.verbose))
    return not asks or confirmed()


def confirmed() -> bool:
    """Ask whether to do it. Raises KeyboardInterrupt where Ctrl-C or the end of the input is the answer."""
    with _changing_nothing():
        try:
            return typer.confirm(_("Do it?"), err=True)
        except typer.Abort:
            raise KeyboardInterrupt from None


@contextmanager
def _changing_nothing() -> Iterator[None]:
    """Ctrl-C ends it; and whoever types that wants to know whether a host was touched."""
    try:
        yield
    except KeyboardInterrupt:
        print("\n" + _("Nothing was changed."), file=sys.stderr)
        raise


def planner_of(call: Call, matrix: Matrix, answers: Path | None = None, *, retry: bool = False) -> Planner:
    """What makes the plans of a call; raises `UsageError` for a stack, component or answer there is not."""
    stack = load_stack(matrix, call.stack) if call.stack else None
    return Planner(
        wanted=wanted_of(stack, call.only, call.skip) if stack else nothing(),
        controller=controller(),
        shelf=open_shelf(call.packages),
        answers=read_answers(answers),
        drained=call.drain != "none",
        restart_docker=call.restart_docker,
        retry=retry,
    )


def check_names(inventory: str, hosts: Sequence[Target]) -> None:
    """Raises `UsageError` where variables are misspelt or empty, and tells each in a line of its own."""
    lines = list(misnamed(hosts)) if any(host.variables for host in hosts) else []
    if not lines:
        return
    for line in lines:
        print(f"npudoctor: {line}", file=sys.stderr)
    what = ngettext("{n} variable is misspelt or empty", "{n} variables are misspelt or empty", len(lines))
    mend = _(
        "mend it there, or list the name in npudoctor_known_variables if it is right; nothing was changed"
    )
    raise UsageError(f"--hosts {inventory}: " + what.format(n=len(lines)), mend)


def check_logins(hosts: Iterable[Target], here: Controller) -> None:
    """Raises `UsageError` where the doctor could log in with a password, and Ansible could not."""
    by_password = any(host.password is not None and not host.local for host in hosts)
    if by_password and here.needs_sshpass and not shutil.which("sshpass"):
        what = _("ansible-core {core} logs in with a password by sshpass, which is not here")
        mend = _("install sshpass or ansible-core 2.19, or log in by a key")
        raise UsageError(what.format(core=here.core), mend)


def means_of(hosts: list[Target], matrix: Matrix, planner: Planner) -> Means:
    """What a run needs beside its plan."""
    from npudoctor.cli.counting import Counting
    from npudoctor.collect.ssh_config import SshConfig
    from npudoctor.provision.packages.near import near
    from npudoctor.provision.run.stage import File
    from npudoctor.provision.run.start import Means

    shelf = planner.shelf
    assert isinstance(shelf, PlaceShelf)
    with Counting() as counting:
        paths = near(shelf.found.values(), planner.wanted.stack.name, counting.tell)
    files = {
        sha256: File(one.name, one.size or 0, paths.get(sha256), mirrored=one.is_mirrored)
        for sha256, one in shelf.found.items()
    }
    return Means({host.name: host for host in hosts}, SshConfig(), matrix, planner, files)


def _surveyed(call: Call, choice: Chosen, hosts: list[Target], matrix: Matrix) -> list[Surveyed]:
    """Every host, in the order of the inventory; many of them are judged in several processes."""
    load_areas()
    told = {host.name: host for host in hosts}
    with _reading(call, choice, hosts) as sources:
        tasks = ((source.place, Task(source.name, source.kind, source.read)) for source in sources)
        number = workers_for(len(sources))
        if number < 2:
            found = {place: survey_task(task, matrix) for place, task in tasks}
        else:
            from npudoctor.cli.workers import Workers

            with Workers(number, partial(survey_of, call.matrix), unsurveyed) as workers:
                found = dict(workers.judge(tasks))
    return [_told(found[place], told) for place in sorted(found)]


def _told(found: Surveyed, told: dict[str, Target]) -> Surveyed:
    """With what the inventory says of the host."""
    host = told.get(found.name)
    if host is None:
        return found
    return replace(
        found,
        domain=host.domain,
        hccn=host.hccn,
        wheels=host.wheels,
        docker=host.docker,
        serving=host.serving,
        login=login_of(host),
    )


def login_of(host: Target) -> str:
    """What comes after `ssh` to log in there as the inventory says; the rest is for `~/.ssh/config`."""
    words = [*(["-p", str(host.port)] if host.port else []), *(["-i", host.key] if host.key else [])]
    words += [word for name, value in host.options for word in ("-o", f"{name}={value}")]
    return shlex.join([*words, f"{host.user}@{host.address}" if host.user else host.address])


@contextmanager
def _reading(call: Call, choice: Chosen, hosts: list[Target]) -> Iterator[Sources]:
    if choice.remote:
        script = render(provisioning=True)
        with reading_targets(hosts, script, call.forks, call.timeout) as sources:
            yield sources
        return
    with reading(choice) as sources:
        yield sources


def _shown(plan: Plan, target: Output, verbose: bool) -> Iterable[str]:
    content = as_json(plan)
    if target.format == "json":
        return [json.dumps(content, indent=2, ensure_ascii=False) + "\n"]
    return to_text(plan, style_for(target, verbose), content["sha256"])


def _exit(plan: Plan, wishes: Wishes) -> Exit:
    outcomes = {host.outcome for host in plan.hosts}
    differs = wishes.check and Outcome.CHANGE in outcomes
    if Outcome.BLOCKED in outcomes or differs:
        return Exit.FINDINGS
    return Exit.INCOMPLETE if Outcome.NOT_REACHED in outcomes else Exit.OK


def _words(option: str, given: Iterable[str] | None) -> tuple[str, ...]:
    """The names of an option; raises `UsageError` where it is given and names nothing (`--only $UNSET`)."""
    texts = list(given or ())
    words = tuple(word.strip() for text in texts for word in text.split(",") if word.strip())
    if texts and not words:
        what = _("{option}: no component is named").format(option=option)
        raise UsageError(what, _("write driver,firmware"))
    return words
