"""`npudoctor collect`: save what `check` would read, so that another person can judge it elsewhere."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from npudoctor.cli import options
from npudoctor.cli.sources import check_process
from npudoctor.errors import Exit, UsageError
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
    pid: options.Pid = None,
    timeout: options.Timeout = None,
) -> int:
    """Save what check reads of this machine into a bundle, with tokens and passwords taken out.

    On a host without npudoctor: `npudoctor collect --print-script > collect.sh` here, then there
    `sh collect.sh > host.stream`, and `npudoctor check --from host.stream` here again.
    """
    if print_script:
        return _print_script(output, pid, timeout)
    _check_name(output)
    check_process(pid)
    from npudoctor.collect.local import read_local
    from npudoctor.collect.write import write_bundle

    snapshot = read_local(timeout=timeout, pid=pid, everything=True)
    path = output or Path(f"{snapshot.name}-{time.strftime('%Y%m%d-%H%M%S')}.tar.gz")
    write_bundle(snapshot, path)
    for problem in snapshot.problems:
        print(problem, file=sys.stderr)
    print(path)
    return Exit.INCOMPLETE if snapshot.problems else Exit.OK


def _print_script(output: Path | None, pid: int | None, timeout: float | None) -> Exit:
    from npudoctor.cli.output import Target, put
    from npudoctor.collect.script import render

    put(render(everything=True, pid=pid, timeout=timeout), Target("text", output))
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
