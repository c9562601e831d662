"""The findings of the host that a dump came from, by check id."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from npudoctor.collect.dump import Told
from npudoctor.errors import NpudoctorError
from npudoctor.finding import WORST_FIRST, Finding


def findings_of(bundles: list[Path] | None, here: bool) -> dict[str, Finding]:
    """What `check` finds on this machine or in the bundles; empty where neither is asked for.

    Of several hosts the worst finding of each check counts.
    """
    if not bundles and not here:
        return {}
    from npudoctor.checks.registry import all_checks
    from npudoctor.checks.runner import run_checks
    from npudoctor.cli.sources import chosen, reading
    from npudoctor.host import Host, load_areas
    from npudoctor.matrix import load_matrix

    load_areas()
    matrix = load_matrix(None)
    worst: dict[str, Finding] = {}
    with reading(chosen(bundles, None)) as sources:
        for source in sources:
            _worse(worst, run_checks(all_checks(), Host(source.read()), matrix))
    return worst


def findings_beside(told: Told) -> dict[str, Finding]:
    """What `check` finds in the bundles that lie in the dump; one that cannot be read is told of."""
    worst: dict[str, Finding] = {}
    for path in dict.fromkeys(told.bundles):
        try:
            _worse(worst, findings_of([Path(path)], False).values())
        except NpudoctorError as error:
            told.problem(str(error))
    return worst


def _worse(worst: dict[str, Finding], findings: Iterable[Finding]) -> None:
    """Keep the worst finding of each check."""
    for finding in findings:
        known = worst.get(finding.id)
        if known is None or WORST_FIRST.index(finding.status) < WORST_FIRST.index(known.status):
            worst[finding.id] = finding
