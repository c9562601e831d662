"""The CANN installations, their operator packages and NNAL."""

from __future__ import annotations

import re
from posixpath import basename, dirname, normpath
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, ParseError, known, unavailable
from npudoctor.host.cann_tools import Started, read_started, read_tools
from npudoctor.host.cann_trees import LINKS, Tree, broken_links, find_trees, in_ascend_folder
from npudoctor.host.environment import read_environment
from npudoctor.host.nnal import AtbHome, Nnal, atb_home, read_nnal
from npudoctor.host.operators import Operators, list_below, read_operators
from npudoctor.parse.cann_component import CannComponent, dotted, parse_cann_component
from npudoctor.parse.cann_version_cfg import VersionCfg, parse_version_cfg
from npudoctor.parse.version_info import parse_version_info
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.parse.cann_install import CannInstall

RECORD = "/etc/Ascend/ascend_cann_install.info"
"""Where an installer run by root notes the folder that it installs to."""

PLATFORM_CONFIG = ("aarch64-linux/data/platform_config", "x86_64-linux/data/platform_config")
"""Below a CANN: one `.ini` a chip, which the runtime reads when it starts."""


@dataclass(frozen=True, slots=True)
class Installation:
    """One CANN on this machine.

    Attributes:
        root: The folder, `/usr/local/Ascend/cann-8.5.0` or `/usr/local/Ascend/ascend-toolkit/8.1.RC1`.
        version: `8.1.RC1`, as its install file says.
        arch: `aarch64` or `x86_64`, as its install file says; None where it does not.
        package: `Ascend-cann-toolkit`, `Ascend-cann-nnae`, …; None where no install file says it.
        inner: `V100R001C21SPC001B238`; None where no install file says it.
        compatible: Inner versions that it declares to work with, a group a bracket; empty where none.
        folders: Every folder that leads to it (`latest`, `cann`), `root` first.
        installed: The operator packages in it; unavailable where nobody looked.
        platforms: Chips that it has a description of, `Ascend910B3`; unavailable where nobody looked.
        components: Its components' own version files by name: `runtime`, `compiler`, `opp_kernel`, …
        versions: Its `version.cfg`.
        tools: Where `atc` and `msprof` lie in it; absent where it has none.
        evidence: The line that says its version.
    """

    root: str
    version: str
    arch: str | None
    package: str | None
    inner: str | None
    compatible: tuple[tuple[str, ...], ...]
    folders: tuple[str, ...]
    installed: Fact[tuple[Operators, ...]]
    platforms: Fact[tuple[str, ...]]
    components: Mapping[str, Fact[CannComponent]]
    versions: Fact[VersionCfg]
    tools: Mapping[str, Fact[str]]
    evidence: Evidence

    @property
    def operators(self) -> tuple[str, ...]:
        """Chips that operator packages were seen for: `910b`, `310p`, …; see `installed` for "not known"."""
        return tuple(found.chip for found in self.installed.or_none() or ())

    def __str__(self) -> str:
        return f"CANN {self.version} ({self.root})"


@dataclass(frozen=True, slots=True)
class Cann:
    """The CANN installations, their operator packages and NNAL."""

    installations: Fact[tuple[Installation, ...]]
    """All that were found, in any layout; empty where none is there."""
    active: Fact[Installation]
    """The one that this environment uses (ASCEND_HOME_PATH), else the one that `latest` or `cann` leads to,
    else the only one. Absent where none is installed."""
    unreadable: tuple[Fact[CannInstall], ...]
    """Install files that are there and could not be read or understood."""
    broken_links: tuple[Evidence, ...]
    """`latest` or `cann` links that lead nowhere."""
    nnal: Fact[tuple[Nnal, ...]]
    """NNAL packages (ATB, …); empty where none is there."""
    atb_home: Fact[AtbHome]
    """The NNAL folder and C++ ABI that `ATB_HOME_PATH` names; absent where it is not set."""
    started: Fact[dict[str, Started]]
    """Which `atc` and `msprof` PATH starts, by name."""
    recorded_path: Fact[str]
    """The folder that root's installer noted for the next installation."""
    driver_interface: Fact[str]
    """The driver's own `ascendhal_version`, which a CANN's runtime asks a floor of."""


def read_cann(snapshot: Snapshot) -> Cann:
    """Read it out of a snapshot."""
    trees, unreadable = find_trees(snapshot)
    variables = read_environment(snapshot).variables
    found = tuple(_installation(snapshot, tree) for tree in trees)
    installations = _all(snapshot, found, unreadable)
    return Cann(
        installations=installations,
        active=_active(installations, variables),
        unreadable=unreadable,
        broken_links=broken_links(snapshot, _parents(found)),
        nnal=read_nnal(snapshot),
        atb_home=atb_home(variables),
        started=read_started(snapshot),
        recorded_path=_recorded_path(snapshot),
        driver_interface=_driver_interface(snapshot),
    )


def _installation(snapshot: Snapshot, tree: Tree) -> Installation:
    install = tree.install.value
    return Installation(
        root=tree.root,
        version=install.version,
        arch=install.arch,
        package=install.package,
        inner=install.inner,
        compatible=install.compatible,
        folders=tree.folders,
        installed=read_operators(snapshot, tree.folders),
        platforms=_platforms(snapshot, tree.folders),
        components=_components(snapshot, tree.folders),
        versions=_version_cfg(snapshot, tree.folders),
        tools=read_tools(snapshot, tree.folders),
        evidence=tree.install.evidence[0],
    )


