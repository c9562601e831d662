"""The rank table of a job against the NPUs that the hosts have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.checks.fleet_scope import camps, gaps, not_read, some, told_of
from npudoctor.checks.network_scope import HCCL, without_ports
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence, Fact
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, unknown
from npudoctor.host.rank_table import read_rank_table
from npudoctor.nodeset import fold
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from npudoctor.checks.fleet_member import Member
    from npudoctor.host import Host
    from npudoctor.parse.rank_table import RankTable

Owners = dict[str, tuple[str, int]]
"""Host and device by the address of the device's port."""


def _reads(host: Host) -> Mapping[str, Fact[Any]]:
    table = read_rank_table(host.snapshot)
    if without_ports(host) and table.absent:
        return {}
    found = {"addresses": Fact(host.network.addresses.content)}
    return found if table.absent else {**found, "table": table}


@check(
    "fleet.rank_table",
    title=N_("The rank table is the same on all hosts, and names NPUs that are there"),
    sources=(HCCL, "github.com/hicann/runtime src/dfx/error_manager/error_code.json (EI0003, EI0014)"),
    dated="2026-08",
    role="hccn",
    reads=_reads,
)
def rank_table(hosts: Collection[Member]) -> Verdict:
    """Each rank finds the others by the table: a wrong address in it is a time-out of the whole job.

    Read is the file that RANK_TABLE_FILE names. Right: every host of the job has the same, and each address
    in it is that of the named device of one host; HCCL ends with EI0014 where the content does not match
    the devices. A server that is not among the hosts of this run cannot be judged. (HCCL fault diagnosis,
    error codes of hicann/runtime, 2026-08.)
    """
    tables = camps(hosts, "table")
    expected = _("one table, with the addresses that hccn_tool shows")
    summary = _("Make the table anew from the addresses of the NPUs, and give every host the same.")
    fix = Fix(Action.CONFIGURE, summary, ("hccn_tool -i N -ip -g",), "hccn")
    if len(tables) > 1:
        proofs = [proof for camp in tables for proof in camp.proofs]
        return fail(*proofs, actual=told_of("", tables, _words), expected=expected, fix=fix)
    missing = gaps(hosts, ("table", "addresses"))
    if not tables:
        return not_read(missing, expected) if gaps(hosts, ("table",)) else skip(_("no host has a rank table"))
    table, proof = tables[0].value, tables[0].proofs
    owners = _owners(hosts)
    if wrong := list(_wrong(table, owners)):
        return fail(
            *proof,
            *_lines(wrong),
            actual=some([said for _address, said in wrong]),
            expected=expected,
            fix=fix,
        )
    strange = [server.id for server in table.servers if not any(d.address in owners for d in server.devices)]
    if strange:
        return unknown(*proof, actual=_("not among these hosts: {servers}").format(servers=fold(strange)))
    if missing:
        return not_read(missing, expected)
    return ok(*proof, actual=_words(table))


def _words(table: RankTable) -> str:
    ranks = sum(len(server.devices) for server in table.servers)
    return _("{ranks} ranks on {servers} servers").format(ranks=ranks, servers=len(table.servers))


def _owners(hosts: Collection[Member]) -> Owners:
    found: Owners = {}
    for member in hosts:
        for device, address in (member.fact("addresses").or_none() or {}).items():
            found[address] = (member.name, device)
    return found


def _wrong(table: RankTable, owners: Owners) -> Iterator[tuple[str, str]]:
    """Addresses that are not where the table says, with what is wrong; of servers with one address known."""
    for server in table.servers:
        here = [owners[d.address][0] for d in server.devices if d.address and d.address in owners]
        if not here:
            continue
        name = max(set(here), key=here.count)
        for ranked in server.devices:
            if ranked.address is None:
                continue
            owner = owners.get(ranked.address)
            if owner is None:
                said = _("{address}, in the table that of NPU {device} of {server}, is on no NPU of {host}")
            elif owner != (name, ranked.device):
                said = _("{address}, in the table that of NPU {device} of {server}, is NPU {real} of {host}")
            else:
                continue
            host, real = owner or (name, "")
            words = {"address": ranked.address, "device": ranked.device, "server": server.id}
            yield ranked.address, said.format(**words, real=real, host=host)


def _lines(wrong: list[tuple[str, str]]) -> list[Evidence]:
    return [Evidence("rank table", f'"device_ip": "{address}"') for address, _said in wrong[:6]]
