"""What every check of containers shares: whom it judges, and how troubles of several become one verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import without_npu
from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Unavailable
from npudoctor.finding import Fix, Status, Verdict, fail, ok, skip, unknown, warn
from npudoctor.host.containers import NpuContainer
from npudoctor.nodeset import fold
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.host import Host

RUNTIME_DOCS = "github.com/Ascend/mind-cluster docs: 02_usage_on_the_docker_client.md"
RUNTIME_GUIDE = "github.com/Ascend/mind-cluster docs/zh/scheduling/03_installation_guide"
RUNTIME_SOURCE = "github.com/Ascend/mind-cluster component/ascend-docker-runtime"
VLLM_ASCEND = "github.com/vllm-project/vllm-ascend docs/source/installation.md"
MINDIE = "MindIE installation guide"


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with one container.

    Attributes:
        status: `Status.WARN`, `Status.FAIL`, or `Status.UNKNOWN` where its settings do not say.
        container: Its name.
        words: In a few words for a person.
        evidence: The part of its settings that proves it.
    """

    status: Status
    container: str
    words: str
    evidence: Evidence


Search = Callable[[NpuContainer], Iterable[Trouble]]


def trouble(status: Status, npu: NpuContainer, words: str, line: str) -> Trouble:
    """A trouble of one container, proven by a line of its settings."""
    return Trouble(status, npu.container.name, words, Evidence(npu.source, line))


def judge_each(host: Host, search: Search, *, expected: str, fix: Fix) -> Verdict:
    """Look at every container that maps NPUs; the worst trouble decides.

    No container engine, no such container, and the inside of a container are `skip`.
    """
    containers, reason = npu_containers(host)
    if reason:
        return skip(reason)
    return verdict_of([found for npu in containers for found in search(npu)], containers, expected, fix)


def npu_containers(host: Host) -> tuple[tuple[NpuContainer, ...], str]:
    """The containers to judge, or why there is nothing to judge.

    Raises:
        Unavailable: There is an engine, and nobody looked at its containers.
    """
    found = host.containers.npu
    if found.known:
        none = _("this container maps no NPU") if host.outside else _("no container maps an NPU")
        return found.value, "" if found.value else none
    if reason := without_npu(host):
        return (), reason
    if host.system.in_container.or_none():
        return (), _("inside a container")
    if found.absent:
        return (), _("no Docker: containers of other engines are not judged")
    return found.value, ""


def is_inside(host: Host) -> bool:
    """Whether the machine is itself a container, and no containers of an engine are to be judged."""
    return not host.containers.npu.known and bool(host.system.in_container.or_none())


def machine(host: Host) -> Host:
    """The machine whose driver and users count: of a container that was read with its host, that host."""
    return host.outside or host


def also_inside(host: Host, verdict: Verdict, inside: Callable[[Host], Verdict]) -> Verdict:
    """A verdict on how a container was started; where nothing is wrong with that: on what is inside.

    Only of a container that was read from within, too. What is right by its settings and could not be seen
    inside stays right.
    """
    if host.outside is None or verdict.status is not Status.PASS:
        return verdict
    try:
        within = inside(host)
    except Unavailable:
        return verdict
    return within if within.status in (Status.FAIL, Status.WARN) else verdict


def meant_for_npus(host: Host) -> bool:
    """Whether a container that shows no NPU was meant to have one: a variable or a driver says so."""
    variables = host.environment.variables.or_none() or {}
    asked = variables.get("ASCEND_VISIBLE_DEVICES", "") not in ("", "void")
    return asked or host.driver.on_disk.known


def verdict_of(
    troubles: list[Trouble], containers: tuple[NpuContainer, ...], expected: str, fix: Fix
) -> Verdict:
    """One verdict for the troubles of several containers.

    What is known to be wrong comes with its fix, also where something else is not known.
    """
    names = ", ".join(npu.container.name for npu in containers)
    if not troubles:
        return ok(*(Evidence(npu.source, npu.container.image) for npu in containers), actual=names)
    shared: dict[str, list[str]] = {}
    for one in troubles:
        shared.setdefault(one.words, []).append(one.container)
    actual = _("; ").join(f"{fold(names)}: {words}" for words, names in shared.items())
    proofs = [one.evidence for one in troubles]
    statuses = {one.status for one in troubles}
    if Status.FAIL in statuses:
        return fail(*proofs, actual=actual, expected=expected, fix=fix)
    if Status.UNKNOWN in statuses:
        known = fix if Status.WARN in statuses else None
        return unknown(*proofs, actual=actual, expected=expected, fix=known)
    return warn(*proofs, actual=actual, expected=expected, fix=fix)
