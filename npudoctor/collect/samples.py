"""The recorded hosts that ship with npudoctor: bundles in a folder of the package."""

from __future__ import annotations

from pathlib import Path

from npudoctor.collect.bundle import manifest_of, read_bundle
from npudoctor.collect.snapshot import Snapshot
from npudoctor.errors import UsageError
from npudoctor.words import _

FOLDER = Path(__file__).parent.parent / "samples"


def samples(folder: Path = FOLDER) -> dict[str, str]:
    """One line about each recorded host, by its name."""
    hosts = sorted(
        path for path in folder.glob("*") if path.is_dir() and not path.name.startswith(("_", "."))
    )
    return {host.name: str(manifest_of(host).get("summary", "")) for host in hosts}


def read_sample(name: str, folder: Path = FOLDER) -> Snapshot:
    """A recorded host; raises `UsageError` with the names that there are."""
    if name not in samples(folder):
        what = _("there is no sample {name}").format(name=name)
        raise UsageError(what, _("there are: {names}").format(names=", ".join(samples(folder))))
    return read_bundle(folder / name, "sample")
