"""One `docker inspect` of all containers, told apart by container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.collect.snapshot import Entry, slug

if TYPE_CHECKING:
    from collections.abc import Iterator

INSPECT = "commands/docker_inspect"
_OF_NPUS = ("davinci", "ascend")


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
