"""Damaged hosts: no check crashes on them, and none says something better than of the undamaged host.

What is better. A damaged output tells less, so a verdict may fall back to `unknown`, from anything: that
is no better verdict, it says that nothing is known. A verdict may become worse. It must not become milder:

    from          must not become
    fail          warn, pass, skip
    warn          pass, skip
    unknown       pass, skip
    pass, skip    (no verdict is milder than these)

`skip` counts like `pass` here. It hides a trouble just as well, and a reader sees neither.

What is damaged. Every entry of every recorded host, one at a time, in two ways.

From outside: it is missing, was refused, failed, gave no answer in time, or is cut off, and the collector
says so. Nobody may overlook that, whatever the content still looks like.

From inside, where the collector noticed nothing: another output in its place, bytes of no meaning, nothing at
all, no numbers left, bytes that are no text, a table or a JSON text that ends early. Left out is damage that
gives the true output of another host: a whole line of a list that is gone, one digit for another, another
letter in a name. No reader can tell these from the truth. `UNNOTICED` names the entries for which a kind of
damage is of that sort, each with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from random import Random

import pytest

from npudoctor.checks import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.samples import read_sample, samples
from npudoctor.collect.snapshot import Entry, Snapshot
from npudoctor.finding import Finding, Status
from npudoctor.host import Host
from npudoctor.matrix import Matrix, load_matrix
from npudoctor.matrix.query import Result

from .mutations import OTHER_OUTPUTS, cut, garbage, invalid_bytes

PARTS = 8
"""Of the cases of one recorded host, so that several processors can share them."""
HOSTS_A_PART = 28
MILDER = {
    Status.FAIL: {Status.WARN, Status.PASS, Status.SKIP},
    Status.WARN: {Status.PASS, Status.SKIP},
    Status.UNKNOWN: {Status.PASS, Status.SKIP},
}


def missing(chance: Random, entry: Entry) -> None:
    """Nobody collected it."""


def refused(chance: Random, entry: Entry) -> Entry:
    """The user had no right to read or run it."""
    return replace(entry, state="denied", stdout=b"", exit_code=126)


def failed(chance: Random, entry: Entry) -> Entry:
    """It could not be read to its end."""
    return replace(entry, state="failed", stdout=cut(chance, entry.stdout), exit_code=1)


def timed_out(chance: Random, entry: Entry) -> Entry:
    """The command hung, perhaps after its first lines."""
    return replace(entry, state="timeout", stdout=cut(chance, entry.stdout), exit_code=124, seconds=30.0)


def cut_off(chance: Random, entry: Entry) -> Entry:
    """A cap on its size, or the end of the bundle, cut it."""
    return replace(entry, state="cut-off", stdout=cut(chance, entry.stdout))


def other_output(chance: Random, entry: Entry) -> Entry:
    """Another command's output, or an error message, stands in its place."""
    return replace(entry, stdout=chance.choice(OTHER_OUTPUTS))


def meaningless(chance: Random, entry: Entry) -> Entry:
    """Random bytes stand in its place."""
    return replace(entry, stdout=garbage(chance, entry.stdout))


def emptied(chance: Random, entry: Entry) -> Entry:
    """It is there, and there is nothing in it."""
    return replace(entry, stdout=chance.choice((b"", b"\n", b"  \n")))


def no_numbers(chance: Random, entry: Entry) -> Entry:
    """A sign stands in the place of every digit."""
    sign = chance.choice(b"?*-")
    return replace(entry, stdout=bytes(sign if 48 <= byte <= 57 else byte for byte in entry.stdout))


def no_text(chance: Random, entry: Entry) -> Entry:
    """Bytes that are no text stand all over it."""
    return replace(entry, stdout=invalid_bytes(chance, entry.stdout))


def ends_early(chance: Random, entry: Entry) -> Entry:
    """Its end is gone and nobody said so."""
    return replace(entry, stdout=cut(chance, entry.stdout))


Damage = Callable[[Random, Entry], Entry | None]
FROM_OUTSIDE: tuple[Damage, ...] = (missing, refused, failed, timed_out, cut_off)
FROM_INSIDE: tuple[Damage, ...] = (other_output, meaningless, emptied, no_numbers, no_text)


