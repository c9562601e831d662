"""The deployment files of a repository: found quickly, read carefully."""

from __future__ import annotations

import os
import posixpath
import stat
from functools import cached_property
from typing import TYPE_CHECKING

from npudoctor.errors import UsageError
from npudoctor.gate.names import may_concern, may_matter
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 16 * 1024 * 1024
"""Larger files are not opened (bytes)."""
PARSED = 2 * 1024 * 1024
"""No deployment file that a person wrote is longer (characters)."""
_NOT_ENTERED = frozenset(
    (".git", ".hg", ".svn", "node_modules", ".venv", "venv", ".tox", ".nox", "__pycache__", ".mypy_cache",
     ".pytest_cache", "site-packages", ".terraform", ".idea", ".cache")
)  # fmt: skip


class File:
    """A text file: its path as the user would type it, and its text (UTF-8, LF)."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The path of the folder; `.` for none."""
        return self.path.rpartition("/")[0] or ("/" if self.path.startswith("/") else ".")

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; line N of the file is `lines[N - 1]`."""
        return self.text.split("\n")

    def line(self, number: int) -> str:
        """The 1-based line; empty for one that is not there."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


class Repository:
    """A folder (or one file) that was named on the command line.

    Attributes:
        path: As it was typed.
        root: The folder that all files are below, as the user would type it; of one file its checkout.
        notes: What was passed over although its name is one of ours, and why: one line each.
    """

    def __init__(self, path: str) -> None:
        """Raises `UsageError` where there is nothing at `path` that can be read."""
        self.path = posixpath.normpath(path)
        self.notes: list[str] = []
        self._read: dict[str, File | None] = {}
        self._single = not _is_folder(path)
        self.root = _checkout(self.path) if self._single else self.path
        self._root = os.path.realpath(self.root)
        if self._single and self._file_at(self.path, told=True) is None:
            raise UsageError(self.notes[-1], _("give a folder or a deployment file"))

    @cached_property
    def files(self) -> list[File]:
        """The deployment files that may concern Ascend, in the order of their paths.

        Others are read only when one of these names them, by `at` or `near`.
        """
        if self._single:
            return [file for file in (self._file_at(self.path),) if file]
        found = [file for path in _walk(self.path) if (file := self._file_at(path, told=True))]
        concerned = {file.path for file in found if may_concern(file.text)}
        ours = [file for file in found if file.path in concerned or (concerned and may_matter(file.name))]
        for file in ours:
            if len(file.text) > PARSED:
                self.notes.append(_passed_over(file.path, len(file.text)))
        return [file for file in ours if len(file.text) <= PARSED]

    def at(self, path: str) -> File | None:
        """A file of the repository by its path; None where it is not there, no text, or outside."""
        return self._file_at(posixpath.normpath(path))

    def near(self, file: File, name: str) -> File | None:
        """A file by its path from the folder of another one."""
        return self.at(posixpath.join(file.folder, name))

    def inner(self, path: str) -> str:
        """A file's path from the root on."""
        return posixpath.relpath(path, self.root)

    def near_root(self, name: str) -> File | None:
        """A file of the root folder; for a path that was given below a checkout, also of folders above it."""
        folder = os.path.abspath(self.root)
        if found := self.at(posixpath.join(self.root, name)):
            return found
        while not os.path.exists(os.path.join(folder, ".git")) and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                text, _why = _text_of(path)
                return File(os.path.relpath(path), text) if text is not None else None
        return None

    def _file_at(self, path: str, told: bool = False) -> File | None:
        if path not in self._read:
            self._read[path] = self._load(path, told)
        return self._read[path]

    def _load(self, path: str, told: bool) -> File | None:
        try:
            if not _below(os.path.realpath(path), self._root):
                return None
            text, why = _text_of(path)
        except (OSError, ValueError) as error:
            text, why = None, getattr(error, "strerror", None) or str(error)
        if text is None:
            if told:
                self.notes.append(f"{path}: {why}")
            return None
        return File(path, text)


def _checkout(file: str) -> str:
    """The checkout that a file is in, else its folder: what the file names is looked for there."""
    folder = posixpath.dirname(file) or "."
    above = os.path.abspath(folder)
    while not os.path.exists(os.path.join(above, ".git")):
        if above == os.path.dirname(above):
            return folder
        above = os.path.dirname(above)
    return above if posixpath.isabs(file) else posixpath.normpath(os.path.relpath(above))


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path}: {why}", _("give a folder or a deployment file")) from None


def _passed_over(path: str, size: int) -> str:
    return f"{path}: {_too_large(size)}"


def _too_large(size: int) -> str:
    return _("passed over: {size} MB, no deployment file is so large").format(size=size // 1024**2)


def _below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _text_of(path: str) -> tuple[str | None, str]:
    """The text, or None and why not. A file of another kind is not opened: a pipe would wait for ever."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        return None, _("no plain file")
    if status.st_size > LARGEST:
        return None, _too_large(status.st_size)
    with open(path, "rb") as stream:
        data = stream.read(LARGEST)
    if b"\0" in data:
        return None, _("passed over: binary, no text")
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n"), ""


def _walk(root: str) -> Iterator[str]:
    """Paths of files whose names are those of deployment files. Links to folders are not followed."""
    from npudoctor.gate.names import is_deployment_file

    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        inner = []
        for entry in entries:
            path = posixpath.normpath(posixpath.join(folder, entry.name))
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _NOT_ENTERED:
                    inner.append(path)
            elif is_deployment_file(path):
                yield path
        folders.extend(reversed(inner))
