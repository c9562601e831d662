"""What the checks of the NPUs' network share: when nothing is to judge, and one verdict of many ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from npudoctor.checks.npu_scope import (
    example_of_each,
    for_each,
    grouped,
    needs_answer,
    not_collected,
    without_npu,
)
from npudoctor.fact import Evidence, Fact
from npudoctor.finding import Fix, Verdict, fail, ok, skip
from npudoctor.host.network import question
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from npudoctor.host import Host

T = TypeVar("T")
HCCL = "hicann/hccl docs/zh/user_guide/fault_diagnosis"
VLLM_ASCEND = "github.com/vllm-project/vllm-ascend docs, multi-node tutorials"
FD_TOOLKIT = "Ascend/mind-cluster component/ascend-faultdiag toolkit_src"
_WITHOUT_PORTS = ("310", "310P", "310B")


def without_ports(host: Host) -> str:
    """Why checks of the NPUs' own network do not apply; empty where they do."""
    if reason := without_npu(host):
        return reason
    family = host.npus.family.or_none()
    if family in _WITHOUT_PORTS:
        return _("{family} has no network ports of its own").format(family=family)
    if host.system.in_container.or_none() and all(link.absent for link in host.network.links.values()):
        return _("hccn_tool answers on the container's host")
    return ""


def judge_ports(
    host: Host,
    facts: Mapping[int, Fact[T]],
    what: str,
    trouble: Callable[[T], str],
    line: Callable[[T], str],
    verdict: Callable[..., Verdict] = fail,
    *,
    expected: str,
    fix: Fix,
) -> Verdict:
    """Look at every port. `trouble` says in a few words what is wrong with one; `line` is what was printed.

    A port that could not be asked makes it `unknown`, unless another one is in trouble.
    """
    if reason := without_ports(host) or _without_tool(facts, what):
        return skip(reason)
    if not facts:
        needs_answer(host)
        return not_collected(f"hccn_tool -i N -{what} -g")
    read = {device: fact.value for device, fact in facts.items() if fact.known}
    proofs = {f"NPU {n}": Evidence(question(n, what), line(value)) for n, value in read.items()}
    bad = {n: words for n, value in read.items() if (words := trouble(value))}
    if bad:
        said = {f"NPU {n}": words for n, words in bad.items()}
        shown, actual = example_of_each(said, proofs), grouped(said, len(facts))
        return verdict(*shown, actual=actual, expected=expected, fix=_for(fix, bad))
    for fact in facts.values():
        _answer = fact.value  # one port that did not answer: its reason is the finding
    return ok(*proofs.values(), actual=_("{n} ports").format(n=len(read)))


def _for(fix: Fix, devices: Iterable[int]) -> Fix:
    commands = tuple(for_each(command, devices) for command in fix.commands)
    return Fix(fix.action, fix.summary, commands, fix.role)


def _without_tool(facts: Mapping[int, Fact[T]], what: str) -> str:
    return without_hccn_tool(facts) if what != "link" else ""


def without_hccn_tool(facts: Mapping[int, Fact[T]]) -> str:
    """Why nothing is known of the ports: there is no hccn_tool (network.link says so); empty else."""
    absent = bool(facts) and all(fact.absent for fact in facts.values())
    return _("hccn_tool is not on this machine") if absent else ""
