"""A virtual environment of Python as it lies on disk: what is in it, and whether all of it is there."""

from __future__ import annotations

import csv
import glob
import os

from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text
from ansible_collections.npudoctor.ascend.plugins.module_utils.wheels import fields, normalized


class Venv:
    """One environment, in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.python = os.path.join(folder, "bin", "python")

    def version(self) -> str:
        """Its Python, `3.11.7`; empty where it is none."""
        rows = (line.partition("=") for line in read_text(os.path.join(self.folder, "pyvenv.cfg")).splitlines())
        return next((value.strip() for key, _sign, value in rows if key.strip() in ("version", "version_info")), "")

    def packages(self) -> dict:
        """Version by project, as `*.dist-info` says."""
        found = {}
        for folder in self._infos():
            said = fields(read_text(os.path.join(folder, "METADATA")))
            found[normalized(said.get("name", ""))] = said.get("version", "")
        return found

    def broken(self) -> list:
        """What is not as it was installed: a file that is gone or has another size, an interpreter that is gone."""
        gone = [] if os.access(self.python, os.X_OK) else [self.python]
        return gone + [path for folder in self._infos() for path in _altered(folder)]

    def _infos(self) -> list:
        return sorted(glob.glob(os.path.join(self.folder, "lib", "python3*", "site-packages", "*.dist-info")))


def _altered(folder: str) -> list:
    site = os.path.dirname(folder)
    record = os.path.join(folder, "RECORD")
    rows = list(csv.reader(read_text(record).splitlines()))
    if not rows:
        return [record]
    sized = [(os.path.join(site, row[0]), int(row[2])) for row in rows if len(row) == 3 and row[2].isdigit()]
    return [os.path.normpath(path) for path, size in sized if _size(path) != size]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1
