"""What the components of CANN share: one package each, one version at a time, below one folder.

Going back needs to know what was there. The packages to go back to name its version; where none are given,
`originals/<component>.json` of the state does, which is written before the first change to a version.
"""

from __future__ import annotations

import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils import package
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann import ASCEND
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import (
    Component,
    Done,
    Failure,
    blocker,
    component_spec,
    difference,
)
from ansible_collections.npudoctor.ascend.plugins.module_utils.installer import Installer
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_json, read_text, write_json
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools
from ansible_collections.npudoctor.ascend.plugins.module_utils.words import Words

_FAILURES = (("no-space", "No space left on device", "free space where CANN is installed, and in /tmp"),)
INSTALLED = Words(success=("install success", "upgrade success"), failure=_FAILURES)
UNINSTALLED = Words(success=("uninstall success",), failure=_FAILURES)
"""From the installation guides of CANN 8.3.RC1 (2025-11), 8.5.0 (2025-12) and 9.0.0 (2026-03)."""

_SHARED = ("nfs", "nfs4", "cifs", "smb3", "lustre", "gpfs", "beegfs", "ceph", "fuse.glusterfs", "fuse.juicefs", "9p")
_VERSION = re.compile(r"_(\d[^_]*)_linux-")
_MIB = 1 << 20


def cann_spec(**own: dict) -> dict:
    """The parameters of a component of CANN: the common ones, the shared ones and its own."""
    return component_spec(
        version={"type": "str", "default": ""},
        packages=dict(package.PACKAGES_SPEC, default=[]),
        previous=dict(package.PACKAGES_SPEC, default=[]),
        install_path={"type": "path", "default": ASCEND},
        install_for_all={"type": "bool", "default": True},
        space_mb={"type": "int", "default": 0},
        **own
    )


