"""Ports and addresses: windows that overlap, text that is no address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.envvars.judgement import Judgement, Kind, Severity, Variables, evidence_of, hidden, value_of
from npudoctor.envvars.rules import port_ranges
from npudoctor.envvars.table import table
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

BASE_PORTS = 32
"""HCCL takes so many ports from HCCL_IF_BASE_PORT on (16 in older releases)."""
_ADDRESS_4 = regex(r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)")
_ADDRESS_6 = regex(r"(?=.*:.*:)[0-9A-Fa-f:.]{2,45}(%\w+)?")


def judge_network(variables: Variables) -> Iterator[Judgement]:
    """Judge ports and addresses of HCCL and the rendezvous."""
    yield from _address(variables)
    yield from _family(variables)
    yield from _master_port(variables)
    yield from _controller_port(variables)


def _address(variables: Variables) -> Iterator[Judgement]:
    value = value_of(variables, "HCCL_IF_IP")
    if value and not hidden(value) and _kind(value) is None:
        message = _("HCCL_IF_IP={value} is no address; HCCL stops with EI0001").format(value=value)
        yield _judgement(variables, "fail", message, "hccl-address", "HCCL_IF_IP")


def _family(variables: Variables) -> Iterator[Judgement]:
    family = value_of(variables, "HCCL_SOCKET_FAMILY") or "AF_INET"
    for name in ("HCCL_IF_IP", "MASTER_ADDR"):
        kind = _kind(value_of(variables, name))
        if "HCCL_SOCKET_FAMILY" in variables and kind and kind != family:
            message = _("{name} is an {kind} address, and HCCL_SOCKET_FAMILY is {family}").format(
                name=name, kind="IPv6" if kind == "AF_INET6" else "IPv4", family=family
            )
            yield _judgement(variables, "fail", message, "address-family", "HCCL_SOCKET_FAMILY", name)


def _master_port(variables: Variables) -> Iterator[Judgement]:
    port, window = value_of(variables, "MASTER_PORT"), _window(variables)
    if port.isdecimal() and any(first <= int(port[:6]) <= last for first, last in window):
        message = _("MASTER_PORT={port} is one of the ports that HCCL takes").format(port=port)
        names = ("MASTER_PORT", "HCCL_IF_BASE_PORT", "HCCL_HOST_SOCKET_PORT_RANGE")
        yield _judgement(variables, "warn", message, "master-port", *names)


def _window(variables: Variables) -> list[tuple[int, int]]:
    """The ports of the host that HCCL listens on; the range wins over the base port."""
    ranges = value_of(variables, "HCCL_HOST_SOCKET_PORT_RANGE")
    if ranges:
        return port_ranges(ranges)
    base = value_of(variables, "HCCL_IF_BASE_PORT")
    first = int(base) if base.isdecimal() and len(base) < 7 else 60000
    return [(first, first + BASE_PORTS - 1)]


def _controller_port(variables: Variables) -> Iterator[Judgement]:
    port = value_of(variables, "TTP_PORT")
    if port and not hidden(port) and port == value_of(variables, "MASTER_PORT"):
        message = _("TTP_PORT and MASTER_PORT are the same")
        yield _judgement(variables, "warn", message, "controller-port", "TTP_PORT", "MASTER_PORT")


def _kind(text: str) -> str | None:
    if _ADDRESS_4.fullmatch(text):
        return "AF_INET"
    return "AF_INET6" if _ADDRESS_6.fullmatch(text) else None


def _judgement(variables: Variables, severity: Severity, message: str, topic: str, *names: str) -> Judgement:
    name = names[0]
    evidence = evidence_of(variables, *names)
    source = tuple(table().rows[name]["source"])
    value = value_of(variables, name)
    return Judgement(Kind.COMBINATION, name, value, severity, message, evidence, (), source, topic)
