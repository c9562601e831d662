"""Checks of serving engines that are no pairing of versions by the matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host


@check(
    "serving.vllm_without_plugin",
    title=N_("vllm has its Ascend plugin"),
    sources=(
        "vllm-ascend docs/source/installation.md@182b75e",
        "https://github.com/vllm-project/vllm-ascend/issues/262",
    ),
    dated="2026-08",
    role="vllm_ascend",
)
def vllm_without_plugin(host: Host) -> Verdict:
    """vLLM itself knows no NPU; the package vllm-ascend adds it as a platform plugin.

    Without it `vllm serve` says "Failed to infer device type". Both have to be in the same Python, and of one
    row of vllm-ascend's release table (which the pairing check asks). Where another Python has both, the
    lonely vllm may be a leftover: a warning.
    """
    engines = host.python.having("vllm")
    if not engines:
        return skip(_("no vllm"))
    if not host.npus.present.value:
        return skip(_("no NPU on this machine"))
    alone = [python for python in engines if "vllm_ascend" not in python.packages]
    if not alone:
        return ok(*(python.package("vllm_ascend") for python in engines))
    fix = Fix(
        Action.REINSTALL,
        _("Install the vllm-ascend that goes with this vllm."),
        tuple(f"npudoctor matrix solve vllm={python.packages['vllm'].partition('+')[0]}" for python in alone),
        "vllm_ascend",
    )
    proofs = [python.package("vllm") for python in alone]
    verdict = fail if len(alone) == len(engines) else warn
    return verdict(*proofs, actual=_("vllm without vllm-ascend"), expected="vllm-ascend", fix=fix)


@check(
    "serving.mindie_parts",
    title=N_("MindIE is whole: all parts of one version, and the model library is there"),
    sources=("MindIE-LLM docs/zh/user_guide/install@8b4871a", "hiascend.com MindIE install guide"),
    dated="2026-08",
    role="mindie",
)
def mindie_parts(host: Host) -> Verdict:
    """MindIE is a bundle: runtime, torch plugin, service and LLM engine carry one version each.

    Its guide has four scripts sourced in order: those of CANN, NNAL, atb-models and mindie. `atb-models` is a
    package of its own; without it the service starts and then finds no model to load.
    """
    if host.mindie.installed.absent or host.npus.present.or_none() is False:
        return skip(_("MindIE is not installed, or no NPU is there"))
    found = host.mindie.installed
    versions = {name: version for name, version in found.value.components.items() if version}
    if len({found.value.version, *versions.values()}) > 1:
        lines = [
            Evidence(found.evidence[0].source, f"{name}: {version}") for name, version in versions.items()
        ]
        fix = Fix(Action.REINSTALL, _("Install one MindIE package over all parts."), (), "mindie")
        return fail(
            found, *lines, actual=_("parts of several versions"), expected=found.value.version, fix=fix
        )
    if host.mindie.models.or_none() is False:
        fix = Fix(Action.REINSTALL, _("Install the atb-models of this MindIE."), (), "mindie")
        return warn(host.mindie.version, host.mindie.models, actual=_("no atb-models"), fix=fix)
    return ok(host.mindie.version)
