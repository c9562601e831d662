"""The findings of the host that a dump came from, by check id."""

from __future__ import annotations

from pathlib import Path

from npudoctor.finding import Finding


def findings_of(bundles: list[Path] | None, here: bool) -> dict[str, Finding]:
    """What `check` finds on this machine or in the bundles; empty where neither is asked for.

    Of several hosts the worst finding of each check counts.
    """
    if not bundles and not here:
        return {}
    from npudoctor.checks.registry import all_checks
    from npudoctor.checks.runner import run_checks
    from npudoctor.cli.sources import chosen, reading
    from npudoctor.finding import WORST_FIRST
    from npudoctor.host import Host, load_areas
    from npudoctor.matrix import load_matrix

    load_areas()
    matrix = load_matrix(None)
    worst: dict[str, Finding] = {}
    with reading(chosen(bundles, None)) as sources:
        for source in sources:
            for finding in run_checks(all_checks(), Host(source.read()), matrix):
                known = worst.get(finding.id)
                if known is None or WORST_FIRST.index(finding.status) < WORST_FIRST.index(known.status):
                    worst[finding.id] = finding
    return worst
