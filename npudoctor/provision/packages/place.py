"""Where packages are: a folder of files under the vendor's names, a store, or either over HTTP."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.provision.packages.manifest import NAME, Entry, Manifest, read_manifest
from npudoctor.provision.packages.sums import is_sums, read_sums
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Held:
    """One file that a place holds.

    Attributes:
        size: In bytes; None where the place does not say.
        sha256: As the place says it; empty where it does not.
        path: On a disk; None where it is far away.
        where: The path or URL, for a person.
        entry: What a store says of it.
    """

    name: str
    size: int | None
    sha256: str
    path: Path | None
    where: str
    entry: Entry | None = None


class Place(Protocol):
    """Holds packages."""

    @property
    def where(self) -> str:
        """The folder or URL, as a person writes it."""

    def names(self) -> list[str]:
        """All files that it holds, or that it tells of."""

    def held(self, name: str) -> Held | None:
        """The file of that very name."""


class Folder:
    """A folder of files under the vendor's names, and the folders in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = dict(reversed(list(_walk(folder))))
        self._sums = dict(pair for file in self._sum_files() for pair in _sums_of(file))

    @property
    def where(self) -> str:
        """The folder."""
        return str(self._folder)

    def names(self) -> list[str]:
        """All files."""
        return sorted(self._files)

    def held(self, name: str) -> Held | None:
        """The file, with the digest that a `SHA256SUMS` beside it gives."""
        path = self._files.get(name)
        if path is None:
            return None
        return Held(name, path.stat().st_size, self._sums.get(name, ""), path, str(path))

    def _sum_files(self) -> Iterator[Path]:
        return (path for name, path in sorted(self._files.items()) if is_sums(name))


class Store:
    """A store: content-addressed, with a manifest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.manifest: Manifest = read_manifest(folder)
        self._entries: Mapping[str, Entry] = {entry.name: entry for entry in self.manifest.entries}

    @property
    def where(self) -> str:
        """The folder."""
        return str(self._folder)

    def names(self) -> list[str]:
        """All packages of the manifest."""
        return sorted(self._entries)

    def held(self, name: str) -> Held | None:
        """The package; None also where its object is not there."""
        entry = self._entries.get(name)
        path = self._folder / entry.place if entry else None
        if entry is None or path is None or not path.is_file():
            return None
        return Held(name, path.stat().st_size, entry.sha256, path, str(path), entry)


def open_place(text: str) -> Place:
    """The place that a person names.

    Raises:
        UsageError: It is no folder, cannot be read, or is a store with a damaged manifest.
        IncompleteError: Nothing answers at the URL.
    """
    if "://" in text and not text.startswith("file://"):
        from npudoctor.provision.packages.mirror import open_mirror

        _check_url(text)
        return open_mirror(text)
    folder = Path(text.removeprefix("file://")).expanduser()
    if not folder.is_dir():
        what = _("{folder}: no folder").format(folder=folder)
        raise UsageError(what, _("give a folder of packages, a store, or an http:// URL of either"))
    if not os.access(folder, os.R_OK | os.X_OK):
        raise UsageError(_("{folder}: may not be read").format(folder=folder), _("give it to this user"))
    return Store(folder) if (folder / NAME).exists() else Folder(folder)


def _check_url(url: str) -> None:
    """Raises `UsageError` for what is no URL of a folder, or holds what must not stand in logs."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise UsageError(_("--packages: this is no URL"), _("write it like http://mirror/ascend/")) from None
    if "@" in parts.netloc:
        what = _("--packages: no user and no password in a URL")
        raise UsageError(what, _("it would stand in logs; let the mirror answer without"))
    if parts.query or parts.fragment:
        what = _("--packages: no ? and no # in a URL")
        raise UsageError(what, _("give the URL of the folder; a token would stand in logs"))
    if not sound or not url.isprintable() or " " in url:
        what = _("--packages {url}: no URL of a folder").format(url=repr(url)[1:-1])
        raise UsageError(what, _("write it like http://mirror/ascend/"))


def default_store() -> Path:
    """The store of this user."""
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "npudoctor" / "store"


def _walk(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file with its name, those of the folder itself first."""
    base = len(folder.parts)
    for root, folders, names in os.walk(folder):
        here = Path(root)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if len(here.parts) - base >= _DEEPEST:
            folders.clear()
        yield from ((name, here / name) for name in sorted(names) if (here / name).is_file())


def _sums_of(file: Path) -> list[tuple[str, str]]:
    try:
        return read_sums(file)
    except OSError:
        return []
