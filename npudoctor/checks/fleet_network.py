"""The NPUs' own network over all hosts of a fleet: addresses, subnets, TLS."""

from __future__ import annotations

from ipaddress import ip_interface
from typing import TYPE_CHECKING, Any

from npudoctor.checks.fleet_scope import camps as camps_of
from npudoctor.checks.fleet_scope import gaps, not_read, same, some, told_of, twice
from npudoctor.checks.network_scope import HCCL, VLLM_ASCEND, without_hccn_tool, without_ports
from npudoctor.checks.npu_scope import joined
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence, Fact
from npudoctor.finding import Action, Fix, Verdict, fail, ok, warn
from npudoctor.host.network import question
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from npudoctor.checks.fleet_member import Member
    from npudoctor.host import Host

_MOST_TOLD = 8


def _addresses(host: Host) -> Mapping[str, Fact[Mapping[int, str]]] | str:
    """By device; of a host whose ports have none, nothing: it takes part in no job over several hosts."""
    if reason := without_ports(host) or without_hccn_tool(host.network.ips):
        return reason
    found = host.network.live if host.network.ips else host.network.addresses
    return {} if found.absent or found.or_none() == {} else {"": Fact(found.content)}


def _each_address(member: Member) -> Iterator[tuple[str, Evidence]]:
    for device, address in (member.fact("").or_none() or {}).items():
        source = f"{member.name}: {question(device, 'ip')}"
        yield address, Evidence(source, f"ipaddr:{address}")


@check(
    "fleet.unique_addresses",
    title=N_("No two NPUs of the fleet have the same address"),
    sources=(HCCL,),
    dated="2026-08",
    role="hccn",
    reads=_addresses,
)
def unique_addresses(hosts: Collection[Member]) -> Verdict:
    """Two ports with one address answer for each other: HCCL connects the wrong ranks, or times out.

    It happens where a server was set up from another one's /etc/hccn.conf, and shows on neither of them
    alone. Right: every address on one port of one host. (HCCL fault diagnosis, 2026-08.)
    """
    expected = _("every address once")
    if found := twice(hosts, _each_address):
        told = [f"{joined(shared.values)}: {shared.hosts}" for shared in found]
        proofs = [proof for shared in found for proof in shared.proofs][:_MOST_TOLD]
        command = "hccn_tool -i N -ip -s address ADDRESS netmask MASK"
        fix = Fix(Action.CONFIGURE, _("Give each port an address of its own."), (command,), "hccn")
        return fail(*proofs, actual=some(told), expected=expected, fix=fix)
    if missing := gaps(hosts, ("",)):
        return not_read(missing, expected)
    number = sum(len(member.fact("").value) for member in hosts)
    return ok(actual=_("{n} addresses on {hosts} hosts").format(n=number, hosts=len(hosts)))


def _subnets(host: Host) -> Mapping[str, Fact[Any]] | str:
    addresses = _addresses(host)
    if isinstance(addresses, str) or not addresses or not host.network.ips:
        return addresses if isinstance(addresses, str) else {}
    asked: list[Fact[Any]] = [*host.network.ips.values(), *host.network.gateways.values()]
    if missing := [fact for fact in asked if not fact.known]:
        return {"": missing[0]}
    found = {
        network: question(device, "ip")
        for device, fact in host.network.ips.items()
        for one in fact.value[:1]
        if (network := _network(one.address, one.netmask))
    }
    proofs = tuple(Evidence(line, network) for network, line in found.items())
    routed = bool(host.network.gateways) and all(fact.value for fact in host.network.gateways.values())
    return {"": Fact(tuple(sorted(found)), proofs), "routed": Fact(routed)}


def _network(address: str, netmask: str | None) -> str:
    """`192.168.100.0/24`; empty for text that is no address, as one that was masked."""
    try:
        return str(ip_interface(f"{address}/{netmask}" if netmask else address).network)
    except ValueError:
        return ""


@check(
    "fleet.subnets",
    title=N_("The NPUs of all hosts are in the same subnets"),
    sources=(HCCL, VLLM_ASCEND, "ascend-deployer-26.0.0 library/check_hccn.py"),
    dated="2026-08",
    role="hccn",
    reads=_subnets,
)
def subnets(hosts: Collection[Member]) -> Verdict:
    """Ports of different hosts meet where they share a subnet, else only through a gateway.

    The deployer of the vendor asks for one subnet and one netmask over all hosts. A host with another mask
    sends to its neighbours through a gateway, or not at all. Right: the same subnets on every host, or a
    gateway on every port. (HCCL, vLLM Ascend's multi-node pages, ascend-deployer 26.0.0.)
    """
    parts = camps_of(hosts, "")
    expected = _("the same subnets, or gateways")
    if len(parts) > 1 and not all(member.fact("routed").or_none() for member in hosts):
        proofs = [proof for camp in parts[:_MOST_TOLD] for proof in camp.proofs]
        fix = Fix(
            Action.CONFIGURE,
            _("Give the hosts that differ addresses and masks of the same subnet, or all ports a gateway."),
            (
                "hccn_tool -i N -ip -s address ADDRESS netmask MASK",
                "hccn_tool -i N -gateway -s gateway ADDRESS",
            ),
            "hccn",
        )
        return warn(*proofs, actual=told_of("", parts, joined), expected=expected, fix=fix)
    if missing := gaps(hosts, ("",)):
        return not_read(missing, expected)
    return ok(*parts[0].proofs, actual=_("; ").join(joined(camp.value) for camp in parts[:_MOST_TOLD]))


def _tls(host: Host) -> Mapping[str, Fact[Any]] | str:
    switches = host.network.tls
    if reason := without_ports(host) or without_hccn_tool(switches):
        return reason
    if not switches:
        return {}
    if missing := [fact for fact in switches.values() if not fact.known]:
        return {"": missing[0]}
    states = sorted({fact.value.enabled for fact in switches.values()})
    proofs = tuple(
        Evidence(question(device, "tls"), f"tls switch[{int(fact.value.enabled)}]")
        for device, fact in switches.items()
    )
    return {"": Fact(tuple(states), proofs)}


@check(
    "fleet.tls",
    title=N_("The TLS switch of the NPUs' network is the same on all hosts"),
    sources=(HCCL, "github.com/hicann/runtime src/dfx/error_manager/error_code.json (EI0016)"),
    dated="2026-08",
    role="hccn",
    reads=_tls,
)
def tls(hosts: Collection[Member]) -> Verdict:
    """A port with TLS and one without do not connect: HCCL ends with EI0016, or a time-out on old drivers.

    MindIE's pages switch it off and HCCL's recommend it: either is right, as long as it is the same on every
    NPU of every server. The driver compares the two sides from HDK 25.2 on. (HCCL fault diagnosis, 2026-08.)
    """
    parts = camps_of(hosts, "")
    value = int(parts[0].value == (True,)) if parts else 0
    fix = Fix(
        Action.CONFIGURE,
        _("Switch it to the same value on every NPU of every server."),
        (f"hccn_tool -i N -tls -s enable {value}",),
        "hccn",
    )
    if len(parts) == 1 and len(parts[0].value) > 1:
        actual = _switched(parts[0].value)
        return fail(*parts[0].proofs, actual=actual, expected=_("one switch for all"), fix=fix)
    return same(hosts, ("",), fail, expected=_("one switch for all"), fix=fix, words=_switched)


def _switched(states: tuple[bool, ...]) -> str:
    if len(states) > 1:
        return _("on for some NPUs")
    return _("on") if states[0] else _("off")
