"""SQLite databases of msprof, torch_npu and MindSpore: times in ns, names as ids into STRING_IDS."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from npudoctor.accept.profile.layouts import cores, type_of_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from npudoctor.accept.profile.tally import Entry, Tally

_TASKS = """
    select t.deviceId, t.startNs, t.endNs, coalesce(nullif(o.value, 'N/A'), ''), coalesce(n.value, ''),
        coalesce(nullif(k.value, 'N/A'), w.value, ''), {copy}
    from TASK t
    left join {operators} c on c.globalTaskId = t.globalTaskId
    left join STRING_IDS o on o.id = c.opType
    left join STRING_IDS k on k.id = c.taskType
    left join STRING_IDS w on w.id = t.taskType
    left join STRING_IDS n on n.id = c.name and (o.value is null or o.value = 'N/A')
    {join}
    where c.globalTaskId is not null or {wanted}"""
_NO_OPERATORS = "(select null as globalTaskId, null as name, null as opType, null as taskType)"


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
    for device, start, end, known, name, core, direction in database.execute(_query(database)):
        type = known or (name and type_of_name(name)) or core
        entry = entries.get((device, type, core))
        if entry is None:
            entry = entries[device, type, core] = tally_of(str(device)).entry(type, core)
        count += 1
        entry.count += 1
        entry.time += end - start
        entry.spans.add(start, end)
        if direction:
            directions = tally_of(str(device)).directions
            directions[direction] = directions.get(direction, 0) + end - start
    return count


def _query(database: sqlite3.Connection) -> str:
    """Operators, copies and waits; the tasks that a collective is made of are none of them.

    A light profile may have no table of operators: then every task on a core is one.
    """
    tables = _tables(database)
    named = "COMPUTE_TASK_INFO" in tables
    words = [word for word, kind in cores().items() if not named or kind in ("transfer", "wait")]
    wanted = f"lower(w.value) in ({', '.join(repr(word) for word in words)})"
    for table in ("COMMUNICATION_TASK_INFO", "COMMUNICATION_SCHEDULE_TASK_INFO"):
        if table in tables:
            wanted += f" and t.globalTaskId not in (select globalTaskId from {table})"  # noqa: S608 (our words)
    operators = "COMPUTE_TASK_INFO" if named else _NO_OPERATORS
    copy, join = "null", ""
    if {"MEMCPY_INFO", "ENUM_MEMCPY_OPERATION"} <= tables.keys():
        copy = "e.name"
        join = """left join MEMCPY_INFO m on m.globalTaskId = t.globalTaskId
                  left join ENUM_MEMCPY_OPERATION e on e.id = m.memcpyOperation"""
    return _TASKS.format(operators=operators, copy=copy, join=join, wanted=wanted)


def _collectives(database: sqlite3.Connection, tally_of: Callable[[str], Tally]) -> int:
    devices = [device for (device,) in database.execute("select distinct deviceId from TASK")]
    owners = _owners(database) if len(devices) > 1 else {}
    first = devices[0] if devices else ""
    count = 0
    for device, operation, start, end, type in _communication(database):
        at = device if device is not None else owners.get(operation, first)
        entry = tally_of(str(at)).entry(type or "hcom", "COMMUNICATION")
        count += 1
        entry.count += 1
        entry.time += end - start
        entry.spans.add(start, end)
    return count


def _owners(database: sqlite3.Connection) -> dict[Any, Any]:
    """The device of each collective by its tasks: early tables of collectives do not name it."""
    if "COMMUNICATION_TASK_INFO" not in _tables(database):
        return {}
    return dict(
        database.execute(
            "select i.opId, t.deviceId from COMMUNICATION_TASK_INFO i"
            " join TASK t on t.globalTaskId = i.globalTaskId"
        )
    )


def _communication(database: sqlite3.Connection) -> Iterator[tuple[Any, Any, int, int, str]]:
    have = {row[1] for row in database.execute("pragma table_info(COMMUNICATION_OP)")}
    device, operation = (f"c.{name}" if name in have else "null" for name in ("deviceId", "opId"))
    type = "opType" if "opType" in have else "opName"
    yield from database.execute(
        f"select {device}, {operation}, c.startNs, c.endNs, s.value from COMMUNICATION_OP c"  # noqa: S608 (our own words)
        f" left join STRING_IDS s on s.id = c.{type}"
    )
