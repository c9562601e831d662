"""The packages of a host by their digest: `store/sha256/ab/abcd…`, and fetching into it.

```
store/sha256/ab/abcd…     whole and right; `abcd….json` beside it holds size, time and inode of when it was hashed
store/part/abcd….part     as far as it came; the next call goes on from there
store/bad/abcd…           bytes that were not what they should be; the last ones, to look at
```
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import time

from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure
from ansible_collections.npudoctor.ascend.plugins.module_utils.package import digest
from ansible_collections.npudoctor.ascend.plugins.module_utils.sources import SourceError, stream
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_json, sync_folder, write_json

_CHUNK = 1 << 20
# What stays free beside a package: a full disk is a trouble of its own.
_SPARE = 64 << 20


class Store:
    """The store of one host; `rate` is bytes a second at most, 0 for as fast as it goes."""

    def __init__(self, state, rate: float = 0, token: str = "") -> None:
        self.state = state
        self.rate = rate
        self.token = token
        self.distrusted = []

    def has(self, package: dict, rehash: bool = False) -> bool:
        """Whether a package is there and right. Read again only where the file is not the one that was hashed."""
        path = self.state.stored(package["sha256"])
        if not os.path.isfile(path) or os.path.getsize(path) != package["size"]:
            return False
        if not rehash and read_json(path + ".json") == _marks(path):
            return True
        return digest(path) == package["sha256"]

    def fetch(self, package: dict, sources: list) -> dict:
        """Get a package from the first place that gives the right bytes: where from, and how many bytes it sent.

        Raises Failure (`no-space`, `package-missing`), which names what each place answered.
        """
        self._room(package)
        answers = []
        for source in sources:
            if source in self.distrusted:
                continue
            try:
                sent = self._from(source, package)
            except SourceError as error:
                answers.append("{0}: {1}".format(source, error))
                continue
            return {"name": package["name"], "source": source, "bytes": sent}
        words = "; ".join(answers) or "no place is given, or each of them gave bad bytes before"
        raise Failure(
            "package-missing", "{0} could not be fetched: {1}".format(package["name"], words), "see the sources"
        )

    def remember(self, package: dict) -> None:
        """Keep which file was hashed, so that it is not read again."""
        path = self.state.stored(package["sha256"])
        if read_json(path + ".json") != _marks(path):
            write_json(path + ".json", _marks(path))

    def _from(self, source: str, package: dict) -> int:
        """Two tries at one place: a part that was bad already must not count against it."""
        part = os.path.join(self.state.folder("store/part"), package["sha256"] + ".part")
        resumed = os.path.exists(part)
        sent, found = self._receive(source, package, part)
        if found != package["sha256"] and resumed:
            os.unlink(part)
            more, found = self._receive(source, package, part)
            sent += more
        if found != package["sha256"]:
            self._set_aside(part, package)
            self.distrusted.append(source)
            raise SourceError("gave other bytes than the manifest names (SHA-256 {0})".format(found))
        self._keep(part, package)
        return sent

    def _receive(self, source: str, package: dict, part: str) -> tuple:
        """Write what is still lacking; (bytes that came, the digest of the whole). Raises SourceError where it stops."""
        have = os.path.getsize(part) if os.path.exists(part) else 0
        have = have if have < package["size"] else 0
        with contextlib.closing(stream(source, package, have, self.token)) as came:
            try:
                sent, found = self._write(came, part, package["size"])
            except OSError as error:
                raise _unwritten(error, part, package) from error
        size = came.start + sent
        if size < package["size"]:
            raise SourceError("broke off after {0} of {1} bytes".format(size, package["size"]))
        return sent, found

    def _write(self, came, part: str, size: int) -> tuple:
        with open(part, "r+b" if came.start else "wb") as file:
            hashed = _hash_start(file, came.start)
            sent = self._copy(came, file, hashed, size - came.start)
        return sent, hashed.hexdigest()

    def _copy(self, came, file, hashed, wanted: int) -> int:
        """Everything that comes, a byte more than wanted at most: a place that sends more is wrong as well."""
        sent, begin = 0, time.monotonic()
        while sent <= wanted:
            chunk = came.read(min(_CHUNK, wanted + 1 - sent))
            if not chunk:
                break
            file.write(chunk)
            hashed.update(chunk)
            sent += len(chunk)
            self._pace(sent, begin)
        file.flush()
        os.fsync(file.fileno())
        return sent

    def _pace(self, sent: int, begin: float) -> None:
        ahead = sent / self.rate - (time.monotonic() - begin) if self.rate else 0
        if ahead > 0:
            time.sleep(ahead)

    def _keep(self, part: str, package: dict) -> None:
        path = self.state.stored(package["sha256"])
        self.state.folder(os.path.relpath(os.path.dirname(path), self.state.home))
        os.chmod(part, 0o600)
        os.replace(part, path)
        sync_folder(os.path.dirname(path))

    def _set_aside(self, part: str, package: dict) -> None:
        os.replace(part, os.path.join(self.state.folder("store/bad"), package["sha256"]))

    def _room(self, package: dict) -> None:
        folder = self.state.folder("store/part")
        part = os.path.join(folder, package["sha256"] + ".part")
        lacking = package["size"] - (os.path.getsize(part) if os.path.exists(part) else 0)
        room = os.statvfs(folder)
        free = room.f_bavail * room.f_frsize
        if free < lacking + _SPARE:
            words = "{0} has {1} MB free, {2} needs {3} MB".format(
                folder, free >> 20, package["name"], (lacking + _SPARE) >> 20
            )
            raise Failure("no-space", words, "make room there")


def _unwritten(error: OSError, part: str, package: dict) -> Failure:
    """What a write that failed comes to; the part of it goes, as it would only take room."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(part)
    words = "{0} was not fetched: {1}: {2}".format(package["name"], os.path.dirname(part), error.strerror)
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return Failure("no-space" if full else "store-unwritable", words, "make room there" if full else "see the disk")


def _hash_start(file, size: int):
    """What is there already, hashed; the file stands behind it, and ends there."""
    hashed = hashlib.sha256()
    left = size
    while left:
        chunk = file.read(min(_CHUNK, left))
        hashed.update(chunk)
        left -= len(chunk)
    file.seek(size)
    file.truncate()
    return hashed


def _marks(path: str) -> dict:
    held = os.stat(path)
    return {"size": held.st_size, "mtime_ns": held.st_mtime_ns, "inode": held.st_ino}
