"""hccn_tool: link, health, address, gateway, detection address and TLS of the NPUs' own network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.npu_smi_text import plain_lines
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Link:
    """The link of one device. `ports` is by port number, on 950 only. Words as printed: UP, DOWN, …"""

    status: str
    ports: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Address:
    """The address of one device's port; IPv4 or IPv6 as printed."""

    address: str
    netmask: str | None


@dataclass(frozen=True, slots=True)
class Gateway:
    """The default gateway of one device."""

    address: str
    interface: str | None


@dataclass(frozen=True, slots=True)
class Certificate:
    """One certificate of a device. `expiration`: 0 normal, 1 soon, 2 expired, as the tool judges."""

    name: str
    end_time: str | None
    expiration: int | None


@dataclass(frozen=True, slots=True)
class Tls:
    """The TLS switch of one device, with its certificates where the tool lists them."""

    device: int
    enabled: bool
    certificates: tuple[Certificate, ...]


_FAILED = regex(
    r"Device ID is out of the valid range|Cmd execute failed|Command execute failed|not supported?\b", re.I
)
_LINK = regex(r"^\s*(?:\[devid \d+\]\s*)?link status\s*:\s*(\S.*?)\s*$", re.I)
_PORT = regex(r"^\s*port\s+(\d{1,6})\s*:\s*(\S.*?)\s*$", re.I)
_HEALTH = regex(r"net health status\s*:\s*(\S.*?)\s*$", re.I)
_ADDRESS = regex(r"^\s*(?:ipv6\s*addr|ipaddr)\w*\s*:\s*([0-9A-Fa-f.:]+)", re.I)
_MASK = regex(r"^\s*(?:netmask|prefix\w*)\s*:\s*(\S+)", re.I)
_GATEWAY = regex(r"default gateway\s*:\s*([0-9A-Fa-f.:]+)(?:\s*,\s*Iface\s*:\s*(\S+))?", re.I)
_DETECT = regex(r"netdetect address\s*:\s*([0-9A-Fa-f.:]+)", re.I)
_SWITCH = regex(r"dev_id\s*:\s*(\d{1,6}),\s*tls switch\s*\[([01])\]", re.I)
_CERTIFICATE = regex(r"dev_id\s*:\s*(\d{1,6}),\s*\[([^\]]+)\]\s*info", re.I)
_END_TIME = regex(r"end_time\s*\[([^\]]*)\]")
_EXPIRATION = regex(r"expiration status\s*\[(\d)\]")


def failure(text: str) -> ParseError | None:
    """The error that hccn_tool printed in the answer's place, if it did."""
    line = next((line.strip() for line in plain_lines(text) if _FAILED.search(line)), None)
    return ParseError(line) if line else None


def _none_found(text: str, wanted: str) -> ParseError:
    return failure(text) or ParseError(f"no line with {wanted}")


@parser("hccn-link", origin="hccn_tool -i N -link -g")
def parse_hccn_link(text: str) -> tuple[Link, ...]:
    """One link for each answer in the text."""
    found: list[tuple[str, dict[int, str]]] = []
    for line in plain_lines(text):
        if match := _LINK.match(line):
            found.append((match[1], {}))
        elif found and (match := _PORT.match(line)):
            found[-1][1][int(match[1])] = match[2]
    if not found:
        raise _none_found(text, "link status")
    return tuple(Link(status, ports) for status, ports in found)


@parser("hccn-net-health", origin="hccn_tool -i N -net_health -g")
def parse_hccn_net_health(text: str) -> tuple[str, ...]:
    """The words as printed, one for each answer: Success is good; Init, Fault, Socket failed are not."""
    found = tuple(match[1] for match in map(_HEALTH.search, plain_lines(text)) if match)
    if not found:
        raise _none_found(text, "net health status")
    return found


@parser("hccn-ip", origin="hccn_tool -i N -ip -g")
def parse_hccn_ip(text: str) -> tuple[Address, ...]:
    """The addresses; an empty tuple where the tool printed nothing, which means that none is set."""
    found: list[Address] = []
    for line in plain_lines(text):
        if match := _ADDRESS.match(line):
            found.append(Address(match[1], None))
        elif found and (match := _MASK.match(line)):
            found[-1] = Address(found[-1].address, match[1])
    return _or_empty(text, tuple(found))


@parser("hccn-gateway", origin="hccn_tool -i N -gateway -g")
def parse_hccn_gateway(text: str) -> tuple[Gateway, ...]:
    """The default gateways; an empty tuple where none is set."""
    matches = (_GATEWAY.search(line) for line in plain_lines(text))
    return _or_empty(text, tuple(Gateway(match[1], match[2]) for match in matches if match))


@parser("hccn-netdetect", origin="hccn_tool -i N -netdetect -g")
def parse_hccn_netdetect(text: str) -> tuple[str, ...]:
    """The addresses that the port's health is tested against; an empty tuple where none is set."""
    return _or_empty(text, tuple(match[1] for match in map(_DETECT.search, plain_lines(text)) if match))


def _or_empty(text: str, found: tuple[Found, ...]) -> tuple[Found, ...]:
    if not found and (error := failure(text)):
        raise error
    return found


@parser("hccn-tls", origin="hccn_tool -i N -tls -g")
def parse_hccn_tls(text: str) -> tuple[Tls, ...]:
    """The TLS switch by device; raises `ParseError` where no switch is printed."""
    switches: dict[int, bool] = {}
    certificates: list[tuple[int, Certificate]] = []
    for line in plain_lines(text):
        if match := _SWITCH.search(line):
            switches[int(match[1])] = match[2] == "1"
        elif match := _CERTIFICATE.search(line):
            certificates.append((int(match[1]), Certificate(match[2], None, None)))
        elif certificates:
            certificates[-1] = (certificates[-1][0], _detailed(certificates[-1][1], line))
    if not switches:
        raise _none_found(text, "tls switch")
    return tuple(
        Tls(device, enabled, tuple(found for owner, found in certificates if owner == device))
        for device, enabled in switches.items()
    )


def _detailed(certificate: Certificate, line: str) -> Certificate:
    if match := _END_TIME.search(line):
        return Certificate(certificate.name, match[1] or None, certificate.expiration)
    if match := _EXPIRATION.search(line):
        return Certificate(certificate.name, certificate.end_time, int(match[1]))
    return certificate
