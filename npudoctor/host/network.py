"""The NPUs' own network (HCCN) and the host's ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, ParseError, first_known, unavailable
from npudoctor.parse.hccn import (
    Address,
    Gateway,
    Link,
    Tls,
    parse_hccn_gateway,
    parse_hccn_ip,
    parse_hccn_link,
    parse_hccn_net_health,
    parse_hccn_netdetect,
    parse_hccn_tls,
)
from npudoctor.parse.hccn_conf import HccnConf, parse_hccn_conf
from npudoctor.parse.hccn_port import LinkHistory, Optical, parse_hccn_link_stat, parse_hccn_optical
from npudoctor.parse.sockets import Listener, parse_ss
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from npudoctor.collect.snapshot import Snapshot

T = TypeVar("T")
CONF = "/etc/hccn.conf"
Ports = tuple[tuple[int, int], ...]
"""Ranges of port numbers, first and last."""
_DEVICE = regex(r"commands/hccn_tool_-i_(\d{1,4})_")
_RANGE = regex(r"(\d{1,5})(?:\s*-\s*(\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class Network:
    """The NPUs' own network (HCCN) and the host's ports. Mappings are by device: N of hccn_tool -i N."""

    addresses: Fact[Mapping[int, str]]
    """Address by NPU device number; a device without one is not in it. As set now, else as configured."""
    live: Fact[Mapping[int, str]]
    """Likewise, as hccn_tool prints them for all devices that were asked."""
    links: Mapping[int, Fact[Link]]
    """`hccn_tool -i N -link -g`."""
    health: Mapping[int, Fact[str]]
    """`-net_health`: Success is good."""
    ips: Mapping[int, Fact[tuple[Address, ...]]]
    """`-ip`."""
    tls: Mapping[int, Fact[Tls]]
    """`-tls`."""
    gateways: Mapping[int, Fact[tuple[Gateway, ...]]]
    """`-gateway`."""
    netdetect: Mapping[int, Fact[tuple[str, ...]]]
    """`-netdetect`."""
    optics: Mapping[int, Fact[Optical]]
    """`-optical`."""
    histories: Mapping[int, Fact[LinkHistory]]
    """`-link_stat`."""
    conf: Fact[HccnConf]
    """/etc/hccn.conf."""
    listeners: Fact[tuple[Listener, ...]]
    """Listening TCP sockets of the host."""
    reserved_ports: Fact[Ports]
    """net.ipv4.ip_local_reserved_ports: the kernel gives none of them to outgoing connections."""
    local_ports: Fact[Ports]
    """net.ipv4.ip_local_port_range: what the kernel gives to outgoing connections."""
    firewall: Fact[str]
    """The name of the firewall service that runs; empty where none does."""


def read_network(snapshot: Snapshot) -> Network:
    """Read it out of a snapshot."""
    ips = _by_device(snapshot, "ip", parse_hccn_ip)
    live = _addresses(ips)
    conf = snapshot.file(CONF).map(parse_hccn_conf, text="")
    reserved = "/proc/sys/net/ipv4/ip_local_reserved_ports"
    local = "/proc/sys/net/ipv4/ip_local_port_range"
    return Network(
        addresses=first_known(live, conf.map(_configured)),
        live=live,
        links=_by_device(snapshot, "link", lambda text: _only(parse_hccn_link(text))),
        health=_by_device(snapshot, "net_health", lambda text: _only(parse_hccn_net_health(text))),
        ips=ips,
        tls=_by_device(snapshot, "tls", lambda text: _only(parse_hccn_tls(text))),
        gateways=_by_device(snapshot, "gateway", parse_hccn_gateway),
        netdetect=_by_device(snapshot, "netdetect", parse_hccn_netdetect),
        optics=_by_device(snapshot, "optical", parse_hccn_optical),
        histories=_by_device(snapshot, "link_stat", lambda text: parse_hccn_link_stat(text)[-1]),
        conf=conf,
        listeners=snapshot.command("ss -ltnp").map(parse_ss, text="listening sockets"),
        reserved_ports=snapshot.file(reserved).map(_ranges),
        local_ports=snapshot.file(local).map(lambda text: _ranges("-".join(text.split()))),
        firewall=_firewall(snapshot),
    )


def question(device: int, what: str) -> str:
    """The command line that asks one device."""
    return f"hccn_tool -i {device} -{what} -g"


def _by_device(snapshot: Snapshot, what: str, parse: Callable[[str], T]) -> dict[int, Fact[T]]:
    """The answer of each device; of one that answers other questions only, that it was not collected."""
    asked = [(path, match) for path in snapshot.entries if (match := _DEVICE.match(path))]
    if not any(path.endswith(f"_-{what}_-g") for path, _match in asked):
        return {}
    devices = sorted({int(match[1]) for _path, match in asked})
    return {device: snapshot.command(question(device, what)).map(parse) for device in devices}


def _only(found: tuple[T, ...]) -> T:
    if len(found) != 1:
        raise ParseError(f"{len(found)} answers where one was asked for")
    return found[0]


def _addresses(ips: Mapping[int, Fact[tuple[Address, ...]]]) -> Fact[Mapping[int, str]]:
    if not ips:
        return unavailable("hccn_tool -i N -ip -g: not collected", "hccn_tool -i N -ip -g")
    read = {device: fact.value for device, fact in ips.items() if fact.known}
    if len(read) < len(ips):
        return next(fact.map(lambda _: dict[int, str]()) for fact in ips.values() if not fact.known)
    found = {device: answer[0].address for device, answer in read.items() if answer}
    return Fact(
        found, tuple(Evidence(question(n, "ip"), f"ipaddr:{address}") for n, address in found.items())
    )


def _configured(conf: HccnConf) -> Mapping[int, str]:
    return {port.device: port.settings["address"] for port in conf.ports if port.settings.get("address")}


def _ranges(text: str) -> Ports:
    found = (_RANGE.fullmatch(part.strip()) for part in text.strip().split(",") if part.strip())
    return tuple((int(match[1]), int(match[2] or match[1])) for match in found if match)


def _firewall(snapshot: Snapshot) -> Fact[str]:
    states = {}
    for name in ("firewalld", "ufw"):
        output = snapshot.output(f"systemctl is-active {name}")
        if output.known:
            states[name] = output.value.text.strip()
    if not states:
        return unavailable("systemctl is-active firewalld: not collected", "systemctl is-active firewalld")
    running = next((name for name, state in states.items() if state == "active"), "")
    proofs = tuple(Evidence(f"systemctl is-active {name}", state) for name, state in states.items())
    return Fact(running, proofs)
