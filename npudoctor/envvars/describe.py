"""What `npudoctor explain NAME` prints for an environment variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.envvars.reading import component_name
from npudoctor.envvars.table import Row, misspellings, table
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

_READERS = {
    "cann": "CANN", "runtime": "CANN runtime", "ge": "CANN graph engine", "hccl": "HCCL", "atb": "ATB (NNAL)",
    "torch_npu": "torch_npu", "vllm_ascend": "vllm-ascend", "mindie": "MindIE", "mindspore": "MindSpore",
    "docker_runtime": "Ascend container runtime", "profiling": "CANN profiling", "logging": "CANN logging",
}  # fmt: skip


def describe(name: str) -> str | None:
    """A few lines about a variable: who reads it, what it takes, since when; None for an unknown one."""
    row = table().rows.get(name)
    if row is None:
        return _misspelt(name)
    return "\n".join((name, *(f"  {line}" for line in _lines(row))))


def _misspelt(name: str) -> str | None:
    for row in misspellings()["seen"]:
        if row["wrong"] == name:
            right = row.get("right")
            text = (
                _("nothing reads it; {right} is meant").format(right=right)
                if right
                else _("nothing reads it")
            )
            seen = _("seen: {where}").format(where=row["where"])
            return f"{name}\n  {text}\n  {seen}"
    return None


def _lines(row: Row) -> Iterator[str]:
    if row["reader"] in _READERS:
        yield _("read by: {reader}").format(reader=_READERS[row["reader"]])
    yield _("takes: {values}").format(values=_values(row))
    if "default" in row:
        yield _("default: {value}").format(value=row["default"])
    if "read_at" in row:
        yield _("read at: {when}").format(when=row["read_at"])
    yield from _history(row)
    if "chips" in row:
        yield _("chips: {names}").format(names=", ".join(row["chips"]))
    if "debug" in row:
        why = row["debug"].get("why", row["debug"]["topic"])
        yield _("not for production: {why}").format(why=_(why))
    if "note" in row:
        yield row["note"]
    yield from (_("source: {source}").format(source=source) for source in row["source"])


def _values(row: Row) -> str:
    text: str = row.get("values") or row["type"]
    return f"{text} ({row['unit']})" if "unit" in row else text


def _history(row: Row) -> Iterator[str]:
    for entry in row.get("since", ()):
        what = f" ({entry['value']})" if "value" in entry else ""
        sure = "" if entry["basis"] == "stated" else _(" or earlier")
        version = f"{component_name(entry['component'])} {entry['version']}{sure}{what}"
        yield _("since: {version}").format(version=version)
    for key, word in (("deprecated", _("to be dropped")), ("removed", _("no longer read"))):
        if key in row:
            entry = row[key]
            behind = _(" (the versions behind it)") if entry.get("after") else ""
            yield f"{word}: {component_name(entry['component'])} {entry.get('version', '')}{behind}".rstrip()
    if "use" in row:
        yield _("use: {name}").format(name=row["use"])
