"""`npudoctor check`: read hosts, judge them, report."""

from __future__ import annotations

import os
from dataclasses import replace

from npudoctor.cli import options
from npudoctor.cli.sources import chosen, list_samples, reading, remote
from npudoctor.errors import UsageError
from npudoctor.words import _, choose_language


def check(
    hosts: options.Hosts = None,
    limit: options.Limit = None,
    forks: options.Forks = None,
    ask_pass: options.AskPass = False,
    ask_become_pass: options.AskBecomePass = False,
    ask_vault_pass: options.AskVaultPass = False,
    from_: options.From = None,
    more: options.MorePaths = None,
    sample: options.Sample = None,
    container: options.Container = None,
    pid: options.Pid = None,
    model: options.ModelFolder = None,
    timeout: options.Timeout = None,
    only: options.Only = None,
    skip: options.Skip = None,
    waivers: options.Waivers = None,
    strict_waivers: options.StrictWaivers = False,
    stack: options.Stack = None,
    matrix: options.MatrixFile = None,
    fail_on: options.FailOn = "fail",
    format: options.Format = "text",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int:
    """Examine this machine, others over SSH, or recorded ones: what is wrong, why, and how to mend it.

    Exits with 0 where nothing is at or above --fail-on, with 1 where something is, with 3 where a host
    could not be read wholly.
    """
    choose_language(lang)
    if sample == "list":
        return list_samples()
    others = remote(hosts, limit, forks, ask_pass, ask_become_pass, ask_vault_pass)
    recorded = bool(from_ or sample)
    choice = replace(
        chosen(from_, more, sample, pid, timeout, others, container), model=_folder(model, hosts, recorded)
    )
    with reading(choice) as sources:
        from npudoctor.cli.judge import Wishes, judge  # the host is being read meanwhile

        wishes = Wishes(
            only, skip, matrix, fail_on, exit_zero, format, output, verbose, waivers, strict_waivers, stack
        )
        return judge(sources, wishes)


def _folder(model: str | None, hosts: str | None, recorded: bool) -> str | None:
    """A whole path: nobody knows where a relative one begins elsewhere; in a bundle there is none."""
    if model is not None and recorded:
        what = _("--model looks at a folder on a host, not in what was recorded of it")
        raise UsageError(what, "NPUDOCTOR_MODEL=DIR npudoctor collect")
    if model is None or model.startswith("/"):
        return model
    if not model or hosts:
        raise UsageError(_("--model {path}: give the whole path").format(path=model), "--model /models/NAME")
    return os.path.abspath(model)
