"""Write a snapshot as a bundle: a folder or an archive, whole or not at all, with its secrets taken out."""

from __future__ import annotations

import io
import os
import shutil
import time
from typing import TYPE_CHECKING

from npudoctor import __version__
from npudoctor.collect.bundle import MANIFEST, SCHEMA
from npudoctor.collect.containers import flattened
from npudoctor.collect.redact import redact
from npudoctor.errors import UsageError, write_error
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from npudoctor.collect.snapshot import Entry, Snapshot

ARCHIVES = (".tar.gz", ".tgz", ".tar", ".zip")


def write_bundle(snapshot: Snapshot, path: Path) -> None:
    """Write a snapshot to `path`: an archive where its name ends in one of `ARCHIVES`, else a folder.

    It appears under its name only when it is whole. Secrets are replaced first; see `redact`.

    Raises:
        UsageError: It cannot be written there, or a folder is already there.
    """
    if path.is_dir() and any(path.iterdir()):
        raise UsageError(f"{path}: " + _("is a folder that is not empty"), _("give a new name"))
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _write(list(_members(redact(flattened(snapshot)))), scratch, path.name)
        scratch.replace(path)
    except OSError as error:
        raise write_error(path, error, _("nothing was written there")) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.unlink(missing_ok=True)


def _members(snapshot: Snapshot) -> Iterator[tuple[str, bytes]]:
    yield MANIFEST, _manifest(snapshot)
    for path in sorted(snapshot.entries):
        entry = snapshot.entries[path]
        if entry.state == "complete" or entry.stdout:
            yield path, entry.stdout
        if entry.stderr and path.startswith(("commands/", "host/commands/")):
            yield path + ".stderr", entry.stderr


def _manifest(snapshot: Snapshot) -> bytes:
    import json

    head = {
        "schema": SCHEMA,
        "tool": {"name": "npudoctor", "version": __version__},
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "host": snapshot.name,
        "problems": list(snapshot.problems),
    }
    rows = [json.dumps(_row(snapshot.entries[path]), ensure_ascii=False) for path in sorted(snapshot.entries)]
    text = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    return (text + ',\n "entries": [\n  ' + ",\n  ".join(rows) + "\n ]\n}\n").encode()


def _row(entry: Entry) -> dict[str, object]:
    return {
        "path": entry.path,
        "origin": entry.origin,
        "exit_code": entry.exit_code,
        "seconds": entry.seconds,
        "state": entry.state,
    }


def _write(members: list[tuple[str, bytes]], scratch: Path, name: str) -> None:
    if name.endswith(".zip"):
        _write_zip(members, scratch)
    elif name.endswith(ARCHIVES):
        _write_tar(members, scratch, "w" if name.endswith(".tar") else "w:gz")
    else:
        _write_folder(members, scratch)


def _write_folder(members: list[tuple[str, bytes]], scratch: Path) -> None:
    scratch.mkdir(mode=0o700)
    for name, data in members:
        file = scratch / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def _write_tar(members: list[tuple[str, bytes]], scratch: Path, mode: str) -> None:
    import tarfile

    with _private(scratch) as file, tarfile.open(fileobj=file, mode=mode) as tar:  # type: ignore[call-overload]
        for name, data in members:
            member = tarfile.TarInfo("bundle/" + name)
            member.size, member.mtime, member.mode = len(data), int(time.time()), 0o600
            tar.addfile(member, io.BytesIO(data))


def _write_zip(members: list[tuple[str, bytes]], scratch: Path) -> None:
    import zipfile

    with _private(scratch) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in members:
            zipped.writestr("bundle/" + name, data)


def _private(scratch: Path) -> io.FileIO:
    """A new file that its owner alone can read: a bundle says much about a host."""
    return io.FileIO(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w")
