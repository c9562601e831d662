"""From hosts to the report: what `check` does once it knows which hosts and what is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from npudoctor.checks.runner import run_checks, run_fleet_checks
from npudoctor.cli.sources import Source
from npudoctor.errors import IncompleteError
from npudoctor.host import Host
from npudoctor.report.about import about
from npudoctor.report.report import HostReport, Report

if TYPE_CHECKING:
    from npudoctor.checks.registry import Check
    from npudoctor.matrix import Matrix


@dataclass
class Judge:
    """Runs the same checks, against the same matrix, on one host after the other."""

    checks: Sequence[Check]
    matrix: Matrix
    hosts: list[Host] = field(default_factory=list)

    def report(self, sources: Sequence[Source]) -> Report:
        """What was found on every host, and on all of them together."""
        hosts = tuple(self._judge(source) for source in sources)
        fleet = run_fleet_checks(self.checks, self.hosts, self.matrix)
        return Report(hosts, tuple(fleet), self.matrix.updated, self.matrix.sha256)

    def _judge(self, source: Source) -> HostReport:
        try:
            host = Host(source.read())
        except IncompleteError as error:
            return HostReport(source.name, source.kind, error=str(error))
        self.hosts.append(host)
        return HostReport(
            name=host.name,
            source=host.snapshot.source,
            findings=tuple(run_checks(self.checks, host, self.matrix)),
            error="; ".join(host.snapshot.problems) or None,
            about=about(host),
        )
