"""torchair, the graph mode of torch_npu: a folder inside it, which a build may leave out."""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING

from npudoctor.fact import Fact, known, unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.collect.snapshot import Entry, Snapshot

INSIDE = "torch_npu/dynamo/torchair"
"""Below a site that holds torch_npu."""


def torchair_of(snapshot: Snapshot, python: str, version: str) -> Fact[str]:
    """The folder, as it was listed in the site that this Python takes torch_npu from; its own site first."""
    minor = ".".join(version.split(".")[:2])
    listed = [(site, entry) for site, entry in _sites(snapshot) if f"/python{minor}/" in site + "/"]
    prefix = dirname(dirname(python)) + "/lib"
    listed.sort(key=lambda found: not found[0].startswith(prefix))
    return next(
        (_folder(site, entry) for site, entry in listed), unavailable(f"{INSIDE}: not collected", INSIDE)
    )


def _sites(snapshot: Snapshot) -> Iterator[tuple[str, Entry]]:
    for entry in snapshot.matching("commands/ls_*_torch_npu_dynamo_torchair"):
        yield entry.origin.removeprefix("ls ").removesuffix(f"/{INSIDE}"), entry


def _folder(site: str, entry: Entry) -> Fact[str]:
    folder = f"{site}/{INSIDE}"
    if entry.state != "complete":
        return unavailable(f"{folder}: {entry.state}", folder, "failed")
    if "__init__.py" not in entry.text.split():
        return unavailable(f"{folder}: not there", folder, "absent")
    return known(folder, f"ls {folder}", folder)