class CannComponent(Component):
    """A component that one package of CANN brings. A subclass says which, what is there and how it is changed.

    Attributes:
        pattern: What fits the name of its packages.
        ascend: The folder of the installations, as it is opened from here.
    """

    pattern = re.compile("")

    def __init__(self, module) -> None:
        super().__init__(module)
        self.ascend = self.state.host(self.params["install_path"])
        self.tools = Tools(self.state)
        self.original = os.path.join(self.state.home, "originals", self.name + ".json")

    # What is wanted

    def wanted(self, back: bool) -> str:
        """The version to have on disk; empty for none. Raises Failure where nothing tells."""
        if not back:
            return self.params["version"] or self._version_of("packages")
        if self.params["previous"]:
            return self._version_of("previous")
        kept = read_json(self.original)
        if "before" not in kept:
            words = "nothing tells which {0} was here before".format(self.name)
            raise Failure("nothing-to-undo", words, "name the packages to go back to")
        return kept["before"]

    def package(self, back: bool) -> dict:
        """The package of the wanted version. Raises Failure where none is given."""
        wanted = self.wanted(back)
        given = self.params["previous" if back else "packages"]
        fitting = [each for each in given if self.pattern.search(each["name"]) and version_in(each["name"]) == wanted]
        if not fitting:
            words = "no package of {0} {1} is given".format(self.name, wanted)
            raise Failure("package-missing", words, "add it to {0}_{1}".format(self.name, "previous" if back else "packages"))
        return fitting[0]

    def _version_of(self, given: str) -> str:
        versions = [version_in(each["name"]) for each in self.params[given] if self.pattern.search(each["name"])]
        if not versions:
            words = "none of {0} is a package of {1}".format(given, self.name)
            raise Failure("package-missing", words, "give a version or its package")
        return versions[0]

    # What differs

    def differences(self, now: dict, back: bool) -> list:
        """One row where another version is there, or a part of this one is missing."""
        wanted = self.wanted(back)
        if now["version"] == wanted and not now["missing"]:
            return []
        why = "{0} is missing".format(now["missing"][0]) if now["missing"] else self.why(wanted, back)
        shown = now["version"] + (" (in part)" if now["missing"] else "")
        return [difference(self.name, shown.strip(), wanted, why)]

    def why(self, wanted: str, back: bool) -> str:
        """Why another version is wanted."""
        return "this version was here before" if back else "the stack names this version"

    # What is in the way

    def blockers(self, now: dict, back: bool) -> list:
        """A folder that is shared, too little space, a package that is not for this host."""
        found = [self._shared(), self._space()]
        for each in self.params["previous" if back else "packages"]:
            try:
                package.fits(each["name"], self.params.get("chip") or "")
            except Failure as failure:
                found.append(failure.blocker)
        return [each for each in found if each]

    def _shared(self):
        kind, place = filesystem(read_text("/proc/mounts"), self.ascend)
        if kind not in _SHARED:
            return None
        words = "{0} lies on {1} ({2}), whose file locks CANN cannot rely on".format(self.ascend, place, kind)
        return blocker("install-path-shared", words, "install to a local disk")

    def _space(self):
        place = self.ascend
        while not os.path.isdir(place):
            place = os.path.dirname(place)
        held = os.statvfs(place)
        free = held.f_bavail * held.f_frsize // _MIB
        if free >= self.params["space_mb"]:
            return None
        words = "{0} has {1} MiB free, {2} needs {3}".format(place, free, self.name, self.params["space_mb"])
        return blocker("no-space", words, "free space there")

    # How it is changed

    def remember(self, now: dict, back: bool) -> None:
        """Before a change: keep what is there. A change that is tried again does not forget what was before it."""
        wanted = self.wanted(back)
        again = read_json(self.original).get("wanted") == wanted and now["version"] in ("", wanted)
        if not back and not again:
            write_json(self.original, {"wanted": wanted, "before": now["version"]})

    def install(self, verb: str, back: bool, *more: str, environment: dict = None) -> Done:
        """Run the package of the wanted version with `install` or `upgrade`, verified right before."""
        given = self.package(back)
        argv = ["--" + verb, "--quiet"] + (["--install-for-all"] if self.params["install_for_all"] else [])
        return self._run(verb, given, argv + self.place() + list(more), INSTALLED, environment)

    def uninstall(self, script: str, version: str, back: bool) -> Done:
        """Remove a version: by its own script, which the guides recommend, else by a package."""
        if script:
            argv = ["bash", self._inside(script)]
            return self._installer(UNINSTALLED).run("uninstall", version, self._command(argv))
        return self._run("uninstall", self._remover(back), ["--uninstall"] + self.place(), UNINSTALLED, None)

    def _remover(self, back: bool) -> dict:
        """What uninstalls where nothing is to be installed: the package that brought it."""
        return self.package(back and bool(self.wanted(back)))

    def place(self) -> list:
        """The option that names another folder than the usual."""
        path = self.params["install_path"]
        return [] if path == ASCEND else ["--install-path=" + path]

    def _run(self, verb: str, given: dict, argv: list, words: Words, environment) -> Done:
        with package.ready(self.state, given, self.params.get("chip") or "") as path:
            command = self._command(["bash", self._inside(path), "--nox11"] + argv)
            return self._installer(words).run(verb, version_in(given["name"]), command, environment=environment)

    def _installer(self, words: Words) -> Installer:
        return Installer(self.state, self.name, words)

    def _command(self, argv: list) -> list:
        return argv if self.state.root == "/" else ["chroot", self.state.root] + argv

    def _inside(self, path: str) -> str:
        """A path as the host itself has it."""
        root = self.state.root.rstrip("/")
        return path[len(root) :] if root and path.startswith(root + "/") else path


def version_in(name: str) -> str:
    """`8.5.0` of `Ascend-cann-toolkit_8.5.0_linux-x86_64.run`; empty where the name has none."""
    found = _VERSION.search(name)
    return found.group(1) if found else ""


def filesystem(mounts: str, path: str) -> tuple:
    """Kind and place of the file system that holds a path, as /proc/mounts has it."""
    rows = [line.split() for line in mounts.splitlines() if len(line.split()) > 2]
    fitting = [row for row in rows if (path + "/").startswith(row[1].rstrip("/") + "/")]
    best = max(fitting, key=lambda row: len(row[1]), default=["", "/", ""])
    return best[2], best[1]
