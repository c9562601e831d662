"""The NPUs' own network, port by port: link, health, TLS, gateway, optics, history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.network_scope import (
    FD_TOOLKIT,
    HCCL,
    VLLM_ASCEND,
    judge_ports,
    without_hccn_tool,
    without_ports,
)
from npudoctor.checks.npu_scope import joined
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Verdict, fail, skip, unknown, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.host import Host
    from npudoctor.parse.hccn import Gateway, Link, Tls
    from npudoctor.parse.hccn_port import LinkHistory, Optical

FLAPS = 3
"""Losses of the link since the driver started that are more than cabling and a switch restart."""


@check(
    "network.link",
    title=N_("The network ports of the NPUs have a link"),
    sources=(VLLM_ASCEND, FD_TOOLKIT, HCCL),
    dated="2026-08",
)
def link(host: Host) -> Verdict:
    """A job over several servers fails (EI0006, EJ0002, time-out) where the port of one NPU is down.

    Right: `link status: UP` on every NPU. Some up and some down is a fault; all down is a server that is
    not cabled, which does for jobs on this one server. (vllm-ascend multi-node guide, ascend-fd-tk.)
    """
    facts = host.network.links
    statuses = [fact.value.status for fact in facts.values() if fact.known]
    none_up = bool(statuses) and "UP" not in statuses
    return judge_ports(
        host, facts, "link", _link_trouble, lambda found: f"link status: {found.status}",
        warn if none_up else fail, expected="UP", fix=_check_cable(),
    )  # fmt: skip


def _link_trouble(found: Link) -> str:
    down = [f"port {number} {status}" for number, status in found.ports.items() if status != "UP"]
    return "" if found.status == "UP" and not down else joined([found.status, *down])


@check(
    "network.net_health",
    title=N_("The ports reach the address that they watch"),
    sources=(VLLM_ASCEND, FD_TOOLKIT),
    dated="2026-08",
)
def net_health(host: Host) -> Verdict:
    """Each port pings its detection address (usually the gateway) all the time.

    Right: Success. Init is a port that has no detection address yet; Fault and Socket failed are a network
    that does not carry. A port without a link is the matter of network.link alone. (vllm-ascend multi-node
    guide, hccn_tool outputs, 2026-08.)
    """
    down = {n for n, fact in host.network.links.items() if fact.known and fact.value.status == "DOWN"}
    facts = {n: fact for n, fact in host.network.health.items() if n not in down}
    if down and not facts:
        return skip(_("no port has a link: see network.link"))
    faults = any(fact.value not in ("Success", "Init") for fact in facts.values() if fact.known)
    fix = Fix(
        Action.CONFIGURE,
        _("Set a detection address that answers, and check link, address and gateway of the port."),
        ("hccn_tool -i N -netdetect -s address GATEWAY", "hccn_tool -i N -ping -g address GATEWAY"),
        role="hccn",
    )
    return judge_ports(
        host, facts, "net_health", lambda word: "" if word == "Success" else word,
        lambda word: f"net health status: {word}", fail if faults else warn, expected="Success", fix=fix,
    )  # fmt: skip


@check(
    "network.tls_alike",
    title=N_("TLS is on for all NPUs, or for none"),
    sources=(HCCL, "Ascend/MindIE-LLM@8b4871a docs"),
    dated="2026-08",
)
def tls_alike(host: Host) -> Verdict:
    """HCCL cannot connect an NPU with TLS to one without (EI0016, or a time-out before HDK 25.2.0).

    Right: the same switch on every NPU of every server of the job; which one does not matter. MindIE asks
    for off, the HCCL guide prefers on. (HCCL fault diagnosis, 2026-08.)
    """
    switches = {n: fact.value.enabled for n, fact in host.network.tls.items() if fact.known}
    on = sum(switches.values())
    odd = on * 2 <= len(switches)
    fix = Fix(
        Action.CONFIGURE,
        _("Switch it to the same value on every NPU of every server."),
        (f"hccn_tool -i N -tls -s enable {0 if odd else 1}",),
        role="hccn",
    )

    def trouble(found: Tls) -> str:
        differs = 0 < on < len(switches) and found.enabled is odd
        return (_("on") if found.enabled else _("off")) if differs else ""

    return judge_ports(
        host, host.network.tls, "tls", trouble, lambda found: f"tls switch[{int(found.enabled)}]",
        expected=_("one switch for all"), fix=fix,
    )  # fmt: skip


@check(
    "network.tls_certificates",
    title=N_("No TLS certificate of an NPU runs out"),
    sources=(HCCL,),
    dated="2026-08",
)
def tls_certificates(host: Host) -> Verdict:
    """Where TLS is on, an expired certificate stops HCCL between NPUs.

    Right: expiration status 0 (normal) of every certificate. Status 1 is near its end, 2 has passed it.
    NPUs with TLS off do not use theirs. (HCCL fault diagnosis, 2026-08.)
    """
    if reason := without_hccn_tool(host.network.tls):
        return skip(reason)
    switched_on = {n: fact for n, fact in host.network.tls.items() if fact.known and fact.value.enabled}
    if not without_ports(host) and host.network.tls and not switched_on:
        asked = [fact for fact in host.network.tls.values() if not fact.known]
        return unknown(actual=str(asked[0].content)) if asked else skip(_("TLS is off"))
    listed = [c for fact in switched_on.values() for c in fact.value.certificates]
    if switched_on and not listed:
        return unknown(actual=_("hccn_tool lists no certificate"))
    expired = any(c.expiration == 2 for c in listed)
    fix = Fix(Action.CONFIGURE, _("Install a new certificate on these NPUs."), ("hccn_tool -i N -tls -g",))
    return judge_ports(
        host, switched_on or host.network.tls, "tls", _certificate_trouble,
        lambda found: _certificate_trouble(found) or "tls expiration status[0]",
        fail if expired else warn, expected=_("valid"), fix=fix,
    )  # fmt: skip


def _certificate_trouble(found: Tls) -> str:
    old = (c for c in found.certificates if c.expiration)
    return joined(f"{c.name}: {c.end_time or '?'} [{c.expiration}]" for c in old)


@check(
    "network.gateway",
    title=N_("Every port has a gateway and a detection address"),
    sources=(VLLM_ASCEND,),
    dated="2026-08",
)
def gateway(host: Host) -> Verdict:
    """Servers in different subnets meet through the gateway; without a detection address health is unknown.

    Right: `hccn_tool -gateway -g` names one on every NPU that has an address. One flat subnet works without,
    so this is a warning. (vllm-ascend multi-node guide, 2026-08.)
    """
    fix = Fix(
        Action.CONFIGURE,
        _("Set the gateway of each port, and it or another address that answers as detection address."),
        ("hccn_tool -i N -gateway -s gateway ADDRESS", "hccn_tool -i N -netdetect -s address ADDRESS"),
        role="hccn",
    )
    if not without_ports(host) and host.network.addresses.or_none() == {}:
        return skip(_("no NPU has an address"))
    first = judge_ports(
        host, host.network.gateways, "gateway", lambda found: "" if found else _("no gateway"),
        _gateway_line, warn, expected=_("a gateway"), fix=fix,
    )  # fmt: skip
    if first.status.value != "pass" or not host.network.netdetect:
        return first
    return judge_ports(
        host, host.network.netdetect, "netdetect", lambda found: "" if found else _("no detection address"),
        lambda found: f"netdetect address: {', '.join(found)}", warn, expected=_("an address"), fix=fix,
    )  # fmt: skip


def _gateway_line(found: tuple[Gateway, ...]) -> str:
    return f"default gateway:{found[0].address}" if found else _("(nothing)")


@check(
    "network.optics",
    title=N_("The optical modules receive enough light"),
    sources=(FD_TOOLKIT, "hccn_tool outputs posted in public"),
    dated="2026-08",
)
def optics(host: Host) -> Verdict:
    """A weak lane makes errors on the wire: slow collectives first, EI0013 and lost links later.

    Right: every Rx and Tx power between the module's own thresholds, and Los flags 0. A port with a copper
    cable has no module and is passed over. (ascend-fd-tk thresholds, 2026-08.)
    """
    if not without_ports(host) and not host.network.optics:
        return skip(_("hccn_tool -optical was not asked"))
    fix = Fix(
        Action.RESEAT,
        _("Clean and reseat the fibre and the module of these NPUs; replace the one that stays weak."),
        ("hccn_tool -i N -optical -g",),
    )
    return judge_ports(
        host, host.network.optics, "optical", _optical_trouble,
        lambda found: _optical_trouble(found) or f"Rx Power: {_powers(found)} mW",
        warn, expected=_("between the thresholds"), fix=fix,
    )  # fmt: skip


def _powers(found: Optical) -> str:
    return ", ".join(map(str, found.rx_power_mw.values()))


def _optical_trouble(found: Optical) -> str:
    if not found.rx_power_mw and "not" in (found.present or ""):
        return ""
    weak = [
        *_weak("Rx", found.rx_power_mw, found.rx_low_mw),
        *_weak("Tx", found.tx_power_mw, found.tx_low_mw),
    ]
    flags = (("Rx Los Flag", found.rx_los), ("Tx Los Flag", found.tx_los))
    return joined([*weak, *(f"{name} {flag:#x}" for name, flag in flags if flag)])


def _weak(side: str, powers: Mapping[int, float], low: float | None) -> list[str]:
    below = {lane: power for lane, power in powers.items() if low is not None and power < low}
    return [f"{side} Power{lane} {power} mW < {low}" for lane, power in below.items()]


@check(
    "network.link_flaps",
    title=N_("The links of the NPUs are steady"),
    sources=(FD_TOOLKIT, HCCL),
    dated="2026-08",
)
def link_flaps(host: Host) -> Verdict:
    """A link that goes down for a moment kills the job that runs over it (EI0013, RoCE error CQE).

    Right: no more than 3 losses in the history of `hccn_tool -link_stat -g`. The history ends at the last
    start of the driver; a switch that was restarted shows up on all ports at once.
    """
    if not without_ports(host) and not host.network.histories:
        return skip(_("hccn_tool -link_stat was not asked"))
    return judge_ports(
        host, host.network.histories, "link_stat", _flaps, _history_line,
        warn, expected=_("at most {n} losses").format(n=FLAPS), fix=_check_cable(),
    )  # fmt: skip


def _losses(found: LinkHistory) -> int:
    recorded = sum(record.status == "DOWN" for record in found.records)
    return max(recorded, found.down_count or 0)


def _flaps(found: LinkHistory) -> str:
    losses = _losses(found)
    return _("lost {n} times").format(n=losses) if losses > FLAPS else ""


def _history_line(found: LinkHistory) -> str:
    newest = f"; {found.records[0].time} LINK {found.records[0].status}" if found.records else ""
    return f"link up count: {found.up_count}; down: {_losses(found)}{newest}"


def _check_cable() -> Fix:
    return Fix(
        Action.RESEAT,
        _("Check the cable, the optical module and the switch port of these NPUs."),
        ("hccn_tool -i N -link -g", "hccn_tool -i N -optical -g", "hccn_tool -i N -lldp -g"),
    )
