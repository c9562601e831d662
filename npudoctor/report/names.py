"""Names that stay apart: readers of other formats take two rows of one name for one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.finding import Finding
    from npudoctor.report.report import HostReport


def hosts_apart(hosts: Iterable[HostReport]) -> Iterator[tuple[str, HostReport]]:
    """Every host with a name of its own: the second `node1` is `node1 (its bundle)`, or `node1 #2`."""
    seen: Counter[str] = Counter()
    for host in hosts:
        name = f"{host.name} ({host.path})" if seen[host.name] and host.path else host.name
        seen[host.name] += 1
        if name != host.name:
            seen[name] += 1
        yield (name if seen[name] == 1 else f"{name} #{seen[name]}"), host


def findings_apart(findings: Iterable[Finding]) -> Iterator[tuple[str, Finding]]:
    """Every finding of a host with a name of its own: its id, from the second on with a number."""
    seen: Counter[str] = Counter()
    for finding in findings:
        seen[finding.id] += 1
        number = seen[finding.id]
        yield (finding.id if number == 1 else f"{finding.id} #{number}"), finding
