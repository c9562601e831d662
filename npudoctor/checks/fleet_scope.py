"""What the checks of the fleet share: who has which value, and the verdict where all should have the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.checks.npu_scope import without_npu
from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, Unavailable
from npudoctor.finding import Fix, Verdict, ok, skip, unknown, warn
from npudoctor.nodeset import fold
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from npudoctor.checks.fleet_member import Member
    from npudoctor.host import Host

MOST_CAMPS = 6
"""How many values of one thing are told; where hosts have more of them, the rest is counted."""


@dataclass(frozen=True, slots=True)
class Camp:
    """The hosts that have one value: their names, and the line that proves it of the first."""

    value: Any
    names: list[str]
    proofs: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """Values that each should be one host's, the hosts that have them, and the line of each for the first."""

    values: list[str]
    names: list[str]
    proofs: tuple[Evidence, ...]

    @property
    def hosts(self) -> str:
        """The hosts; how many too, where they have one name, which may be the value itself."""
        if len(set(self.names)) > 1:
            return fold(self.names)
        number = _("{n} hosts").format(n=len(self.names))
        return number if self.values == self.names[:1] else f"{self.names[0]} ({number})"


def in_container(host: Host) -> str:
    """Why a check of what is the machine's own leaves a host out; empty where it does not."""
    return _("inside a container, which has these of its host") if host.system.in_container.or_none() else ""


def without_npu_or_machine(host: Host) -> str:
    """Likewise, of a host without NPUs: it is the controller, or a storage server."""
    return without_npu(host) or in_container(host)


def camps(members: Iterable[Member], what: str) -> list[Camp]:
    """Who has which value, most hosts first; hosts of which it is not known are in none."""
    found: dict[Any, Camp] = {}
    for member in members:
        fact = member.fact(what)
        if fact.known:
            camp = found.get(fact.value) or Camp(fact.value, [], of_host(member.name, fact)[:1])
            found.setdefault(fact.value, camp).names.append(member.name)
    return sorted(found.values(), key=lambda camp: -len(camp.names))


def of_host(name: str, fact: Fact[Any]) -> tuple[Evidence, ...]:
    """The evidence of a fact, with the host's name before its source."""
    return tuple(Evidence(f"{name}: {proof.source}", proof.text, proof.line) for proof in fact.evidence)


def gaps(members: Iterable[Member], whats: Iterable[str]) -> list[Evidence]:
    """Why some hosts say nothing, one line a reason, with the hosts; what is not there is an answer too."""
    found: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for member in members:
        for what in whats:
            content = member.fact(what).content
            if isinstance(content, Unavailable) and content.reason != "absent":
                names, lacking = found.setdefault(_why(content), ({}, {}))
                names[member.name] = lacking[what] = None
    return [
        Evidence(fold(names), ": ".join(part for part in (", ".join(lacking), why) if part))
        for why, (names, lacking) in found.items()
    ]


def _why(missing: Unavailable) -> str:
    """The reason in the language of the run, after the place that it speaks of."""
    bare = missing.why.removeprefix(f"{missing.source}: ")
    return f"{missing.source}: {_(bare)}" if bare != missing.why else _(bare)


def same(
    members: Collection[Member],
    whats: Collection[str],
    verdict: Callable[..., Verdict] = warn,
    *,
    expected: str,
    fix: Fix,
    words: Callable[[Any], str] = str,
) -> Verdict:
    """All hosts should have the same: `verdict` names who has not, most of them first.

    A host that could not be asked makes it `unknown`, unless others differ already.

    Args:
        members: The hosts.
        whats: The facts to compare, each by itself.
        verdict: Where hosts differ.
        expected: What is right.
        fix: How to mend it.
        words: A value as a person reads it.
    """
    found = {what: camps(members, what) for what in whats}
    split = {what: parts for what, parts in found.items() if len(parts) > 1}
    if split:
        told = [told_of(what, parts, words) for what, parts in split.items()]
        proofs = [proof for parts in split.values() for camp in parts[:MOST_CAMPS] for proof in camp.proofs]
        return verdict(*proofs, actual=_("; ").join(told), expected=expected, fix=fix)
    if missing := gaps(members, whats):
        return not_read(missing, expected)
    alike = {what: parts[0] for what, parts in found.items() if parts}
    if not alike:
        return skip(_("no host has any"))
    values = ", ".join(f"{what} {words(camp.value)}".lstrip() for what, camp in alike.items())
    return ok(*(proof for camp in alike.values() for proof in camp.proofs), actual=values)


def not_read(missing: list[Evidence], expected: str) -> Verdict:
    """Some hosts could not be asked: they are named, never counted as equal."""
    told = _("; ").join(f"{line.source}: {line.text}" for line in missing[:MOST_CAMPS])
    return unknown(*missing, actual=_("not read on {hosts}").format(hosts=told), expected=expected)


def told_of(what: str, parts: list[Camp], words: Callable[[Any], str] = str) -> str:
    """`driver 25.5.0 (37 of 40 hosts); 24.1.rc3: node[38-40]`; where there is no majority all are named."""
    number = sum(len(camp.names) for camp in parts)
    most, *others = parts[:MOST_CAMPS]
    left = sum(len(camp.names) for camp in parts[MOST_CAMPS:])
    if 2 * len(most.names) > number > 4:
        value = f"{what} {words(most.value)}".lstrip()
        first = _("{value} ({n} of {all} hosts)").format(value=value, n=len(most.names), all=number)
    else:
        first, others = "", [most, *others]
    named = [f"{words(camp.value)}: {fold(camp.names)}" for camp in others]
    if not first:
        named[0] = f"{what} {named[0]}".lstrip()
    rest = [_("others: {n} hosts").format(n=left)] if left else []
    return _("; ").join([*([first] if first else []), *named, *rest])


def some(told: list[str]) -> str:
    """The first sentences of a list, and how many there are more."""
    left = len(told) - MOST_CAMPS
    return _("; ").join([*told[:MOST_CAMPS], *([_("and {n} more").format(n=left)] if left > 0 else [])])


def twice(
    members: Iterable[Member], values: Callable[[Member], Iterable[tuple[str, Evidence]]]
) -> list[Shared]:
    """What several hosts have, those that are the same hosts' together.

    The first time over the hosts only hashes are kept, so that the addresses of ten thousand hosts need not
    be in memory together.
    """
    seen: set[int] = set()
    again: set[int] = set()
    for member in members:
        for value in {value for value, _proof in values(member)}:
            (again if hash(value) in seen else seen).add(hash(value))
    found: dict[str, dict[int, tuple[str, Evidence]]] = {}
    for place, member in enumerate(members if again else ()):
        for value, proof in values(member):
            if hash(value) in again:
                found.setdefault(value, {})[place] = (member.name, proof)
    return _together({value: owners for value, owners in found.items() if len(owners) > 1})


def _together(found: Mapping[str, Mapping[int, tuple[str, Evidence]]]) -> list[Shared]:
    by_hosts: dict[tuple[int, ...], list[str]] = {}
    for value, owners in found.items():
        by_hosts.setdefault(tuple(owners), []).append(value)
    return [
        Shared(values, [name for name, _proof in found[values[0]].values()],
               tuple(proof for _name, proof in found[values[0]].values()))
        for values in by_hosts.values()
    ]  # fmt: skip
