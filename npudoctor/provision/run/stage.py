"""Bring packages to a host before it is begun: by digest, from where an earlier try ended, hashed there."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError
from npudoctor.provision.effects.agent import ask
from npudoctor.provision.run.begin import Blocked
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from npudoctor.collect.remote import Way
    from npudoctor.provision.planned import HostPlan

_SLOWEST = 1_000_000
"""Bytes a second under which a way is given up."""
_PAUSES = (5.0, 20.0)
"""Seconds between tries, as an access switch that is restarted may take them."""
_STORE = "/var/lib/npudoctor/store/sha256"


@dataclass(frozen=True, slots=True)
class File:
    """One package on this machine.

    Attributes:
        size: In bytes.
        path: None where it is not here: then the host must have it already.
        mirrored: Whether it lies as a file of its own at a place that hosts can ask too.
    """

    name: str
    size: int
    path: Path | None
    mirrored: bool = False


def needed(plan: HostPlan) -> list[str]:
    """Digests of all packages of a host, those of the way back with them."""
    found = (digest for step in plan.steps for digest in (*step.packages, *step.previous))
    return list(dict.fromkeys(found))


def stage(
    way: Way,
    digests: Iterable[str],
    files: Mapping[str, File],
    fetch: Callable[[list[str]], None] | None,
    told: Callable[[str], None],
    ended: Callable[[], bool] = lambda: False,
    near: Callable[[list[str]], bool] = lambda _missing: False,
) -> int:
    """Bring to the store of a host what is not there yet: bytes that this machine sent.

    Args:
        way: To the host.
        digests: What it needs.
        files: What is known of them here, by digest.
        fetch: Lets the host fetch what is at a mirror, or not on this machine; None where there is no mirror.
        told: Takes the name of each file that is brought.
        ended: Whether somebody ended the run: what came through until then is kept.
        near: Lets the host take from a neighbour what it can, before all else; whether it tried.

    Raises:
        IncompleteError: The host cannot be reached.
        Blocked: A package is nowhere, or came through damaged.
    """
    missing = _missing(way, list(digests))
    if missing and near(list(missing)):
        missing = _missing(way, list(missing))
    far = [digest for digest in missing if digest not in files or _is_far(files[digest])]
    if far and fetch is not None:
        told(", ".join(files[digest].name if digest in files else digest[:12] for digest in far))
        fetch(far)
        missing = _missing(way, list(missing))
    for digest in (digest for digest in missing if _path(files, digest) is None):
        what = _("the package {sha256} is not here").format(sha256=digest[:12])
        raise Blocked("package-missing", what, _("give --packages"))
    sent = 0
    for digest, start in missing.items():
        path = _path(files, digest)
        if path is not None and not ended():
            told(files[digest].name)
            sent += _send(way, files[digest], path, start, digest, ended)
    if not ended():
        _adopt(way, [digest for digest in missing if _path(files, digest) is not None], files)
    return sent


def retried(
    staged: Callable[[], int], told: Callable[[str], None], ended: Callable[[], bool], pace: float = 1.0
) -> int:
    """What `staged` gives, begun again after a pause where the host cannot be reached.

    `told`: takes why, each time; `pace`: what pauses are multiplied by.
    """
    for pause in _PAUSES:
        try:
            return staged()
        except IncompleteError as error:
            if ended():
                raise
            told(str(error))
            time.sleep(pause * pace)
    return staged()


def _missing(way: Way, digests: list[str]) -> dict[str, int]:
    """Those that are not there, each with how much of it is."""
    there = ask(way, "stored", within=1800.0, digests=digests) if digests else {}
    return {digest: size for digest, size in there.items() if size >= 0}


def _is_far(file: File) -> bool:
    return file.mirrored or file.path is None


def _path(files: Mapping[str, File], digest: str) -> Path | None:
    return files[digest].path if digest in files else None


def _send(way: Way, file: File, path: Path, start: int, digest: str, ended: Callable[[], bool]) -> int:
    part = f"{_STORE}/{digest[:2]}/{digest}.part"
    begun = start if start <= file.size else 0
    how = ">>" if begun else ">"
    way.push(path, begun, f"umask 077; cat {how} {shlex.quote(part)}", 120 + file.size / _SLOWEST, ended)
    return file.size - begun


def _adopt(way: Way, digests: list[str], files: Mapping[str, File]) -> None:
    """What came through is hashed there before it is one of the store."""
    right = ask(way, "adopt", within=1800.0, digests=digests) if digests else {}
    for digest in digests:
        if not right[digest]:
            what = _("{name} came through damaged, or is not what the plan says")
            told = what.format(name=files[digest].name)
            raise Blocked("package-damaged", told, "npudoctor provision store verify")
