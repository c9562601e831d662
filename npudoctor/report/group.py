"""What many hosts share, told once: their findings, what they are, why they could not be read.

One pass over the hosts, of which only names are kept: the same for forty hosts and for ten thousand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from npudoctor.finding import WORST_FIRST, Finding, Status
from npudoctor.regex import regex
from npudoctor.report.lines import TOLD, area_of, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.report.report import HostReport

_MOST_VARIANTS = 8
"""Findings of one check that differ in more than a number, before the rest is told together."""
_MOST_WORDS = 50
"""Different words of one group that are kept."""
_ALONE = regex(r"(?<![\w.])\d+(?![\w.])")
"""A number that stands by itself: of a chip, a size, a count. Versions and addresses are more than that."""
_ANY = regex(r"\d+")


@dataclass
class Group:
    """A finding that several hosts have, but for the numbers in it.

    Attributes:
        finding: That of the first host.
        hosts: All of them, by name.
        words: What was found on which hosts, by `actual`; of many different ones the first.
    """

    finding: Finding
    hosts: list[str] = field(default_factory=list)
    words: dict[str, list[str]] = field(default_factory=dict)

    def add(self, host: str, actual: str) -> None:
        """One host more."""
        self.hosts.append(host)
        if actual in self.words or len(self.words) < _MOST_WORDS:
            self.words.setdefault(actual, []).append(host)


@dataclass
class Gap:
    """What could not be known for one reason: the checks, on how many hosts each, and the hosts."""

    reason: str
    whole: str
    checks: Counter[str] = field(default_factory=Counter)
    hosts: dict[str, None] = field(default_factory=dict)
    one_place: bool = True


@dataclass
class Hosts:
    """Hosts with the same words: of what they are, or why they could not be read (those of the first)."""

    words: str
    names: list[str] = field(default_factory=list)


class Groups:
    """Everything that a fleet has in common.

    Attributes:
        kinds: What the hosts are, most hosts first.
        unread: Why hosts could not be read, wholly or in part, most hosts first.
        findings: Worst first, then most hosts first.
        gaps: Why checks are unknown, the reasons of the fewest checks first.
    """

    def __init__(self, hosts: Iterable[HostReport]) -> None:
        self._kinds: dict[str, Hosts] = {}
        self._unread: dict[str, Hosts] = {}
        self._findings: dict[tuple[str, ...], Group] = {}
        self._gaps: dict[str, Gap] = {}
        self._variants: Counter[tuple[str, str]] = Counter()
        for host in hosts:
            self._add(host)

    @property
    def kinds(self) -> list[Hosts]:
        """What the hosts are."""
        return _by_hosts(self._kinds.values())

    @property
    def unread(self) -> list[Hosts]:
        """Why hosts could not be read."""
        return _by_hosts(self._unread.values())

    @property
    def findings(self) -> list[Group]:
        """All but passes, skips and what is unknown."""
        return sorted(self._findings.values(), key=_badness)

    @property
    def gaps(self) -> list[Gap]:
        """Why checks are unknown."""
        return sorted(self._gaps.values(), key=lambda gap: (len(gap.checks), -len(gap.hosts)))

    def _add(self, host: HostReport) -> None:
        if host.error:
            bare = _ANY.sub("#", host.error.replace(host.name, "HOST"))
            self._unread.setdefault(bare, Hosts(host.error)).names.append(host.name)
        if host.findings or not host.error:
            facts = " · ".join([host.source, *(f"{name} {value}" for name, value in host.about.items())])
            self._kinds.setdefault(facts, Hosts(facts)).names.append(host.name)
        for finding in host.findings:
            if finding.status is Status.UNKNOWN:
                self._add_gap(host.name, finding)
            elif finding.status in TOLD:
                self._group(finding).add(host.name, finding.actual)

    def _group(self, finding: Finding) -> Group:
        fix = finding.fix
        same = (finding.id, finding.status.value)
        told = (
            finding.actual,
            finding.expected,
            finding.waiver or "",
            *((fix.summary, *fix.commands) if fix else ()),
        )
        key = (*same, *(_ALONE.sub("#", text) for text in told))
        if key not in self._findings:
            if self._variants[same] == _MOST_VARIANTS:
                return self._findings.setdefault(same, Group(finding))
            self._variants[same] += 1
        return self._findings.setdefault(key, Group(finding))

    def _add_gap(self, host: str, finding: Finding) -> None:
        reason = reason_of(finding)
        gap = self._gaps.setdefault(_ALONE.sub("#", reason), Gap(reason, finding.actual))
        gap.checks[finding.id] += 1
        gap.hosts[host] = None
        gap.one_place = gap.one_place and gap.whole == finding.actual


def _badness(group: Group) -> tuple[int, int, int]:
    return WORST_FIRST.index(group.finding.status), -len(group.hosts), area_of(group.finding)


def _by_hosts(hosts: Iterable[Hosts]) -> list[Hosts]:
    return sorted(hosts, key=lambda same: -len(same.names))
