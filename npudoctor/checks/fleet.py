"""Checks of several hosts side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import joined
from npudoctor.checks.registry import check
from npudoctor.dataclass import dataclass
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
    Which version was meant nobody can see, so all are listed with their hosts; hosts whose version could
    not be read are named, never counted as equal.
    """
    drifts = [drift for name in ("driver", "firmware", "cann") if (drift := _drift(name, hosts))]
    unread = [host.name for host in hosts if not host.driver.version.known]
    expected = _("one version each")
    if drifts:
        summary = _("Bring the hosts that differ to one version; `npudoctor diff` shows what else differs.")
        proofs = [proof for drift in drifts for proof in _examples(drift)]
        return warn(*proofs, actual=_("; ").join(map(_words, drifts)), expected=expected,
                    fix=Fix(Action.UPGRADE, summary))  # fmt: skip
    if unread:
        why = _("driver version not read on {hosts}").format(hosts=joined(unread))
        return unknown(actual=why, expected=expected)
    return ok(*(host.driver.version for host in hosts), actual=_("all the same"))


@dataclass(frozen=True, slots=True)
class Drift:
    """One component that hosts have in several versions: the hosts of each, most hosts first."""

    component: str
    hosts: dict[str, list[Host]]


def _drift(component: str, hosts: tuple[Host, ...]) -> Drift | None:
    found: dict[str, list[Host]] = {}
    for host in hosts:
        if (fact := _version(component, host)).known:
            found.setdefault(fact.value, []).append(host)
    by_number = dict(sorted(found.items(), key=lambda item: -len(item[1])))
    return Drift(component, by_number) if len(by_number) > 1 else None


def _words(drift: Drift) -> str:
    """`driver 25.5.0: a, c; driver 24.1.rc3: b`."""
    return _("; ").join(
        f"{drift.component} {version}: {joined(host.name for host in hosts)}"
        for version, hosts in drift.hosts.items()
    )


def _examples(drift: Drift) -> list[Evidence]:
    """The line of one host of each version, with the host's name before its source."""
    first = [hosts[0] for hosts in drift.hosts.values()]
    lines = [(host, proof) for host in first for proof in _version(drift.component, host).evidence[:1]]
    return [Evidence(f"{host.name}: {proof.source}", proof.text) for host, proof in lines]


def _version(component: str, host: Host) -> Fact[str]:
    if component == "cann":
        return host.cann.active.map(lambda installation: installation.version)
    return host.driver.version if component == "driver" else host.driver.firmware