def _platforms(snapshot: Snapshot, folders: tuple[str, ...]) -> Fact[tuple[str, ...]]:
    listed = list_below(snapshot, folders, *PLATFORM_CONFIG)
    names = tuple(name.removesuffix(".ini") for name in listed.or_none() or () if name.endswith(".ini"))
    return listed.map(lambda _listed: names, text=f"{len(names)} chips")


def _components(snapshot: Snapshot, folders: tuple[str, ...]) -> dict[str, Fact[CannComponent]]:
    below = re.compile(
        rf"files(?:{'|'.join(map(re.escape, folders))})/(?:share/info/|tools/)?([^/]+)/version\.info"
    )
    found: dict[str, Fact[CannComponent]] = {}
    for path in sorted(path for path in snapshot.entries if path.endswith("/version.info")):
        if match := below.fullmatch(path):
            text = snapshot.file("/" + path.removeprefix("files/"))
            if not text.absent:
                found.setdefault(match[1], text.map(parse_cann_component))
    return found


def _version_cfg(snapshot: Snapshot, folders: tuple[str, ...]) -> Fact[VersionCfg]:
    facts = [snapshot.file(f"{folder}/version.cfg").map(parse_version_cfg) for folder in folders]
    return next((fact for fact in facts if fact.known), facts[0])


def _all(
    snapshot: Snapshot, found: tuple[Installation, ...], unreadable: tuple[Fact[CannInstall], ...]
) -> Fact[tuple[Installation, ...]]:
    if found:
        return Fact(found, tuple(cann.evidence for cann in found))
    if unreadable:
        return unreadable[0].map(lambda _install: ())
    if snapshot.exists(RECORD).known or in_ascend_folder(snapshot, "cann").known:
        return known((), "/usr/local/Ascend", "no ascend_*_install.info of a CANN in any known place")
    return unavailable("ascend_toolkit_install.info: not collected", "ascend_toolkit_install.info")


def _active(
    installations: Fact[tuple[Installation, ...]], variables: Fact[Mapping[str, str]]
) -> Fact[Installation]:
    if not installations.known:
        return installations.map(lambda found: found[0])
    found = installations.value
    if not found:
        return unavailable(N_("no CANN is installed"), "/usr/local/Ascend", "absent")
    names = variables.or_none() or {}
    home = names.get("ASCEND_HOME_PATH") or names.get("ASCEND_TOOLKIT_HOME")
    if home:
        return _named(found, home)
    return _only(found) or _linked(found)


def _named(found: tuple[Installation, ...], home: str) -> Fact[Installation]:
    path = re.sub(r"/\w+-linux$", "", normpath(home))
    ways = (_by_folder(found, path), _beside(found, path), _by_old_link(found, path))
    fitting = next((way for way in ways if way), [])
    if len(fitting) == 1:
        return _known(fitting[0])
    why = "where no CANN was found" if not fitting else "which could be any of several"
    return unavailable(f"ASCEND_HOME_PATH is {home}, {why}", "environment")


def _by_folder(found: tuple[Installation, ...], path: str) -> list[Installation]:
    return [cann for cann in found if path in cann.folders]


def _beside(found: tuple[Installation, ...], path: str) -> list[Installation]:
    """A bundle may hold only the link, or only the versioned folder beside it."""
    near = [cann for cann in found if dirname(path) in {dirname(folder) for folder in cann.folders}]
    return [cann for cann in near if basename(path) in LINKS or path.endswith(cann.version)]


def _by_old_link(found: tuple[Installation, ...], path: str) -> list[Installation]:
    """From 8.5 on `ascend-toolkit/latest` is kept as a link to the new layout beside `ascend-toolkit`."""
    base = path.removesuffix("/ascend-toolkit/latest")
    return [cann for cann in found if base != path and dirname(cann.root) == base]


def _only(found: tuple[Installation, ...]) -> Fact[Installation] | None:
    return _known(found[0]) if len(found) == 1 else None


def _linked(found: tuple[Installation, ...]) -> Fact[Installation]:
    linked = [cann for cann in found if any(basename(folder) in LINKS for folder in cann.folders)]
    toolkits = [cann for cann in linked if "toolkit" in (cann.package or "toolkit")]
    for choice in (linked, toolkits):
        if len(choice) == 1:
            return _known(choice[0])
    names = ", ".join(str(cann) for cann in linked or found)
    return unavailable(f"ASCEND_HOME_PATH is not set, and there are several: {names}", "environment")


def _known(cann: Installation) -> Fact[Installation]:
    return Fact(cann, (cann.evidence,))


def _parents(found: Iterable[Installation]) -> list[str]:
    folders = ["/usr/local/Ascend", "/usr/local/Ascend/ascend-toolkit"]
    return folders + [dirname(folder) for cann in found for folder in cann.folders]


def _recorded_path(snapshot: Snapshot) -> Fact[str]:
    text = snapshot.file(RECORD)
    match = re.search(r"(?im)^\s*(\w*install_path\w*)\s*=\s*(/\S*)\s*$", text.or_none() or "")
    if text.known and not match:
        return unavailable(f"{RECORD}: no Install_Path line", RECORD, "unreadable")
    return text.map(lambda _text: normpath(match[2]) if match else "", text=match[0].strip() if match else "")


def _driver_interface(snapshot: Snapshot) -> Fact[str]:
    text = snapshot.file("/usr/local/Ascend/driver/version.info")
    line = re.search(r"(?m)^\s*ascendhal_version\s*=.*$", text.or_none() or "")
    return text.map(_interface, text=line[0].strip() if line else "")


def _interface(text: str) -> str:
    version = parse_version_info(text).others.get("ascendhal_version")
    if not version:
        raise ParseError(N_("no ascendhal_version line"))
    return dotted(version)
