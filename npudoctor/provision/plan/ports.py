"""The NPUs' own ports (RoCE): what the inventory says of them, and what is set."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.fact import Fact, Unavailable
from npudoctor.host.network import question
from npudoctor.provision.plan.difference import CONFIGURE, Difference, same
from npudoctor.provision.planned import Change
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from npudoctor.host import Host

_NETMASK = "255.255.255.0"
_UNREAD = "?"
_SETTINGS = ("address", "netmask", "gateway", "netdetect")


def read_ports(host: Host) -> Mapping[int, Fact[Mapping[str, str]]]:
    """The settings of each port, by device; an empty text where one is not set."""
    return {device: _port(host, device) for device in host.network.ips}


def _port(host: Host, device: int) -> Fact[Mapping[str, str]]:
    network = host.network
    facts: list[Fact[Any]] = [
        network.ips[device],
        network.gateways.get(device) or _not_asked(device, "gateway"),
        network.netdetect.get(device) or _not_asked(device, "netdetect"),
        network.tls.get(device) or _not_asked(device, "tls"),
    ]
    missing = next((fact for fact in facts if not fact.known), None)
    if missing is not None:
        return missing.map(lambda _any: {})
    addresses, gateways, detected, tls = (fact.value for fact in facts)
    settings = {
        "address": addresses[0].address if addresses else "",
        "netmask": (addresses[0].netmask or "") if addresses else "",
        "gateway": gateways[0].address if gateways else "",
        "netdetect": detected[0] if detected else "",
        "tls": "enabled" if tls.enabled else "disabled",
    }
    return Fact(settings, facts[0].evidence)


def _not_asked(device: int, what: str) -> Fact[Any]:
    line = question(device, what)
    return Fact(Unavailable(f"{line}: not collected", line))


def port_difference(inventory: str, ports: Mapping[int, Fact[Mapping[str, str]]]) -> Difference:
    """What differs from the inventory; the same where it says nothing. `inventory`: `Target.hccn`."""
    changes = tuple(_changes(_wanted(inventory), ports)) if inventory else ()
    return Difference(CONFIGURE, "", changes) if changes else same("")


def are_back(changes: Iterable[Change], ports: Mapping[int, Fact[Mapping[str, str]]]) -> bool:
    """Whether all that a step was to change is as it was, whatever the inventory wants by now."""
    return all(_is_back(change, ports) for change in changes)


def _is_back(change: Change, ports: Mapping[int, Fact[Mapping[str, str]]]) -> bool:
    _hccn, device, name = change.what.split(".")
    port = ports.get(int(device))
    settings = port.or_none() if port else None
    now = settings.get(name, "") if settings is not None else _UNREAD
    return now == change.before or (change.before == _UNREAD and now != change.after)


def _wanted(inventory: str) -> dict[int, dict[str, str]]:
    """Settings by device; those of the host stand in for what a port leaves open."""
    given = json.loads(inventory)
    shared = {name: str(given.get(f"hccn_{name}") or "") for name in _SETTINGS}
    shared["netmask"] = shared["netmask"] or _NETMASK
    tls = str(given.get("hccn_tls", "keep"))
    return {
        int(port["device"]): {name: str(port.get(name) or shared[name]) for name in _SETTINGS}
        | {"tls": "" if tls == "keep" else tls}
        for port in given["hccn_ports"]
    }


def _changes(
    wanted: dict[int, dict[str, str]], ports: Mapping[int, Fact[Mapping[str, str]]]
) -> Iterator[Change]:
    for device, settings in wanted.items():
        port = ports.get(device)
        now = port.or_none() if port else None
        for name, value in settings.items():
            before = now.get(name, "") if now is not None else _UNREAD
            if value and before != value:
                why = _("the inventory says so") if now is not None else _("it cannot be read yet")
                yield Change(f"hccn.{device}.{name}", before, value, why)
