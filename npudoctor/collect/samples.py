"""The recorded hosts that ship with npudoctor: saved streams, a text file each, in a folder of the package.

The first line of such a file is `# ` and one sentence about the host; below it stands what the script of
`npudoctor collect --print-script` printed there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from npudoctor.collect.bundle import read_bundle
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.collect.snapshot import Snapshot

FOLDER = Path(__file__).parent.parent / "samples"


def samples(folder: Path = FOLDER) -> dict[str, str]:
    """One line about each recorded host, by its name."""
    return {file.stem: _summary(file) for file in sorted(folder.glob("*.txt"))}


def read_sample(name: str, folder: Path = FOLDER) -> Snapshot:
    """A recorded host; raises `UsageError` with the names that there are."""
    names = samples(folder)
    if name not in names:
        what = _("there is no sample {name}").format(name=name)
        raise UsageError(what, _("there are: {names}").format(names=", ".join(names)))
    return read_bundle(folder / f"{name}.txt", "sample")


def _summary(file: Path) -> str:
    with file.open(encoding="utf-8") as lines:
        return lines.readline().lstrip("# ").strip()
