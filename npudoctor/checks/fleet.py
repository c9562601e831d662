"""Checks of several hosts side by side."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.fact import Evidence, Fact
from npudoctor.finding import Action, Fix, Verdict, ok, unknown, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host


@check(
    "fleet.version_drift",
    title=N_("All hosts run the same driver, firmware and CANN"),
    sources=("github.com/hicann/runtime src/dfx/error_manager/error_code.json (EI0008)",),
    dated="2026-08",
)
def version_drift(hosts: tuple[Host, ...]) -> Verdict:
    """Ranks of one job should run the same driver, firmware and CANN.

    HCCL compares its version between the ranks when a communicator is made and stops with EI0008 where
    they differ; the table of error codes in hicann/runtime (August 2026) says to install the same CANN
    everywhere. A host that was left out of a driver upgrade fails alone, or makes the others wait for it.
    The majority is taken as what was meant; hosts whose version could not be read are named, never
    counted as equal.
    """
    drifts = [drift for name in ("driver", "firmware", "cann") for drift in _drift(name, hosts)]
    unread = [host.name for host in hosts if not host.driver.version.known]
    if drifts:
        fix = Fix(Action.UPGRADE, _("Bring the hosts that differ to the version of the majority."))
        return warn(
            *drifts, actual="; ".join(d.text for d in drifts), expected=_("one version each"), fix=fix
        )
    if unread:
        why = _("driver version not read on {hosts}").format(hosts=", ".join(unread))
        return unknown(actual=why, expected=_("one version each"))
    return ok(*(host.driver.version for host in hosts), actual=_("all the same"))


def _drift(component: str, hosts: tuple[Host, ...]) -> list[Evidence]:
    versions = {host.name: fact.value for host in hosts if (fact := _version(component, host)).known}
    if len(set(versions.values())) < 2:
        return []
    majority = Counter(versions.values()).most_common(1)[0][0]
    others = ", ".join(f"{name} {version}" for name, version in versions.items() if version != majority)
    text = _("{component}: most have {majority}, but {others}")
    return [Evidence(component, text.format(component=component, majority=majority, others=others))]


def _version(component: str, host: Host) -> Fact[str]:
    if component == "cann":
        return host.cann.active.map(lambda installation: installation.version)
    return host.driver.version if component == "driver" else host.driver.firmware
