"""Write a snapshot as a bundle: a folder or an archive, whole or not at all, and always redacted."""

from __future__ import annotations

import io
import os
import shutil
import time
from collections import Counter
from typing import TYPE_CHECKING

from npudoctor import __version__
from npudoctor.collect.bundle import MANIFEST, SCHEMA
from npudoctor.collect.containers import flattened
from npudoctor.collect.redact.redactor import Run
from npudoctor.errors import UsageError, write_error
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from npudoctor.collect.redact.redactor import Redactor
    from npudoctor.collect.snapshot import Entry, Snapshot

ARCHIVES = (".tar.gz", ".tgz", ".tar", ".zip")
LEDGER = "ledger.json"
LEDGER_SCHEMA = "npudoctor.ledger/1"


def write_bundle(snapshot: Snapshot, path: Path, run: Run | None = None) -> None:
    """Write a snapshot to `path`: an archive where its name ends in one of `ARCHIVES`, else a folder.

    It appears under its name only when it is whole. What must not leave the host is replaced on the way, one
    entry after the other; `run` gives several hosts the same tokens.

    Raises:
        UsageError: It cannot be written there, or a folder is already there.
    """
    if path.is_dir() and any(path.iterdir()):
        raise UsageError(f"{path}: " + _("is a folder that is not empty"), _("give a new name"))
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    snapshot = flattened(snapshot)
    redactor = (run or Run()).host(snapshot)
    try:
        _write(_members(snapshot, redactor), scratch, path.name)
        scratch.replace(path)
    except OSError as error:
        raise write_error(path, error, _("nothing was written there")) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.unlink(missing_ok=True)


def _members(snapshot: Snapshot, redactor: Redactor) -> Iterator[tuple[str, bytes]]:
    yield MANIFEST, _manifest(snapshot, redactor)
    for path in sorted(snapshot.entries):
        entry = redactor.entry(snapshot.entries[path])
        if entry.state == "complete" or entry.stdout:
            yield entry.path, entry.stdout
        if entry.stderr and entry.path.startswith(("commands/", "host/commands/")):
            yield entry.path + ".stderr", entry.stderr
    yield LEDGER, _ledger(redactor)


def _manifest(snapshot: Snapshot, redactor: Redactor) -> bytes:
    import json

    head = {
        "schema": SCHEMA,
        "tool": {"name": "npudoctor", "version": __version__},
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "host": redactor.name(snapshot.name),
        "problems": [redactor.words(problem) for problem in snapshot.problems],
    }
    entries = [redactor.label(snapshot.entries[path]) for path in sorted(snapshot.entries)]
    rows = [json.dumps(_row(entry), ensure_ascii=False) for entry in entries]
    text = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
    return (text + ',\n "entries": [\n  ' + ",\n  ".join(rows) + "\n ]\n}\n").encode()


def _ledger(redactor: Redactor) -> bytes:
    """How many of each kind were replaced, in all and in each entry; never what."""
    import json

    rows = {path: dict(sorted((+count).items())) for path, count in sorted(redactor.ledger.items()) if +count}
    total = dict(sorted(sum((+count for count in redactor.ledger.values()), Counter()).items()))
    return (json.dumps({"schema": LEDGER_SCHEMA, "total": total, "entries": rows}, indent=1) + "\n").encode()


def _row(entry: Entry) -> dict[str, object]:
    return {
        "path": entry.path,
        "origin": entry.origin,
        "exit_code": entry.exit_code,
        "seconds": entry.seconds,
        "state": entry.state,
    }


def _write(members: Iterable[tuple[str, bytes]], scratch: Path, name: str) -> None:
    if name.endswith(".zip"):
        _write_zip(members, scratch)
    elif name.endswith(ARCHIVES):
        _write_tar(members, scratch, packed=not name.endswith(".tar"))
    else:
        _write_folder(members, scratch)


def _write_folder(members: Iterable[tuple[str, bytes]], scratch: Path) -> None:
    scratch.mkdir(mode=0o700)
    for name, data in members:
        file = scratch / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def _write_tar(members: Iterable[tuple[str, bytes]], scratch: Path, *, packed: bool) -> None:
    import tarfile
    from functools import partial

    # The last tenth of the size would take as long as all else.
    start = partial(tarfile.open, mode="w:gz", compresslevel=5) if packed else partial(tarfile.open, mode="w")
    with _private(scratch) as file, start(fileobj=file) as tar:
        for name, data in members:
            member = tarfile.TarInfo("bundle/" + name)
            member.size, member.mtime, member.mode = len(data), int(time.time()), 0o600
            tar.addfile(member, io.BytesIO(data))


def _write_zip(members: Iterable[tuple[str, bytes]], scratch: Path) -> None:
    import zipfile

    with _private(scratch) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in members:
            zipped.writestr("bundle/" + name, data)


def _private(scratch: Path) -> io.FileIO:
    """A new file that its owner alone can read: a bundle says much about a host."""
    return io.FileIO(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w")
