"""One `docker inspect` of all containers, told apart by container; and a container with its host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.collect.snapshot import Entry, Snapshot, slug
from npudoctor.errors import IncompleteError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

INSPECT = "commands/docker_inspect"
_OF_NPUS = ("davinci", "ascend")
_OUTSIDE = "host/"
_OF_AN_ENGINE = "commands/docker_"
_OF_THE_READER = ("environment", "python-packages", "commands/ulimit_")
"""What a host was read of that is the reading person's own, and no container's."""


def split(entry: Entry) -> Iterator[Entry]:
    """`docker inspect NAME` for each container that has to do with NPUs, and the names of all.

    The whole output is kept as it is where it is not the JSON list that it should be.
    """
    import json
    from dataclasses import replace

    try:
        containers = json.loads(entry.stdout or b"[]")
        texts = {item["Name"].lstrip("/"): json.dumps([item], indent=1) for item in containers}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        yield entry
        return
    yield replace(entry, stdout="".join(f"{name}\n" for name in texts).encode())
    for name, text in texts.items():
        if any(word in text.lower() for word in _OF_NPUS):
            line = f"docker inspect {name}"
            # Where another container ended meanwhile the one call failed, but not for this one.
            whole = replace(entry, exit_code=0, stderr=b"", state="complete")
            yield replace(whole, path=f"commands/{slug(line)}", origin=line, stdout=text.encode())


def description(attributes: Mapping[str, Any]) -> Entry:
    """A container as the engine describes it, as the entry that `docker inspect NAME` makes."""
    import json

    line = f"docker inspect {str(attributes.get('Name', '')).lstrip('/')}"
    return Entry(f"commands/{slug(line)}", line, json.dumps([attributes], indent=1).encode())


def within(host: Snapshot, told: Entry, inside: Snapshot) -> Snapshot:
    """A container: what was read inside, how the engine describes it, and its host."""
    entries = {
        path: entry for path, entry in inside.entries.items() if not path.startswith("commands/docker_")
    }
    kept = {path: entry for path, entry in host.entries.items() if not path.startswith(_OF_THE_READER)}
    outside = Snapshot(host.name, host.source, {told.path: told, **kept}, host.problems)
    problems = (*inside.problems, *host.problems)
    return Snapshot(inside.name, inside.source, {**entries, told.path: told}, problems, outside)


def of_host(host: Snapshot, name: str) -> Snapshot:
    """A container of a host that was read without its inside: the engine's description alone.

    Raises:
        IncompleteError: The host was not read with a container of this name.
    """
    if host.outside and _described(host, name):
        return host
    told = _described(host, name)
    if told is None:
        what = _("{host}: no container {name} that maps NPUs was read").format(host=host.name, name=name)
        raise IncompleteError(what, _("there are: {names}").format(names=_names(host)))
    why = _("container {name} was not read from within").format(name=name)
    return within(host, told, Snapshot(f"{host.name}/{name}", host.source, {}, (why,)))


def _described(host: Snapshot, name: str) -> Entry | None:
    entry = host.entry(f"commands/{slug(f'docker inspect {name}')}")
    return entry if entry and entry.state == "complete" and entry.exit_code == 0 else None


def _names(host: Snapshot) -> str:
    found = [entry.origin.rpartition(" ")[2] for entry in host.matching(f"{INSPECT}_*")]
    return ", ".join(found[:8]) or "-"


def flattened(snapshot: Snapshot) -> Snapshot:
    """The same as one level of entries, as a bundle holds it: those of the host below `host/`."""
    if snapshot.outside is None:
        return snapshot
    lower = (_moved(entry, _OUTSIDE + path) for path, entry in snapshot.outside.entries.items())
    entries = {**snapshot.entries, **{entry.path: entry for entry in lower}}
    return Snapshot(snapshot.name, snapshot.source, entries, snapshot.problems)


def nested(snapshot: Snapshot) -> Snapshot:
    """What `flattened` made flat."""
    lower = {path for path in snapshot.entries if path.startswith(_OUTSIDE)}
    if not lower:
        return snapshot
    taken = (_moved(snapshot.entries[path], path.removeprefix(_OUTSIDE)) for path in lower)
    outside = Snapshot("host", snapshot.source, {entry.path: entry for entry in taken})
    entries = {path: entry for path, entry in snapshot.entries.items() if path not in lower}
    return Snapshot(snapshot.name, snapshot.source, entries, snapshot.problems, outside)


def _moved(entry: Entry, path: str) -> Entry:
    from dataclasses import replace

    return replace(entry, path=path)
