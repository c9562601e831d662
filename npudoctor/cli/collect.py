"""`npudoctor collect`: save what `check` would read, so that another person can judge it elsewhere."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from npudoctor.cli import options
from npudoctor.cli.sources import Chosen, check_process, chosen, reading, remote
from npudoctor.errors import Exit, IncompleteError, UsageError
from npudoctor.words import _

Bundle = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="FILE",
        help=_(
            "The bundle to write: .tar.gz, .tgz, .tar, .zip, or a folder. Default: HOST-DATE.tar.gz here."
        ),
        show_default=False,
    ),
]
PrintScript = Annotated[
    bool,
    typer.Option(
        "--print-script",
        help=_("Print the script that reads a host, to run it by hand where npudoctor is not."),
    ),
]

_NOT_WRITTEN = (".7z", ".bz2", ".gz", ".json", ".rar", ".stream", ".tbz", ".txt", ".txz", ".xz", ".zst")
"""What nobody means as the name of a folder."""


def collect(
    output: Bundle = None,
    print_script: PrintScript = False,
    hosts: options.Hosts = None,
    limit: options.Limit = None,
    forks: options.Forks = None,
    ask_pass: options.AskPass = False,
    ask_become_pass: options.AskBecomePass = False,
    ask_vault_pass: options.AskVaultPass = False,
    pid: options.Pid = None,
    timeout: options.Timeout = None,
) -> int:
    """Save what check reads of a machine into a bundle, with tokens and passwords taken out.

    With --hosts a bundle for each, HOST-DATE.tar.gz, in the folder that --output names.

    On a host without npudoctor: `npudoctor collect --print-script > collect.sh` here, then there
    `sh collect.sh > host.stream`, and `npudoctor check --from host.stream` here again.
    """
    if print_script:
        return _print_script(output, pid, timeout)
    others = remote(hosts, limit, forks, ask_pass, ask_become_pass, ask_vault_pass)
    if others:
        return _collect_remote(chosen(None, None, None, pid, timeout, others), output or Path())
    _check_name(output)
    check_process(pid)
    from npudoctor.collect.local import read_local
    from npudoctor.collect.write import write_bundle

    snapshot = read_local(timeout=timeout, pid=pid, everything=True)
    path = output or Path(_name(snapshot.name))
    write_bundle(snapshot, path)
    for problem in snapshot.problems:
        print(problem, file=sys.stderr)
    print(path)
    return Exit.INCOMPLETE if snapshot.problems else Exit.OK


def _collect_remote(choice: Chosen, folder: Path) -> Exit:
    """A bundle for each host that can be read; `Progress` tells of the others."""
    from npudoctor.collect.write import write_bundle

    if not folder.is_dir():
        raise UsageError(f"{folder}: " + _("is no folder; with --hosts it holds many bundles"), _("make it"))
    code = Exit.OK
    with reading(choice, everything=True) as sources:
        for source in sources:
            try:
                snapshot = source.read()
            except IncompleteError:
                code = Exit.INCOMPLETE
                continue
            path = folder / _name(source.name)
            write_bundle(snapshot, path)
            print(path, flush=True)
            code = Exit.INCOMPLETE if snapshot.problems else code
    return code


def _name(host: str) -> str:
    """`HOST-DATE.tar.gz`, whatever stands in the host's name."""
    return f"{re.sub(r'[^A-Za-z0-9._-]', '_', host)}-{time.strftime('%Y%m%d-%H%M%S')}.tar.gz"


def _print_script(output: Path | None, pid: int | None, timeout: float | None) -> Exit:
    from npudoctor.cli.output import Target, put
    from npudoctor.collect.script import render

    put([render(everything=True, pid=pid, timeout=timeout)], Target("text", output))
    return Exit.OK


def _check_name(output: Path | None) -> None:
    """Refuse what cannot be written before the host is read."""
    if output is None:
        return
    if not output.resolve().parent.is_dir():
        raise UsageError(f"{output}: " + _("its folder is not there"), _("make it first"))
    if output.name.endswith(_NOT_WRITTEN) and not output.name.endswith(".tar.gz"):
        raise UsageError(
            f"{output}: " + _("no such bundle is written"), _("use .tar.gz, .tgz, .tar, .zip or a folder")
        )
    if output.is_dir() and any(output.iterdir()):
        raise UsageError(f"{output}: " + _("is a folder that is not empty"), _("give a new name"))
