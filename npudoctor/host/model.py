"""The model that is to be served: the folder that `--model` names, its files, index and config."""

from __future__ import annotations

import json
from posixpath import basename, dirname
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, ParseError, known, unavailable
from npudoctor.parse.folder import Member, parse_folder
from npudoctor.regex import regex
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.parse.om import OfflineModel

_MOST = 1 << 60
"""Bytes of a model: no index is right above it."""
_STATED = regex(r"(-|\d{1,18}) (.+)")


@dataclass(frozen=True, slots=True)
class Index:
    """An index of weights.

    Attributes:
        name: `model.safetensors.index.json`.
        shards: The files that it names.
        total_bytes: Of all tensors; None where it does not say it.
    """

    name: str
    shards: frozenset[str]
    total_bytes: int | None


@dataclass(frozen=True, slots=True)
class Model:
    """A model's folder.

    Attributes:
        folder: Where it is; absent where none was named.
        files: What lies in it, links followed, owners and groups as numbers.
        config: `config.json`.
        indexes: Of its weights; one that is no JSON is unavailable.
        pointers: The names of files that are pointers of Git LFS and not what they should be.
        stated_bytes: That each `.safetensors` should have by its own header; None where it has no whole one.
            Those that nobody could look into are not here.
        offline: Offline models (`.om`) by path: the one that was named, or those in the folder.
    """

    folder: Fact[str]
    files: Fact[tuple[Member, ...]]
    config: Fact[dict[str, Any]]
    indexes: tuple[Fact[Index], ...]
    pointers: Fact[frozenset[str]]
    stated_bytes: Mapping[str, int | None]
    offline: Mapping[str, Fact[OfflineModel]]


def read_model(snapshot: Snapshot) -> Model:
    """Read it out of a snapshot."""
    folder = _folder(snapshot)
    place = folder.or_none() or ""
    return Model(
        folder,
        _files(snapshot, place),
        snapshot.file(f"{place}/config.json").map(_object, text=""),
        tuple(
            snapshot.file("/" + entry.path.removeprefix("files/")).map(_index_of(entry.path), text="")
            for pattern in ("*.safetensors.index.json", "pytorch_model.bin.index.json")
            for entry in snapshot.matching(f"files{place}/{pattern}")
        ),
        _pointers(snapshot, place),
        _stated_bytes(snapshot, place),
        _offline(snapshot),
    )


def _folder(snapshot: Snapshot) -> Fact[str]:
    for path, entry in snapshot.entries.items():
        if path.startswith("files/") and basename(path) == "config.json":
            folder = dirname("/" + path.removeprefix("files/"))
            return known(folder, entry.origin or folder, folder)
    return unavailable(N_("no model was named"), "--model", "absent")


def _files(snapshot: Snapshot, place: str) -> Fact[tuple[Member, ...]]:
    if snapshot.exists(place).or_none() is False:
        return unavailable(N_("there is no such folder"), place, "absent")
    line = f"ls -lLn {place}/"
    listed = snapshot.output(line).or_none()
    # ls ends with 1 where a link leads nowhere, and lists the rest
    if listed and listed.text.startswith("total "):
        return snapshot.output(line).map(lambda entry: parse_folder(entry.text), text="")
    return snapshot.command(line).map(parse_folder, text="")


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ParseError("no JSON object")
    return found


def _index_of(path: str) -> Any:
    def index(text: str) -> Index:
        found = _object(text)
        shards, metadata = found.get("weight_map"), found.get("metadata")
        if not isinstance(shards, dict):
            raise ParseError("no weight_map")
        size = metadata.get("total_size") if isinstance(metadata, dict) else None
        total = int(size) if isinstance(size, (int, float)) and 0 < size < _MOST else None
        return Index(basename(path), frozenset(map(str, shards.values())), total)

    return index


def _pointers(snapshot: Snapshot, place: str) -> Fact[frozenset[str]]:
    """grep ends with 1 where no file has the line, and find passes that on."""
    return snapshot.output(f"grep git-lfs {place}").map(
        lambda entry: frozenset(
            basename(line.partition(":version ")[0])
            for line in entry.text.splitlines()
            if ":version " in line
        )
    )


def _stated_bytes(snapshot: Snapshot, place: str) -> dict[str, int | None]:
    """Older bundles do not have it; what is there of a run that was ended counts."""
    entry = snapshot.partial_output(f"safetensors {place}").or_none()
    lines = map(_STATED.fullmatch, entry.text.splitlines() if entry else ())
    return {line[2]: None if line[1] == "-" else int(line[1]) for line in lines if line}


def _offline(snapshot: Snapshot) -> dict[str, Fact[OfflineModel]]:
    found = tuple(snapshot.matching("commands/om_*"))
    if not found:
        return {}
    from npudoctor.parse.om import parse_om  # for the few who have such models

    names = {entry.origin.removeprefix("om "): entry.origin for entry in found}
    return {path: snapshot.command(line).map(parse_om, text="") for path, line in names.items()}
