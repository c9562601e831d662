"""Addresses of the NPUs' ports, and /etc/hccn.conf that sets them."""

from __future__ import annotations

from collections import Counter
from ipaddress import ip_address, ip_interface
from typing import TYPE_CHECKING

from npudoctor.checks.network_scope import HCCL, VLLM_ASCEND, without_hccn_tool, without_ports
from npudoctor.checks.npu_scope import joined, needs_answer, not_collected
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, unknown, warn
from npudoctor.host.network import CONF, question
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.host import Host
    from npudoctor.parse.hccn import Address
    from npudoctor.parse.hccn_conf import HccnConf

_IP_SETTINGS = ("address", "gateway", "netdetect")
_IPV4 = set("0123456789.")


@check(
    "network.addresses",
    title=N_("Every NPU has a network address"),
    sources=(HCCL, "ascend-deployer-26.0.0 library/check_hccn.py"),
    dated="2026-08",
    role="hccn",
)
def addresses(host: Host) -> Verdict:
    """HCCL over RoCE needs an address on each NPU of the job; the rank table names them.

    Right: `hccn_tool -i N -ip -g` prints one for every N. None at all is a server that was not set up for
    jobs over several servers: a warning. Some with and some without is a fault. (HCCL fault diagnosis.)
    """
    if reason := without_ports(host):
        return skip(reason)
    if not host.network.ips:
        needs_answer(host)
        return not_collected("hccn_tool -i N -ip -g")
    if reason := without_hccn_tool(host.network.ips) or _not_cabled(host):
        return skip(reason)
    found = host.network.live.value
    missing = [device for device in host.network.ips if device not in found]
    if not missing:
        return ok(host.network.live, actual=_("{n} addresses").format(n=len(found)))
    proofs = [Evidence(question(device, "ip"), _("(nothing)")) for device in missing]
    words = _("no address: {devices}").format(devices=joined(map(str, missing)))
    return (fail if found else warn)(
        *proofs, actual=words, expected=_("one address an NPU"), fix=_set_address()
    )


@check(
    "network.unique_addresses",
    title=N_("No two NPUs have the same address"),
    sources=(HCCL,),
    dated="2026-08",
    role="hccn",
)
def unique_addresses(host: Host) -> Verdict:
    """Two ports with one address answer for each other: HCCL connects the wrong ranks or times out.

    Right: every address once on this server; that it is on no other server, `fleet` checks cannot see from
    one host. (HCCL fault diagnosis, 2026-08.)
    """
    if reason := _without_addresses(host):
        return skip(reason)
    found = _read(host)
    twice = sorted(address for address, times in Counter(found.values()).items() if times > 1)
    if not twice:
        return ok(host.network.addresses, actual=_("{n} addresses").format(n=len(found)))
    proofs = [proof for proof in host.network.addresses.evidence if proof.text.split(":", 1)[-1] in twice]
    return fail(*proofs, actual=joined(twice), expected=_("every address once"), fix=_set_address())


@check(
    "network.same_subnet",
    title=N_("The NPUs can reach each other's addresses"),
    sources=(HCCL, VLLM_ASCEND),
    dated="2026-08",
    role="hccn",
)
def same_subnet(host: Host) -> Verdict:
    """Ports in different subnets meet only through a gateway, and one job takes one kind of address only.

    Right: all IPv4 or all IPv6 (else EI0001), and all in one subnet or each with a gateway. Servers of the
    first generation (910) use four subnets by design and are judged by the kind of address only.
    """
    if reason := _without_addresses(host):
        return skip(reason)
    found = _read(host)
    kinds = {_version(address) for address in found.values()}
    if 0 in kinds and not {4, 6} <= kinds:
        odd = joined(address for address in found.values() if not _version(address))
        return unknown(host.network.addresses, actual=_("no address: {devices}").format(devices=odd))
    if {4, 6} <= kinds:
        return fail(
            host.network.addresses, actual=_("IPv4 and IPv6"), expected=_("one kind"), fix=_set_address()
        )
    subnets = _subnets({n: fact.value for n, fact in host.network.ips.items() if fact.known})
    if not host.network.ips or host.npus.family.or_none() == "910" or len(subnets) < 2:
        return ok(host.network.addresses, actual=joined(subnets) or _("one kind of address"))
    return _through_gateways(host, joined(subnets))


def _through_gateways(host: Host, subnets: str) -> Verdict:
    proof, gateways = host.network.addresses, host.network.gateways.values()
    if not gateways:
        return unknown(proof, actual=_("several subnets; hccn_tool -gateway was not collected"))
    if all(fact.value for fact in gateways):
        return ok(proof, actual=subnets)
    return warn(proof, actual=subnets, expected=_("one subnet, or gateways"), fix=_set_address())


def _version(address: str) -> int:
    """4 or 6; 0 for text that is no address, as a line that was cut off or masked."""
    try:
        return ip_address(address).version
    except ValueError:
        return 0


def _subnets(answers: Mapping[int, tuple[Address, ...]]) -> list[str]:
    networks = set()
    for found in answers.values():
        for one in found[:1]:
            try:
                networks.add(str(ip_interface(f"{one.address}/{one.netmask or '32'}").network))
            except ValueError:
                networks.add(one.address)
    return sorted(networks)


