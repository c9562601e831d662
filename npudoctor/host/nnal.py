"""NNAL: ATB and its sisters, beside CANN, with one build for each C++ ABI."""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, known, unavailable
from npudoctor.host.cann_trees import in_ascend_folder
from npudoctor.parse.cann_nnal import NnalVersion, parse_nnal
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.collect.snapshot import Snapshot

_VERSION_FILE = regex(r"files(/.+/nnal)/(atb|asdsip)/([^/]+)/version\.info")
_ATB_HOME = regex(r"(/.+/atb/[^/]+)(?:/atb)?/cxx_abi_([01])/?")
_ABI = regex(r"\bcxx_abi_([01])\b")


@dataclass(frozen=True, slots=True)
class Nnal:
    """One NNAL package.

    Attributes:
        root: `/usr/local/Ascend/nnal/atb/8.5.0`, or `…/latest` where only that was seen.
        package: `atb` or `asdsip`.
        version: The CANN version that it belongs to, with its line as evidence.
        abis: The C++ ABIs it holds a build for: 0 (old), 1 (new).
    """

    root: str
    package: str
    version: Fact[str]
    abis: Fact[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class AtbHome:
    """What `ATB_HOME_PATH` names: a folder of one version, and one C++ ABI in it."""

    root: str
    abi: int


def read_nnal(snapshot: Snapshot) -> Fact[tuple[Nnal, ...]]:
    """Every NNAL package that has a version file, `latest` only where nothing else was seen."""
    found = {nnal.root: nnal for nnal in _installed(snapshot)}
    if found:
        names = {nnal.version.or_none() for root, nnal in found.items() if not root.endswith("/latest")}
        kept = tuple(
            nnal
            for root, nnal in sorted(found.items())
            if not root.endswith("/latest") or nnal.version.or_none() not in names
        )
        return Fact(kept, tuple(line for nnal in kept for line in nnal.version.evidence))
    if in_ascend_folder(snapshot, "nnal").or_none() is False:
        return known((), "/usr/local/Ascend", "no nnal")
    return unavailable("/usr/local/Ascend/nnal: not collected", "/usr/local/Ascend/nnal")


def atb_home(variables: Fact[Mapping[str, str]]) -> Fact[AtbHome]:
    """What `ATB_HOME_PATH` of this environment names; absent where it is not set."""
    path = (variables.or_none() or {}).get("ATB_HOME_PATH", "")
    if not variables.known:
        return variables.map(lambda _variables: AtbHome("", 0))
    if not path:
        return unavailable("ATB_HOME_PATH is not set", "environment", "absent")
    match = _ATB_HOME.fullmatch(normpath(path))
    if not match:
        return unavailable(f"ATB_HOME_PATH={path} names no cxx_abi folder", "environment", "unreadable")
    return known(AtbHome(match[1], int(match[2])), "environment", f"ATB_HOME_PATH={path}")


def _installed(snapshot: Snapshot) -> Iterator[Nnal]:
    for path, entry in snapshot.entries.items():
        match = _VERSION_FILE.fullmatch(path) if "/nnal/" in path else None
        if match and entry.state != "absent":
            root = f"{match[1]}/{match[2]}/{match[3]}"
            parsed = snapshot.file("/" + path.removeprefix("files/")).map(parse_nnal)
            version = parsed.map(lambda nnal: nnal.version, text=_line(parsed))
            yield Nnal(root, match[2], version, _abis(snapshot, root))


def _line(parsed: Fact[NnalVersion]) -> str:
    nnal = parsed.or_none()
    return f"Ascend-cann-{nnal.package} : {nnal.version}" if nnal else ""


def _abis(snapshot: Snapshot, root: str) -> Fact[tuple[int, ...]]:
    for command in (f"ls -l {root}/atb", f"ls {root}/atb"):
        listed = snapshot.command(command)
        if listed.known:
            found = tuple(sorted({int(abi) for abi in _ABI.findall(listed.value)}))
            return known(found, command, ", ".join(f"cxx_abi_{abi}" for abi in found) or "no cxx_abi folder")
    return unavailable(f"{root}/atb: not collected", f"{root}/atb")
