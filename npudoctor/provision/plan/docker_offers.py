"""Which of Docker's engines a host could install, by the lists of packages that lie on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.fact import Fact, ParseError

if TYPE_CHECKING:
    from npudoctor.collect.snapshot import Entry, Snapshot

ENGINES = ("docker-ce", "docker.io", "moby-engine", "docker-engine", "docker")
"""The names that the role `docker` looks for, on systems with deb and with rpm packages."""
_PROBE = "offers of docker"
_NO_MATCH = "no matching packages"


def read_docker_offers(snapshot: Snapshot) -> Fact[frozenset[str]]:
    """Names, `dockerd` for one that is there and does not run; none where nothing is offered."""
    return snapshot.output(_PROBE).map(_offers)


def _offers(entry: Entry) -> frozenset[str]:
    """Rows of `apt-cache madison` (`name | version | place`) or `dnf list` (`name.arch  version  place`)."""
    firsts = [line.split()[0] for line in entry.text.splitlines() if line.split()]
    names = {*firsts, *(first.rpartition(".")[0] for first in firsts)}
    if entry.exit_code and _NO_MATCH not in entry.all_text.lower():
        lines = entry.all_text.split("\n")
        raise ParseError(next(filter(None, map(str.strip, lines)), _PROBE))
    return frozenset(names & {*ENGINES, "dockerd"})
