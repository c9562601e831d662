"""The host's own ports that HCCL uses between servers, and what may stand in its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.network_scope import HCCL, without_ports
from npudoctor.checks.npu_scope import joined
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, ok, skip, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host

DEVICE_PORT = 16666
FIRST_PORT, LAST_PORT = 60000, 60015
_RANGE = f"{FIRST_PORT}-{LAST_PORT}"


@check(
    "network.ports_free",
    title=N_("The ports that HCCL listens on are free"),
    sources=(HCCL, "HCCL environment variables: HCCL_IF_BASE_PORT, HCCL_NPU_SOCKET_PORT_RANGE"),
    dated="2026-08",
)
def ports_free(host: Host) -> Verdict:
    """HCCL listens on 60000 to 60015 of the host and on 16666; where one is taken it fails (EJ0003, EI0019).

    Right: nobody listens there before a job starts. While a job runs its own processes do, so this is a
    warning: a second job on the host needs other ports (HCCL_IF_BASE_PORT, HCCL_NPU_SOCKET_PORT_RANGE).
    """
    if reason := without_ports(host):
        return skip(reason)
    taken = [one for one in host.network.listeners.value if _is_hccl(one.port)]
    if not taken:
        return ok(Evidence("ss -ltnp", _("no listener on {ports}").format(ports=f"{DEVICE_PORT}, {_RANGE}")))
    words = joined(f"{one.port} ({one.process or '?'})" for one in taken)
    fix = Fix(
        Action.FREE,
        _("End the process if it is left over; else give the new job other ports."),
        ("ss -ltnp", "export HCCL_IF_BASE_PORT=61000", "export HCCL_NPU_SOCKET_PORT_RANGE=auto"),
    )
    return warn(*(Evidence("ss -ltnp", one.line) for one in taken), actual=words, expected=_("free"), fix=fix)


def _is_hccl(port: int) -> bool:
    return port == DEVICE_PORT or FIRST_PORT <= port <= LAST_PORT


@check(
    "network.ports_reserved",
    title=N_("The kernel keeps HCCL's ports for HCCL"),
    sources=(HCCL, "HCCL environment variables: HCCL_IF_BASE_PORT"),
    dated="2026-08",
    role="host_tuning",
)
def ports_reserved(host: Host) -> Verdict:
    """The kernel may give 60000 to 60015 to any outgoing connection, and HCCL then cannot listen there.

    Right: net.ipv4.ip_local_reserved_ports holds 60000-60015, or ip_local_port_range leaves them out (it
    does not by default: 32768 to 60999). A server whose NPUs have no address runs no job with others, and
    is not judged. (HCCL guide, 2026-08.)
    """
    if reason := without_ports(host) or _alone(host):
        return skip(reason)
    reserved, local = host.network.reserved_ports, host.network.local_ports
    if _holds(reserved.value, FIRST_PORT, LAST_PORT):
        return ok(reserved)
    given = local.or_none()
    if given is not None and not any(low <= LAST_PORT and high >= FIRST_PORT for low, high in given):
        return ok(local)
    fix = Fix(
        Action.CONFIGURE,
        _("Reserve them, now and for the next start."),
        (
            f"sudo sysctl -w net.ipv4.ip_local_reserved_ports={_RANGE}",
            f"echo net.ipv4.ip_local_reserved_ports={_RANGE} | sudo tee /etc/sysctl.d/90-hccl.conf",
        ),
        role="host_tuning",
    )
    words = _("not reserved")
    return warn(reserved, local, actual=words, expected=_RANGE, fix=fix)


def _alone(host: Host) -> str:
    """Why ports between servers are of no matter; empty where they are."""
    return _("no NPU has an address") if host.network.addresses.or_none() == {} else ""


def _holds(ranges: tuple[tuple[int, int], ...], first: int, last: int) -> bool:
    return all(any(low <= port <= high for low, high in ranges) for port in range(first, last + 1))


@check(
    "network.firewall",
    title=N_("No firewall stands between the servers"),
    sources=(HCCL,),
    dated="2026-08",
)
def firewall(host: Host) -> Verdict:
    """HCCL's servers meet on ports 60000 to 60015 (and the port of the root rank); a firewall makes EI0006.

    Right: no firewall service runs, or it lets these ports of the other servers through, which cannot be
    seen from here: so this is a warning. (HCCL fault diagnosis: "agent cannot reach root", 2026-08.)
    """
    if reason := without_ports(host) or _alone(host):
        return skip(reason)
    if host.system.in_container.or_none():
        return skip(_("the container's host has the firewall"))
    if not host.network.firewall.known:
        return skip(_("whether a firewall runs was not collected"))
    if not host.network.firewall.value:
        return ok(host.network.firewall, actual=_("none runs"))
    name = host.network.firewall.value
    open_ports = {
        "firewalld": (f"sudo firewall-cmd --permanent --add-port={_RANGE}/tcp", "sudo firewall-cmd --reload"),
        "ufw": (f"sudo ufw allow {FIRST_PORT}:{LAST_PORT}/tcp",),
    }
    fix = Fix(
        Action.CONFIGURE,
        _("For jobs over several servers let the other servers in, or stop it in a closed network."),
        open_ports.get(name, ()),
    )
    return warn(host.network.firewall, actual=_("{name} runs").format(name=name), expected=_("none"), fix=fix)
