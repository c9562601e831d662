"""`npudoctor facts`: read hosts and print what was understood, without a judgement."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from npudoctor.cli import options
from npudoctor.cli.nearest import nearest
from npudoctor.cli.output import Target, put
from npudoctor.cli.sources import chosen, list_samples, reading
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _

Area = Annotated[
    list[str] | None,
    typer.Option("--area", metavar="NAME", help=_("Print this area only (driver, cann, ...). Repeatable.")),
]
File = Annotated[
    Path | None,
    typer.Option("--output", metavar="FILE", help=_("Write the facts to FILE."), show_default=False),
]


def facts(
    from_: options.From = None,
    more: options.MorePaths = None,
    sample: options.Sample = None,
    pid: options.Pid = None,
    timeout: options.Timeout = None,
    area: Area = None,
    output: File = None,
) -> int:
    """Print the parsed facts of this machine, or of recorded ones, as JSON.

    A fact is {"value": ..., "source": ...}, or {"unavailable": why} where it could not be read.
    """
    if sample == "list":
        return list_samples()
    with reading(chosen(from_, more, sample, pid, timeout)) as sources:
        from npudoctor.host import Host
        from npudoctor.report.facts import facts_to_json

        areas = _areas(area or [])
        hosts = [Host(source.read()) for source in sources]
    put(facts_to_json(hosts, areas), Target("json", output))
    return Exit.INCOMPLETE if any(host.snapshot.problems for host in hosts) else Exit.OK


def _areas(names: list[str]) -> tuple[str, ...]:
    from npudoctor.host import AREAS

    for name in names:
        if name not in AREAS:
            known = _("areas are {names}").format(names=", ".join(AREAS))
            raise UsageError(_("there is no area {name}").format(name=name), nearest(name, AREAS, known))
    return tuple(names) or AREAS
