"""Rank tables: which NPUs of which servers a job of HCCL runs on."""

from __future__ import annotations

import json
from typing import Any

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser


@dataclass(frozen=True, slots=True)
class RankedDevice:
    """One NPU of a job. `address` is that of its own port; None where the table leaves it out."""

    device: int
    address: str | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class RankedServer:
    """One server of a job. `id` is mostly its address in the hosts' network."""

    id: str
    devices: tuple[RankedDevice, ...]


@dataclass(frozen=True, slots=True)
class RankTable:
    """The file. `version`: 1.0 up to A2, 1.2 on A3. `status`: `completed` where MindCluster finished it."""

    version: str | None
    status: str | None
    servers: tuple[RankedServer, ...]


@parser("rank-table", origin="$RANK_TABLE_FILE")
def parse_rank_table(text: str) -> RankTable:
    """The servers in order. Keys that are not named here are passed over.

    Raises:
        ParseError: It is no JSON, or has no list of servers.
    """
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        raise ParseError("no JSON") from None
    servers = table.get("server_list") if isinstance(table, dict) else None
    if not isinstance(servers, list):
        raise ParseError("no server_list")
    found = tuple(_server(server) for server in servers if isinstance(server, dict))
    return RankTable(_word(table.get("version")), _word(table.get("status")), found)


def _server(server: dict[str, Any]) -> RankedServer:
    devices = server.get("device")
    rows = [row for row in devices if isinstance(row, dict)] if isinstance(devices, list) else []
    numbered = [(row, _number(row.get("device_id"))) for row in rows]
    found = [_device(row, number) for row, number in numbered if number is not None]
    return RankedServer(_word(server.get("server_id")) or "", tuple(found))


def _device(row: dict[str, Any], number: int) -> RankedDevice:
    return RankedDevice(number, _word(row.get("device_ip")), _number(row.get("rank_id")))


def _number(value: Any) -> int | None:
    """Numbers are strings in most tables."""
    text = str(value)
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def _word(value: Any) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
