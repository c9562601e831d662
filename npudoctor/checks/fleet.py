"""Versions of the hosts of a fleet, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.fleet_scope import same, without_npu_or_machine
from npudoctor.checks.registry import check
from npudoctor.fact import Fact, Unavailable
from npudoctor.finding import Action, Fix, Verdict
from npudoctor.host.installed import base_of
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from npudoctor.checks.fleet_member import Member
    from npudoctor.host import Host

_STACK = ("driver", "firmware", "cann")
_PACKAGES = ("torch", "torch_npu", "vllm", "vllm_ascend", "mindspore", "mindie_llm")


def _stack(host: Host) -> Mapping[str, Fact[str]] | str:
    """Of a host without an NPU, and of a container, nothing: no rank runs on its driver."""
    if reason := without_npu_or_machine(host):
        return reason
    found = base_of(host)
    return {"driver": _gap(found["driver"]), "firmware": _gap(found["firmware"]), "cann": found["cann"]}


def _gap(fact: Fact[str]) -> Fact[str]:
    """A driver that is not there is missing on a host with NPUs: no version, but no answer either."""
    if isinstance(fact.content, Unavailable) and fact.absent:
        return Fact(Unavailable(fact.content.why, fact.content.source, "failed"))
    return fact


@check(
    "fleet.version_drift",
    title=N_("All hosts run the same driver, firmware and CANN"),
    sources=("github.com/hicann/runtime src/dfx/error_manager/error_code.json (EI0008)",),
    dated="2026-08",
    role="driver",
    reads=_stack,
)
def version_drift(hosts: Collection[Member]) -> Verdict:
    """Ranks of one job should run the same driver, firmware and CANN.

    HCCL compares its version between the ranks when a communicator is made and stops with EI0008 where
    they differ; the table of error codes in hicann/runtime (August 2026) says to install the same CANN
    everywhere. A host that was left out of a driver upgrade fails alone, or makes the others wait for it.
    Which version was meant nobody can see: the one that most hosts have comes first. Hosts whose version
    could not be read are named, never counted as equal; a host without CANN of its own runs containers.
    """
    summary = _("Bring the hosts that differ to one version; `npudoctor diff` shows what else differs.")
    return same(hosts, _STACK, expected=_("one version each"), fix=Fix(Action.UPGRADE, summary))


def _python(host: Host) -> Mapping[str, Fact[str]]:
    """All versions of a package that are on the host, in whichever Python."""
    pythons = host.python.interpreters
    if not pythons.known:
        return {name: pythons.map(lambda _found: "") for name in _PACKAGES}
    found: dict[str, Fact[str]] = {}
    for name in _PACKAGES:
        facts = [fact for python in pythons.value if (fact := python.package(name)).known]
        if facts:
            versions = sorted({fact.value for fact in facts})
            found[name] = Fact(" + ".join(versions), tuple(line for fact in facts for line in fact.evidence))
    return found


@check(
    "fleet.python_drift",
    title=N_("All hosts have the same torch, torch_npu and serving packages"),
    sources=(
        "docs.vllm.ai serving/distributed_serving (running vLLM on multiple nodes)",
        "github.com/vllm-project/vllm-ascend docs, multi-node tutorials",
    ),
    dated="2026-08",
    role="python_env",
    reads=_python,
)
def python_drift(hosts: Collection[Member]) -> Verdict:
    """vLLM asks for the same execution environment on all nodes, the Python packages too.

    Ranks of one model that run other versions of torch_npu or of the engine call other operators, shard
    otherwise, or speak another version of the engine's own protocol: the job hangs in a collective call or
    gives other results. Compared are torch, torch_npu, vllm, vllm_ascend, mindspore and mindie_llm, in all
    Pythons of a host; a host without a package is not compared. (vLLM, vLLM Ascend, 2026-08.)
    """
    summary = _("Install the same versions on all hosts, or serve from one image.")
    return same(hosts, _PACKAGES, expected=_("one version each"), fix=Fix(Action.REINSTALL, summary))
