"""Where CANN is installed: every folder with an install file, and which of them are the same one."""

from __future__ import annotations

import re
from functools import partial
from posixpath import basename, dirname, join, normpath
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, ParseError, known
from npudoctor.host.paths import read_paths
from npudoctor.parse.cann_component import CannComponent, parse_cann_component
from npudoctor.parse.cann_install import CannInstall, cann_version, parse_cann_install
from npudoctor.parse.folder import Member, parse_folder
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.collect.snapshot import Snapshot

LINKS = ("latest", "cann")
"""Names that stand for whichever version was installed last."""

_INSTALL = regex(r"files(/.+?)(?:/\w+-linux)?/ascend_(toolkit|nnae|nnrt)_install\.info")
_COMPONENT = regex(r"files(/.+?)(?:/share/info)?/(?:runtime|compiler|toolkit|hccl|opp)/version\.info")
_ARCH = regex(r"/\w+-linux$")
_VERSION = regex(r"\d+\.\d[\w.\-]*")


@dataclass(frozen=True, slots=True)
class Tree:
    """One CANN on disk.

    Attributes:
        root: The folder itself, links followed as far as the host shows them.
        folders: Every folder that leads to it, `root` first.
        install: What its install file says, with the version's line as evidence.
    """

    root: str
    folders: tuple[str, ...]
    install: Fact[CannInstall]


def find_trees(snapshot: Snapshot) -> tuple[tuple[Tree, ...], tuple[Fact[CannInstall], ...]]:
    """Every CANN with a readable version, by root; and the install files that could not be read."""
    found = [*_install_files(snapshot)]
    found += _without_install_file(snapshot, {folder for folder, _install in found})
    seen = {folder for folder, _install in found}
    groups: dict[str, list[tuple[str, Fact[CannInstall]]]] = {}
    for folder, install in found:
        if install.known:
            groups.setdefault(_root(snapshot, folder, install.value, seen), []).append((folder, install))
    trees = tuple(_tree(snapshot, root, group) for root, group in sorted(groups.items()))
    return trees, tuple(install for _folder, install in found if not install.known)


def listing(snapshot: Snapshot, folder: str) -> Fact[tuple[Member, ...]]:
    """The rows of `ls -l FOLDER`."""
    return snapshot.command(f"ls -l {folder}").map(parse_folder)


def in_ascend_folder(snapshot: Snapshot, name: str) -> Fact[bool]:
    """Whether /usr/local/Ascend holds `name`; unavailable where nobody looked."""
    rows = listing(snapshot, "/usr/local/Ascend")
    if not rows.known and read_paths(snapshot).of("/usr/local/Ascend").absent:
        return known(False, "ls -ld /usr/local/Ascend", "not there")
    line = next((row.line for row in rows.or_none() or () if row.name == name), f"no {name}")
    return rows.map(lambda found: any(row.name == name for row in found), text=line)


def link_target(snapshot: Snapshot, path: str) -> Fact[str | None]:
    """Where `path` points to, as its parent's listing shows; None where it is no link."""
    rows = listing(snapshot, dirname(path))
    row = next((row for row in rows.or_none() or () if row.name == basename(path)), None)
    text = row.line if row else None
    return rows.map(lambda _rows: row.target if row else None, text=text)


def broken_links(snapshot: Snapshot, folders: Iterable[str]) -> tuple[Evidence, ...]:
    """Links named `latest` or `cann` in these folders whose target is not there."""
    paths = [join(folder, name) for folder in dict.fromkeys(folders) for name in LINKS]
    targets = ((path, link_target(snapshot, path)) for path in paths)
    return tuple(
        line
        for path, target in targets
        if (to := target.or_none()) and _missing(snapshot, join(dirname(path), to))
        for line in target.evidence
    )


def _missing(snapshot: Snapshot, path: str) -> bool:
    rows = listing(snapshot, dirname(normpath(path))).or_none()
    return rows is not None and basename(normpath(path)) not in {row.name for row in rows}


def _install_files(snapshot: Snapshot) -> Iterator[tuple[str, Fact[CannInstall]]]:
    for path, entry in snapshot.entries.items():
        match = _INSTALL.fullmatch(path) if path.endswith("_install.info") else None
        if match and entry.state != "absent":
            yield match[1], _install(snapshot.file("/" + path.removeprefix("files/")))


def _install(text: Fact[str]) -> Fact[CannInstall]:
    return text.map(parse_cann_install, text=_first_line(text, "version"))


def _first_line(text: Fact[str], key: str) -> str:
    pattern = re.compile(rf"\s*{key}\s*=", re.IGNORECASE)
    lines = (text.or_none() or "").splitlines()
    return next((line.strip() for line in lines if pattern.match(line)), "")


def _without_install_file(snapshot: Snapshot, seen: set[str]) -> Iterator[tuple[str, Fact[CannInstall]]]:
    """Folders that only component files tell of: packages from pip and bundles made by hand."""
    for path, entry in snapshot.entries.items():
        match = _COMPONENT.fullmatch(path) if path.endswith("/version.info") else None
        if match and entry.state == "complete" and match[1] not in seen:
            text = snapshot.file("/" + path.removeprefix("files/"))
            line = _first_line(text, "version_dir") or _first_line(text, "version")
            component = text.map(parse_cann_component, text=line)
            install = component.map(partial(_by_component, folder=match[1]))
            if install.known:
                seen.add(match[1])
            yield match[1], install


def _by_component(component: CannComponent, folder: str) -> CannInstall:
    name = basename(folder).removeprefix("cann-")
    version = component.cann or (name if _VERSION.fullmatch(name) else None)
    if basename(folder) == "cann" and version is None:
        # This folder came with 8.5, and from 8.2 on a component's number starts with the CANN's.
        version = ".".join(component.version.split(".")[:3])
    if version is None:
        raise ParseError("neither version_dir nor the folder says which CANN this is")
    return CannInstall(None, cann_version(version), None, (), None, None)


def _root(snapshot: Snapshot, folder: str, install: CannInstall, seen: set[str]) -> str:
    """Follow links that a listing shows; a `latest` that is no link is told by the file's own `path`."""
    for _step in range(4):
        target = link_target(snapshot, folder).or_none()
        if not target:
            break
        folder = normpath(join(dirname(folder), target))
    if basename(folder) not in LINKS:
        return folder
    if install.path:
        return _ARCH.sub("", normpath(install.path))
    beside = (join(dirname(folder), name) for name in (install.version, f"cann-{install.version}"))
    return next((path for path in beside if path in seen), folder)


def _tree(snapshot: Snapshot, root: str, group: list[tuple[str, Fact[CannInstall]]]) -> Tree:
    folders = [root, *(folder for folder, _install in group), *_links_to(snapshot, root)]
    best = min(group, key=lambda found: (found[1].value.package is None, found[0] != root))
    return Tree(root, tuple(dict.fromkeys(folders)), best[1])


def _links_to(snapshot: Snapshot, root: str) -> Iterator[str]:
    parent = dirname(root)
    for row in listing(snapshot, parent).or_none() or ():
        if row.target and normpath(join(parent, row.target)) == root:
            yield join(parent, row.name)
