"""A bundle on disk: a snapshot as a folder or an archive, by a machine or made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.collect.archive import Archive, Members, read_archive
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
    if path.is_file() and (stream := _stream(path)):
        return stream.finish(path.stem, source)
    archive = read_archive(path)
    members = _inner(archive)
    manifest = _manifest(archive, members.pop(MANIFEST, None))
    problems = [_("the bundle is cut off: {why}").format(why=archive.cut)] if archive.cut else []
    entries = {entry.path: entry for entry in _entries(members, manifest, problems)}
    problems += [str(problem) for problem in manifest.get("problems", ())]
    return Snapshot(str(manifest.get("host") or _stem(path)), source, entries, tuple(problems))


def manifest_of(folder: Path) -> Mapping[str, Any]:
    """The manifest of a bundle that is a folder; empty where it has none."""
    archive = Archive(folder)
    try:
        return _manifest(archive, (folder / MANIFEST).read_bytes())
    except OSError:
        return {}


def _stream(path: Path) -> StreamReader | None:
    """The reader of a file that holds a stream (a login banner may stand before it), else None."""
    reader = StreamReader()
    with path.open("rb") as file:
        head = file.read(65536)
        if MAGIC not in head:
            return None
        reader.feed(head)
        while data := file.read(1 << 20):
            reader.feed(data)
    return reader if reader.started else None


def _stem(path: Path) -> str:
    name = path.resolve().name
    for suffix in (".tar.gz", ".tgz", ".tar", ".zip"):
        name = name.removesuffix(suffix)
    return name


def _inner(archive: Archive) -> Members:
    """The members below the one folder that an archive may have around the bundle."""
    members = {name: data for name, data in archive.members.items() if not _is_litter(name)}
    if any(name.split("/", 1)[0] in _TOP for name in members):
        return members
    tops = {name.split("/", 1)[0] for name in members}
    inner = {name.partition("/")[2]: data for name, data in members.items()}
    if len(tops) == 1 and any(name.split("/", 1)[0] in _TOP for name in inner):
        return inner
    if archive.cut and not members:
        return {}
    what = _("not a bundle: neither {folders} is in it").format(folders=", ".join(_TOP[:2]))
    raise UsageError(
        f"{archive.path}: {what}", _("see the bundle layout, or let `npudoctor collect` make one")
    )


def _is_litter(name: str) -> bool:
    parts = name.split("/")
    return "__MACOSX" in parts or parts[-1].startswith("._") or parts[-1] == ".DS_Store"


def _manifest(archive: Archive, data: bytes | None) -> Mapping[str, Any]:
    if data is None:
        return {}
    import json

    try:
        manifest = json.loads(data)
        schema = str(manifest["schema"])
    except (ValueError, TypeError, KeyError):
        raise archive.refuse(_("its manifest.json cannot be read")) from None
    if schema.partition("/")[0] != SCHEMA.partition("/")[0]:
        raise archive.refuse(_("its manifest.json has the schema {schema}").format(schema=schema))
    return manifest if isinstance(manifest.get("entries", []), list) else {}


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
        path = name.removesuffix(".stderr") if name.startswith("commands/") else name
        if path not in named and path.split("/", 1)[0] in _TOP:
            named.add(path)
            yield Entry(path, _origin(path), members.get(path, b""), members.get(path + ".stderr", b""))


def _from_row(row: Any, members: Members) -> Entry | None:
    """The entry of a row; None where its content should be there and is not."""
    if not isinstance(row, dict) or not isinstance(path := row.get("path"), str):
        return None
    state: State = row["state"] if row.get("state") in _STATES else "complete"
    if state == "complete" and path not in members:
        return None
    return Entry(
        path,
        str(row.get("origin") or _origin(path)),
        members.get(path, b""),
        members.get(path + ".stderr", b""),
        _number(row.get("exit_code"), 0),
        float(_number(row.get("seconds"), 0.0)),
        state,
    )


def _number(value: Any, default: Any) -> Any:
    return type(default)(value) if isinstance(value, int | float) else default


def _origin(path: str) -> str:
    """What a person calls an entry; of a command line only its slug is known here."""
    top, _slash, rest = path.partition("/")
    if top == "files":
        return "/" + rest
    return rest.replace("_", " ") if top == "commands" else path
