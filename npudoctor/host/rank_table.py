"""The rank table that a host's environment names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.fact import Fact, first_known, unavailable
from npudoctor.host.environment import read_environment
from npudoctor.parse.rank_table import RankTable, parse_rank_table

if TYPE_CHECKING:
    from npudoctor.collect.snapshot import Snapshot

VARIABLES = ("RANK_TABLE_FILE", "RANKTABLEFILE")
"""HCCL and newer MindIE read the first, older MindIE the second."""
MINDCLUSTER = "/user/serverid/devindex/config/hccl.json"
"""Where MindCluster puts it into the containers of a job."""


def read_rank_table(snapshot: Snapshot) -> Fact[RankTable]:
    """The table; absent where nothing names one."""
    variables = read_environment(snapshot).variables.or_none() or {}
    named = [path for name in VARIABLES if (path := variables.get(name))]
    files = [
        snapshot.file(path) for path in (*named, MINDCLUSTER) if snapshot.entry(f"files/{path.lstrip('/')}")
    ]
    if not files and not named:
        return unavailable("no rank table is named", VARIABLES[0], "absent")
    if not files:
        return unavailable(f"{named[0]}: not collected", named[0])
    text = first_known(*files)
    return text.map(parse_rank_table, text="server_list")
