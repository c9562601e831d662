"""`npudoctor collect`: save what `check` would read, so that another person can judge it elsewhere."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from npudoctor.cli import options
from npudoctor.cli.sources import Chosen, Source, chosen, reading, remote
from npudoctor.collect.since import Since, read_since
from npudoctor.collect.snapshot import Snapshot
from npudoctor.errors import Exit, IncompleteError, UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.collect.redact.redactor import Run

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

Logs = Annotated[
    str | None,
    typer.Option(
        "--logs",
        metavar="SINCE",
        help=_("Error logs too that changed since then: 2h, 3d, or 2026-11-29T10:00."),
        show_default=False,
    ),
]
PrivateMap = Annotated[
    Path | None,
    typer.Option(
        "--map",
        metavar="FILE",
        help=_(
            "Keep in this file, for your eyes only, what the tokens in bundles stand for; given again, hosts"
            " get the same tokens as before."
        ),
        show_default=False,
    ),
]

_NOT_WRITTEN = (".7z", ".bz2", ".gz", ".json", ".rar", ".stream", ".tbz", ".txt", ".txz", ".xz", ".zst")
"""What nobody means as the name of a folder."""


def collect(
    output: Bundle = None,
    logs: Logs = None,
    private_map: PrivateMap = None,
    print_script: PrintScript = False,
    hosts: options.Hosts = None,
    limit: options.Limit = None,
    forks: options.Forks = None,
    ask_pass: options.AskPass = False,
    ask_become_pass: options.AskBecomePass = False,
    ask_vault_pass: options.AskVaultPass = False,
    bundles: options.From = None,
    more: options.MorePaths = None,
    container: options.Container = None,
    pid: options.Pid = None,
    timeout: options.Timeout = None,
) -> int:
    """Save what check reads of a machine into a redacted bundle.

    Passwords and tokens are taken out; names of hosts and people, addresses and serial numbers are replaced
    by others, the same ones throughout a run. With --hosts a bundle for each, HOST-DATE.tar.gz, in the
    folder that --output names.

    On a host without npudoctor: `npudoctor collect --print-script > collect.sh` here, then there
    `sh collect.sh > host.stream`, and `npudoctor check --from host.stream` here again. Such a stream is as
    it was read: `npudoctor collect --from host.stream` makes a redacted bundle of it.
    """
    since = read_since(logs) if logs is not None else None
    if print_script:
        _refuse(private_map, "--map", _("a printed script redacts nothing; collect --from STREAM does"))
        return _print_script(output, pid, timeout, since)
    if bundles:
        _refuse(logs, "--logs", _("what is not in a bundle cannot be read any more"))
    others = remote(hosts, limit, forks, ask_pass, ask_become_pass, ask_vault_pass)
    if others and container:
        raise UsageError(
            _("collect reads a container on its own host only"), _("leave out --hosts or --container")
        )
    choice = chosen(bundles, more, None, pid, timeout, others, container)
    many = others is not None or len(choice.bundles) > 1
    _check_folder(output) if many else _check_name(output)
    return _Bundles(output, many, private_map).write(replace(choice, since=since))


class _Bundles:
    """The bundles of one run, and the private map of their tokens.

    Attributes:
        output: The folder for many, the file for one; None: here, under a name of its own.
    """

    def __init__(self, output: Path | None, many: bool, private_map: Path | None) -> None:
        from npudoctor.collect.redact.private_map import read_map

        self.output, self._many, self._map = output, many, private_map
        self._tokens = read_map(private_map) if private_map else None

    def write(self, choice: Chosen) -> Exit:
        """A bundle for each host that can be read; of many, `Progress` tells of the others."""
        from npudoctor.collect.redact.redactor import Run

        code = Exit.OK
        with reading(choice, everything=True) as sources:
            run = Run(self._tokens, sources.hosts, sources.users)
            try:
                for source in sources:
                    code = max(code, self._one(source, run))
            finally:
                self._keep(run)
        return code

    def _one(self, source: Source, run: Run) -> Exit:
        from npudoctor.collect.write import write_bundle

        try:
            snapshot = source.read()
        except IncompleteError:
            if not self._many:
                raise
            return Exit.INCOMPLETE
        path = self._path(snapshot, source, run)
        write_bundle(snapshot, path, run)
        for problem in () if self._many else snapshot.problems:
            print(problem, file=sys.stderr)
        print(path, flush=True)
        return Exit.INCOMPLETE if snapshot.problems else Exit.OK

    def _path(self, snapshot: Snapshot, source: Source, run: Run) -> Path:
        """Where the map says who is who, the name of a file need not, and does not."""
        if self.output and not self._many:
            return self.output
        name = source.name if source.kind == "ssh" else snapshot.name
        return (self.output or Path()) / _name(run.host(snapshot).name(name) if self._map else name)

    def _keep(self, run: Run) -> None:
        from npudoctor.collect.redact.private_map import write_map

        if self._map:
            write_map(run.tokens, self._map)


def _name(host: str) -> str:
    """`HOST-DATE.tar.gz`, whatever stands in the host's name."""
    return f"{re.sub(r'[^A-Za-z0-9._-]', '_', host)}-{time.strftime('%Y%m%d-%H%M%S')}.tar.gz"


def _print_script(output: Path | None, pid: int | None, timeout: float | None, since: Since | None) -> Exit:
    from npudoctor.cli.output import Target, put
    from npudoctor.collect.script import render

    put([render(everything=True, pid=pid, timeout=timeout, since=since)], Target("text", output))
    return Exit.OK


def _refuse(value: object, option: str, why: str) -> None:
    if value is not None:
        raise UsageError(f"{option}: {why}", _("leave it out"))


def _check_folder(folder: Path | None) -> None:
    if folder and not folder.is_dir():
        raise UsageError(f"{folder}: " + _("is no folder; with --hosts it holds many bundles"), _("make it"))


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