@dataclass(frozen=True)
class Unnoticed:
    """Damage of these kinds to an entry gives what another host truly prints, for the reason `why`."""

    damages: tuple[Damage, ...]
    entry: str
    why: str

    def covers(self, damage: Damage, path: str) -> bool:
        return damage in self.damages and fnmatchcase(path, self.entry)


UNNOTICED: tuple[Unnoticed, ...] = (
    Unnoticed(
        FROM_OUTSIDE, "files/.dockerenv", "without it `systemd-detect-virt` is believed: it may say none"
    ),
    Unnoticed((emptied,), "commands/dkms_status", "dkms prints nothing where it has no module"),
    Unnoticed((emptied,), "commands/lspci*", "lspci prints nothing on a machine without PCI"),
    Unnoticed((no_numbers,), "environment", "a variable may be set to any text"),
)
ENDS_WITH_A_MARK = ("commands/npu-smi_info", "commands/docker_inspect*", "commands/docker_info")
"""Outputs that tell their end: a border, a bracket. Of a list of lines nobody knows which is the last."""


@dataclass(frozen=True)
class Case:
    """One damage to one entry of a recorded host."""

    entry: Entry
    damage: Damage

    def host(self, whole: Snapshot, turn: int) -> Host:
        chance = Random(f"{whole.name} {self} {turn}")
        changed = self.damage(chance, self.entry)
        rest = {path: entry for path, entry in whole.entries.items() if path != self.entry.path}
        return Host(replace(whole, entries=rest if changed is None else rest | {changed.path: changed}))

    def __str__(self) -> str:
        return f"{self.entry.path} {self.damage.__name__}"


def cases_of(whole: Snapshot) -> list[Case]:
    """All cases of a host, in an order of chance that is always the same."""
    cases = [Case(entry, damage) for entry in whole.entries.values() for damage in _damages(entry)]
    Random(whole.name).shuffle(cases)
    return cases


def _damages(entry: Entry) -> Iterator[Damage]:
    kinds = list(FROM_OUTSIDE)
    if entry.state == "complete" and entry.exit_code == 0:
        kinds += FROM_INSIDE
        kinds += [ends_early] if any(fnmatchcase(entry.path, name) for name in ENDS_WITH_A_MARK) else []
    for damage in kinds:
        if not any(one.covers(damage, entry.path) for one in UNNOTICED):
            yield damage


@cache
def recorded(name: str) -> tuple[Snapshot, dict[str, Finding]]:
    """A recorded host and what the checks say of it."""
    whole = read_sample(name)
    return whole, judged(Host(whole))


class RememberingMatrix(Matrix):
    """Damaged hosts ask the same over and over; each question is answered once."""

    def query(self, given: Mapping[str, str]) -> Result:
        question = tuple(sorted(given.items()))
        if question not in answers:
            answers[question] = super().query(given)
        return answers[question]


answers: dict[tuple[tuple[str, str], ...], Result] = {}


@cache
def matrix() -> Matrix:
    shipped = load_matrix()
    return RememberingMatrix(shipped.content, shipped.sha256)


def judged(host: Host) -> dict[str, Finding]:
    return {finding.id: finding for finding in run_checks(all_checks(), host, matrix())}


def troubles(name: str, case: Case, turn: int = 0) -> Iterator[str]:
    """What is wrong with the verdicts on a damaged host, a line a check."""
    whole, before = recorded(name)
    for now in judged(case.host(whole, turn)).values():
        was = before[now.id]
        if "the check itself failed" in now.actual:
            yield f"{name}: {case} ({turn}): {now.id} crashed: {now.actual}"
        if now.status in MILDER.get(was.status, ()):
            change = f"{was.status.value} ({was.actual[:60]}) became {now.status.value} ({now.actual[:60]})"
            yield f"{name}: {case} ({turn}): {now.id}: {change}"


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", samples())
def test_no_verdict_is_better_than_that_of_the_undamaged_host(name: str, part: int):
    whole, _ = recorded(name)
    cases = cases_of(whole)[part * HOSTS_A_PART : (part + 1) * HOSTS_A_PART]

    found = [trouble for case in cases for trouble in troubles(name, case)]

    assert len(cases) == HOSTS_A_PART
    assert not found
