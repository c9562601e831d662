"""`npudoctor facts`: read hosts and print what was understood, without a judgement."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from npudoctor.cli import options
from npudoctor.cli.nearest import nearest
from npudoctor.cli.output import Target, put
from npudoctor.cli.sources import Source, Sources, chosen, list_samples, reading, remote
from npudoctor.collect.snapshot import Snapshot
from npudoctor.errors import Exit, IncompleteError, UsageError
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
    timeout: options.Timeout = None,
    area: Area = None,
    output: File = None,
) -> int:
    """Print the parsed facts of this machine, of others over SSH, or of recorded ones, as JSON.

    A fact is {"value": ..., "source": ...}, or {"unavailable": why} where it could not be read.
    """
    if sample == "list":
        return list_samples()
    others = remote(hosts, limit, forks, ask_pass, ask_become_pass, ask_vault_pass)
    with reading(chosen(from_, more, sample, pid, timeout, others, container)) as sources:
        whole = _put_facts(sources, _areas(area or []), Target("json", output))
    return Exit.OK if whole else Exit.INCOMPLETE


def _put_facts(sources: Sources, areas: tuple[str, ...], target: Target) -> bool:
    """Print the facts of every host, of which only the text is kept; False where one is incomplete."""
    from npudoctor.host import Host
    from npudoctor.report.facts import facts_of, facts_to_json
    from npudoctor.spill import Spill

    texts: Spill[str] = Spill()
    whole = True
    for source in sources:
        snapshot = _read(source)
        whole = whole and snapshot is not None and not snapshot.problems
        if snapshot is not None:
            texts.put(source.place, facts_of(Host(snapshot), areas))
    put(facts_to_json(texts), target)
    return whole


def _read(source: Source) -> Snapshot | None:
    """Of hosts over SSH, one that cannot be read is told of already, and does not end the run."""
    try:
        return source.read()
    except IncompleteError:
        if source.kind == "ssh":
            return None
        raise


def _areas(names: list[str]) -> tuple[str, ...]:
    from npudoctor.host import AREAS

    for name in names:
        if name not in AREAS:
            known = _("areas are {names}").format(names=", ".join(AREAS))
            raise UsageError(_("there is no area {name}").format(name=name), nearest(name, AREAS, known))
    return tuple(names) or AREAS