def _read(host: Host) -> Mapping[int, str]:
    """The addresses that are set; the configured ones only where hccn_tool was not asked at all."""
    return host.network.live.value if host.network.ips else host.network.addresses.value


def _not_cabled(host: Host) -> str:
    """Why no address is missed: no port has a link, and none has an address."""
    links = host.network.links.values()
    down = bool(links) and all(fact.known and fact.value.status == "DOWN" for fact in links)
    return _("no port has a link: see network.link") if down and host.network.live.or_none() == {} else ""


def _without_addresses(host: Host) -> str:
    if reason := without_ports(host) or without_hccn_tool(host.network.ips):
        return reason
    if not host.network.addresses.known and not host.network.ips:
        needs_answer(host)
    return _("no NPU has an address") if host.network.addresses.or_none() == {} else ""


@check(
    "network.hccn_conf",
    title=N_("/etc/hccn.conf is whole"),
    sources=(VLLM_ASCEND, "hccn.conf files posted in public"),
    dated="2026-08",
    role="hccn",
)
def hccn_conf(host: Host) -> Verdict:
    """The driver sets the ports from this file at start-up; containers and tools read addresses from it.

    Right: every device has address, netmask and, where others have them, gateway and detection address. A
    missing file is a server whose ports were never set (a warning); gaps leave ports without an address
    after the next reboot, and so does an address that was cut off.
    """
    if reason := without_ports(host):
        return skip(reason)
    conf = host.network.conf
    if conf.absent and host.network.live.or_none() == {}:
        return skip(_("no NPU has an address: see network.addresses"))
    if conf.absent and not host.network.ips:
        needs_answer(host)
    if conf.absent or (conf.known and not conf.value.ports):
        nothing = Evidence(CONF, _("not there, or empty"))
        return warn(nothing, actual=_("no port is configured"), expected=_("all NPUs"), fix=_set_address())
    devices = {port.device for port in conf.value.ports}
    if cut := _cut_off(conf.value):
        proofs = [Evidence(CONF, line) for line in cut[:8]]
        return fail(*proofs, actual=joined(cut), expected=_("all settings of all NPUs"), fix=_set_address())
    gaps = [*conf.value.gaps, *(f"address_{n}" for n in host.network.links if n not in devices)]
    if gaps:
        proofs = [Evidence(CONF, _("no {key}").format(key=gap)) for gap in gaps[:8]]
        return fail(*proofs, actual=joined(gaps), expected=_("all settings of all NPUs"), fix=_set_address())
    if not conf.value.complete:
        return unknown(conf, actual=_("lines were left out where the file says ..."))
    return ok(Evidence(CONF, f"address_{max(devices)}"), actual=_("{n} NPUs").format(n=len(devices)))


def _cut_off(conf: HccnConf) -> list[str]:
    """The lines whose value is the beginning of an IPv4 address; masked ones (`192.0.x.x`) are none."""
    return [
        f"{key}_{port.device}={value}"
        for port in conf.ports
        for key, value in port.settings.items()
        if key in _IP_SETTINGS and set(value) <= _IPV4 and value and not _version(value)
    ]


@check(
    "network.hccn_conf_agrees",
    title=N_("/etc/hccn.conf says what the ports have"),
    sources=(HCCL, "hccn.conf files posted in public"),
    dated="2026-08",
    role="hccn",
)
def hccn_conf_agrees(host: Host) -> Verdict:
    """Where the file and the ports differ, the next restart changes the addresses and rank tables break.

    Right: the address of each device in the file is the one that hccn_tool prints. (EI0014 and time-outs
    with a rank table that names other addresses: HCCL fault diagnosis, 2026-08.)
    """
    if reason := _without_addresses(host):
        return skip(reason)
    if host.network.conf.absent:
        return skip(_("there is no /etc/hccn.conf"))
    if not host.network.ips:
        return not_collected("hccn_tool -i N -ip -g")
    live = host.network.live.value
    wanted = {port.device: port.settings.get("address", "") for port in host.network.conf.value.ports}
    found = {n: live.get(n, "-") for n in host.network.ips}
    differ = {n: a for n, a in found.items() if wanted.get(n) and wanted[n] != a}
    if not differ:
        return ok(host.network.live, actual=_("{n} addresses").format(n=len(live)))
    proofs = [Evidence(CONF, f"address_{n}={wanted[n]}") for n in differ]
    proofs += [Evidence(question(n, "ip"), f"ipaddr:{a}") for n, a in differ.items()]
    words = joined(f"{n}: {wanted[n]} / {a}" for n, a in differ.items())
    return warn(*proofs, actual=words, expected=_("the same addresses"), fix=_set_address())


def _set_address() -> Fix:
    return Fix(
        Action.CONFIGURE,
        _("Give every NPU an address of its own; /etc/hccn.conf keeps it over a restart."),
        ("hccn_tool -i N -ip -s address ADDRESS netmask NETMASK", "cat /etc/hccn.conf"),
        role="hccn",
    )
