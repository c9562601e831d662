"""A bundle on disk: a snapshot as a folder or an archive, by a machine or made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.collect.archive import Archive, Members, Unpacked, read_archive
from npudoctor.collect.containers import nested
from npudoctor.collect.snapshot import Entry, Snapshot, State
from npudoctor.collect.stream import MAGIC, StreamReader
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SCHEMA = "npudoctor.bundle/1"
MANIFEST = "manifest.json"
_TOP = ("files", "commands", "logs", "environment", "python-packages", MANIFEST)
_HOST = "host"
"""Of a container's bundle: the folder that holds its host, as a bundle of its own."""
_MOST_MANIFEST = 8 << 20
"""Bytes; ten thousand entries take a fifth of it."""
_STATES: tuple[State, ...] = ("complete", "absent", "denied", "failed", "timeout", "cut-off")


def read_bundle(path: Path, source: str = "bundle") -> Snapshot:
    """The snapshot that a bundle holds: a folder, an archive, or the saved stream of a printed script.

    With no manifest every entry that is there counts as complete with exit code 0. A bundle that is cut off
    gives what it holds, and `problems` says so.

    Raises:
        UsageError: It cannot be read, is no bundle, or is not safe to read.
    """
    if not path.exists():
        raise UsageError(f"{path}: " + _("no such file or folder"), _("give a bundle's path"))
    if not path.is_file() and not path.is_dir():
        raise UsageError(f"{path}: " + _("neither a file nor a folder"), _("give a bundle's path"))
    try:
        if path.is_file() and (stream := _stream(path)):
            return stream.finish(_stem(path), source)
        return nested(_snapshot(read_archive(path), source))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", _("give a bundle that can be read")) from None


def _snapshot(archive: Archive, source: str) -> Snapshot:
    members = _inner(archive)
    manifest = _manifest(archive, members.pop(MANIFEST, None))
    problems = archive.problems
    entries = {entry.path: entry for entry in _entries(members, manifest, problems)}
    told = manifest.get("problems")
    problems += (
        [_line(problem) for problem in told if isinstance(problem, str)] if isinstance(told, list) else []
    )
    host = manifest.get("host")
    name = _line(host) if isinstance(host, str) else ""
    return Snapshot(name or _stem(archive.path), source, entries, tuple(problems))


def _line(text: str) -> str:
    """What a manifest says, as one line for a person: no control characters, not long."""
    return "".join(letter for letter in text if letter.isprintable())[:200].strip()


def _stream(path: Path) -> StreamReader | None:
    """The reader of a file, or gzip of one, that holds a stream (a login banner may stand before it)."""
    import zlib

    reader = StreamReader()
    with path.open("rb") as file:
        source = Unpacked(Archive(path), file)
        try:
            head = source.read(65536)
            if MAGIC not in head:
                return None
            reader.feed(head)
            while reader.end is None and (data := source.read(1 << 20)):
                reader.feed(data)
        except (EOFError, OSError, zlib.error):
            pass  # a stream that is cut off has no end mark; whatever else it is says so itself
    return reader if reader.started else None


def _stem(path: Path) -> str:
    name = path.resolve().name
    for suffix in (".gz", ".tgz", ".tar", ".zip", ".stream", ".txt"):
        name = name.removesuffix(suffix)
    return _line(name)


def _inner(archive: Archive) -> Members:
    """The members below the one folder that an archive may have around the bundle."""
    members = {name: data for name, data in archive.members.items() if not _is_litter(name)}
    if any(_top(name) in _TOP for name in members):
        return members
    tops = {_top(name) for name in members if _top(name.partition("/")[2]) in _TOP}
    if len(tops) == 1:
        start = tops.pop() + "/"
        return {name.removeprefix(start): data for name, data in members.items() if name.startswith(start)}
    if archive.problems and not members:
        return {}
    what = _("not a bundle: neither {folders} is in it").format(folders=", ".join(_TOP[:2]))
    raise UsageError(
        f"{archive.path}: {what}", _("see the bundle layout, or let `npudoctor collect` make one")
    )


def _top(name: str) -> str:
    return name.partition("/")[0]


def _is_litter(name: str) -> bool:
    parts = name.split("/")
    return "__MACOSX" in parts or parts[-1].startswith("._") or parts[-1] == ".DS_Store"


def _manifest(archive: Archive, data: bytes | None) -> Mapping[str, Any]:
    if data is None:
        return {}
    import json

    if len(data) > _MOST_MANIFEST:
        raise archive.refuse(_("its manifest.json is larger than any"))
    try:
        manifest = json.loads(data)
        schema = str(manifest["schema"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise archive.refuse(_("its manifest.json cannot be read")) from None
    if _top(schema) != _top(SCHEMA):
        raise archive.refuse(_("its manifest.json has the schema {schema}").format(schema=_line(schema)))
    if not isinstance(manifest.get("entries", []), list):
        raise archive.refuse(_("the entries of its manifest.json are no list"))
    return manifest if isinstance(manifest, dict) else {}


def _entries(members: Members, manifest: Mapping[str, Any], problems: list[str]) -> Iterator[Entry]:
    """One entry a row of the manifest, then one for each member that it does not name."""
    named: set[str] = set()
    missing = 0
    for row in manifest.get("entries", ()):
        entry = _from_row(row, members)
        if entry is None:
            missing += 1
        else:
            named.add(entry.path)
            yield entry
    if missing:
        problems.append(_("{count} entries of the manifest are missing").format(count=missing))
    for name in members:
        path = name.removesuffix(".stderr") if name.startswith(("commands/", "host/commands/")) else name
        if path not in named and _top(path) in (*_TOP, _HOST):
            named.add(path)
            yield Entry(path, _origin(path), members.get(path, b""), members.get(path + ".stderr", b""))


def _from_row(row: Any, members: Members) -> Entry | None:
    """The entry of a row; None where its content should be there and is not."""
    if not isinstance(row, dict) or not isinstance(path := row.get("path"), str):
        return None
    if _top(path) not in (*_TOP, _HOST):
        return None
    state: State = row["state"] if row.get("state") in _STATES else "complete"
    if state == "complete" and path not in members:
        return None
    return Entry(
        path,
        origin if isinstance(origin := row.get("origin"), str) and origin else _origin(path),
        members.get(path, b""),
        members.get(path + ".stderr", b""),
        int(_number(row.get("exit_code"))),
        _number(row.get("seconds")),
        state,
    )


def _number(value: Any) -> float:
    """A number that can be one of exit codes or seconds, else 0."""
    return value if isinstance(value, int | float) and -1e6 < value < 1e6 else 0


def _origin(path: str) -> str:
    """What a person calls an entry; of a command line only its slug is known here."""
    top, _slash, rest = path.removeprefix("host/").partition("/")
    if top == "files":
        return "/" + rest
    return rest.replace("_", " ") if top == "commands" else path
