"""The way from the options of `npudoctor provision` to a plan, to a question, and on to the run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from npudoctor.cli.output import targets
from npudoctor.cli.sources import Remote
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.call import DRAINS, Call, share
from npudoctor.words import _

FORMATS = ("text", "json")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options say beside the call itself: where hosts are read from, and what follows the plan."""

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
        only=_words(only),
        skip=_words(skip),
        canary=canary,
        max_unavailable=share("--max-unavailable", max_unavailable),
        max_failed=share("--max-failed", max_failed),
        drain=drain,
        rollback=rollback,
        restart_docker=restart_docker,
        forks=forks,
        timeout=timeout,
        run_folder=run_folder,
        matrix=matrix,
    )


def provision_hosts(call: Call, wishes: Wishes) -> int:
    """Plan for the hosts, and where that is wanted do it; the exit code."""
    targets(wishes.format, wishes.output, FORMATS)
    if not (wishes.remote or wishes.bundles or wishes.sample):
        mend = _("give an inventory, or a list with a comma: --hosts a,b")
        raise UsageError(_("provision needs --hosts"), mend)
    if not (call.stack or call.rollback):
        raise UsageError(_("provision needs --stack"), _("npudoctor matrix show stacks lists them"))
    if call.stack:
        load_stack(load_matrix(call.matrix), call.stack)
    raise UsageError(_("planning is not there yet"), "")


def _words(options: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(word.strip() for option in options or () for word in option.split(",") if word.strip())
