"""SQLite databases of msprof, torch_npu and MindSpore: times in ns, names as ids into STRING_IDS."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from npudoctor.accept.profile.layouts import cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from npudoctor.accept.profile.tally import Entry, Tally

_TASKS = """
    select t.deviceId, t.startNs, t.endNs, coalesce(o.value, ''), coalesce(k.value, w.value, ''), {copy}
    from TASK t
    left join COMPUTE_TASK_INFO c on c.globalTaskId = t.globalTaskId
    left join STRING_IDS o on o.id = c.opType
    left join STRING_IDS k on k.id = c.taskType
    left join STRING_IDS w on w.id = t.taskType
    {join}
    where c.globalTaskId is not null or {wanted}"""


def read_database(file: Path, tally_of: Callable[[str], Tally]) -> int:
    """Add the tasks of a database to the tallies of their devices; how many there were.

    Raises:
        sqlite3.DatabaseError: It is no database, is damaged, or lacks the tables of a profile.
    """
    with closing(_open(file)) as database:
        count = _tasks(database, tally_of)
        if "COMMUNICATION_OP" in _tables(database):
            count += _collectives(database, tally_of)
        return count


def ranks(file: Path) -> dict[str, int]:
    """The rank of each device, where the database knows it (msprof writes -1)."""
    with closing(_open(file)) as database:
        if "RANK_DEVICE_MAP" not in _tables(database):
            return {}
        pairs = database.execute("select deviceId, rankId from RANK_DEVICE_MAP")
        return {str(device): int(rank) for device, rank in pairs if int(rank) >= 0}


def read_analysis(file: Path, tally: Tally) -> int:
    """Waits of the collectives (ms) out of an analysis database; how many collectives there were."""
    with closing(_open(file)) as database:
        if "CommAnalyzerTime" not in _tables(database):
            return 0
        rows = database.execute(
            "select wait_time, transit_time from CommAnalyzerTime where hccl_op_name <> 'Total Op Info'"
        ).fetchall()
    for wait, transit in rows:
        tally.wait_ns = (tally.wait_ns or 0) + int(float(wait or 0) * 1e6)
        tally.moving_ns += int(float(transit or 0) * 1e6)
    return len(rows)


def _open(file: Path) -> sqlite3.Connection:
    # immutable: nothing is written beside it, not even a journal
    return sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


def _tables(database: sqlite3.Connection) -> dict[str, None]:
    return {name: None for (name,) in database.execute("select name from sqlite_master where type='table'")}


def _tasks(database: sqlite3.Connection, tally_of: Callable[[str], Tally]) -> int:
    entries: dict[tuple[Any, str, str], Entry] = {}
    count = 0
    for device, start, end, type, core, direction in database.execute(_query(database)):
        entry = entries.get((device, type, core))
        if entry is None:
            entry = entries[device, type, core] = tally_of(str(device)).entry(type or core, core)
        count += 1
        entry.count += 1
        entry.time += end - start
        entry.spans.add(start, end)
        if direction:
            directions = tally_of(str(device)).directions
            directions[direction] = directions.get(direction, 0) + end - start
    return count


def _query(database: sqlite3.Connection) -> str:
    """Operators, copies and waits; the tasks that a collective is made of are none of them."""
    tables = _tables(database)
    words = [word for word, kind in cores().items() if kind in ("transfer", "wait")]
    wanted = f"lower(w.value) in ({', '.join(repr(word) for word in words)})"
    if "COMMUNICATION_TASK_INFO" in tables:
        wanted += " and t.globalTaskId not in (select globalTaskId from COMMUNICATION_TASK_INFO)"
    copy, join = "null", ""
    if {"MEMCPY_INFO", "ENUM_MEMCPY_OPERATION"} <= tables.keys():
        copy = "e.name"
        join = """left join MEMCPY_INFO m on m.globalTaskId = t.globalTaskId
                  left join ENUM_MEMCPY_OPERATION e on e.id = m.memcpyOperation"""
    return _TASKS.format(copy=copy, join=join, wanted=wanted)


def _collectives(database: sqlite3.Connection, tally_of: Callable[[str], Tally]) -> int:
    devices = [device for (device,) in database.execute("select distinct deviceId from TASK")]
    count = 0
    for device, start, end, type in _communication(database):
        at = device if device is not None else devices[0] if devices else ""
        entry = tally_of(str(at)).entry(type or "hcom", "COMMUNICATION")
        count += 1
        entry.count += 1
        entry.time += end - start
        entry.spans.add(start, end)
    return count


def _communication(database: sqlite3.Connection) -> Iterator[tuple[Any, int, int, str]]:
    have = {row[1] for row in database.execute("pragma table_info(COMMUNICATION_OP)")}
    device = "c.deviceId" if "deviceId" in have else "null"
    type = "opType" if "opType" in have else "opName"
    yield from database.execute(
        f"select {device}, c.startNs, c.endNs, s.value from COMMUNICATION_OP c"  # noqa: S608 (our own words)
        f" left join STRING_IDS s on s.id = c.{type}"
    )
