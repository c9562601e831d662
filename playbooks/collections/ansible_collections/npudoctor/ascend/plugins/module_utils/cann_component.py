"""What the components of CANN share: one package each, one version at a time, below one folder.

Going back needs to know what was there. `previous_version` says so (`absent` where nothing was), or the name of the
package to go back to; where neither is given, `originals/<component>.json` of the state does, which is written before
the first change to a version.
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
from ansible_collections.npudoctor.ascend.plugins.module_utils.disks import filesystem, free_mb
from ansible_collections.npudoctor.ascend.plugins.module_utils.installer import Installer, half_done
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_json, write_json
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools
from ansible_collections.npudoctor.ascend.plugins.module_utils.words import CANN, CANN_UNINSTALL

ABSENT = "absent"
_SHARED = ("nfs", "nfs4", "cifs", "smb3", "lustre", "gpfs", "beegfs", "ceph", "fuse.glusterfs", "fuse.juicefs", "9p")
_VERSION = re.compile(r"_(\d[^_]*)_linux-")


def cann_spec(**own: dict) -> dict:
    """The parameters of a component of CANN: the common ones, the shared ones and its own."""
    return component_spec(
        version={"type": "str", "default": ""},
        packages=dict(package.PACKAGES_SPEC, default=[]),
        previous_version={"type": "str", "default": ""},
        previous=dict(package.PACKAGES_SPEC, default=[]),
        install_path={"type": "path", "default": ASCEND},
        install_for_all={"type": "bool", "default": True},
        space_mb={"type": "int", "default": 0},
        seconds={"type": "int", "default": 3600},
        **own,
    )


class CannComponent(Component):
    """A component that one package of CANN brings. A subclass says which, what is there and how it is changed.

    Its `look` has at least `version` (empty: none) and `missing` (paths or sentences; empty: it is whole).

    Attributes:
        pattern: What the name of its packages fits.
        beside: Whether the version of before stays on disk, so that no package is needed to go back.
        ascend: The folder of the installations, as it is opened from here.
    """

    pattern = re.compile("")
    beside = False

    def __init__(self, module) -> None:
        super().__init__(module)
        self.ascend = self.state.host(self.params["install_path"])
        self.tools = Tools(self.state)
        self.original = os.path.join(self.state.home, "originals", self.name + ".json")
        whole = self.beside or self.params["previous"] or not self.look()["version"]
        self.undo = "full" if whole else "files"

    # What is wanted

    def wanted(self, back: bool) -> str:
        """The version to have on disk; empty for none. Raises Failure where nothing tells."""
        said = self.params["previous_version" if back else "version"]
        if said == ABSENT:
            return ""
        said = said or self._named(back)
        if said or not back:
            return said or self._nothing_named()
        kept = read_json(self.original)
        if "before" not in kept and not self.look()["version"]:
            return ""
        if "before" not in kept:
            words = "which {0} was there before is not known".format(self.name)
            raise Failure("undo-impossible", words, "give previous_version (`absent` where there was none)")
        return kept["before"]

    def package(self, back: bool) -> dict:
        """The package of the wanted version. Raises Failure where none is given."""
        wanted = self.wanted(back)
        fitting = [each for each in self.given(back) if version_in(each["name"]) == wanted]
        if not fitting:
            option = "{0}_{1}".format(self.name, "previous" if back else "packages")
            raise Failure(
                "package-missing", "no package of {0} {1} is named".format(self.name, wanted), "name one in " + option
            )
        return fitting[0]

    def given(self, back: bool) -> list:
        """The packages that are given and are of this component."""
        rows = self.params["previous" if back else "packages"]
        return [each for each in rows if self.pattern.search(each["name"])]

    def _named(self, back: bool) -> str:
        return next((version_in(each["name"]) for each in self.given(back)), "")

    def _nothing_named(self) -> str:
        words = "no version of {0} is given, and no package that names one".format(self.name)
        raise Failure("no-version", words, "give {0}_version".format(self.name))

    # What differs

    def differences(self, now: dict, back: bool) -> list:
        """One row where another version is there, or a part of this one is missing."""
        wanted = self.wanted(back)
        if now["version"] == wanted and not now["missing"]:
            return []
        shown = "{0} (in part)".format(now["version"] or "?") if now["missing"] else now["version"]
        why = now["missing"][0] if now["missing"] else "it was so before the run"
        if not back and not now["missing"]:
            why = "the stack wants {0}".format(wanted)
        return [difference(self.name, shown or ABSENT, wanted or ABSENT, why)]

    def cut_off(self) -> list:
        """That the last run of its installer did not come to its end, as a sentence; empty where it did."""
        half = half_done(self.state.step(self.name))
        return ["the last run of its installer did not come to its end"] if half else []

    # What is in the way

    def blockers(self, now: dict, back: bool) -> list:
        """A folder that is shared, too little space, a package that is not for this host."""
        wrong = [_misfit(each["name"], self.params.get("chip") or "") for each in self.given(back)]
        return [each for each in [self._shared(), self._space()] + wrong if each]

    def _shared(self):
        kind, place = filesystem(self.ascend)
        if kind not in _SHARED:
            return None
        words = "{0} lies on {1} ({2}), whose file locks CANN cannot rely on".format(self.ascend, place, kind)
        return blocker("install-path-shared", words, "install to a local disk")

    def _space(self):
        free, wanted = free_mb(self.ascend), self.params["space_mb"]
        if free >= wanted:
            return None
        words = "{0} MiB are free at {1}, {2} needs {3}".format(free, self.ascend, self.name, wanted)
        return blocker("no-space", words, "free space there")

    # How it is changed

    def remember(self, now: dict, back: bool) -> None:
        """Before a change: keep what is there. A change that is tried again does not forget what was before it."""
        wanted = self.wanted(back)
        again = read_json(self.original).get("wanted") == wanted and now["version"] in ("", wanted)
        if not back and not again:
            write_json(self.original, {"wanted": wanted, "before": now["version"]})

    def install(self, verb: str, back: bool, *more: str, environment=None) -> Done:
        """Run the package of the wanted version with `install` or `upgrade`."""
        flags = ["--" + verb, "--quiet"] + (["--install-for-all"] if self.params["install_for_all"] else [])
        return self._run(verb, self.package(back), flags + list(more), CANN, environment or {})

    def uninstall(self, script: str, version: str, back: bool) -> Done:
        """Remove a version: by its own script, which the guides recommend, else by the package that brought it."""
        if script:
            return self._call("uninstall", version, ["bash", self.inside(script)], CANN_UNINSTALL, {})
        return self._run(
            "uninstall", self.package(back and bool(self.wanted(back))), ["--uninstall"], CANN_UNINSTALL, {}
        )

    def inside(self, path: str) -> str:
        """A path as the host itself has it."""
        root = self.state.root.rstrip("/")
        return path[len(root) :] if root and path.startswith(root + "/") else path

    def _run(self, verb: str, given: dict, flags: list, words: dict, environment: dict) -> Done:
        path = self.params["install_path"]
        where = [] if path == ASCEND else ["--install-path=" + path]
        with package.ready(self.state, given, self.params.get("chip") or "") as file:
            argv = ["bash", self.inside(file), "--nox11"] + flags + where
            return self._call(verb, version_in(given["name"]), argv, words, environment)

    def _call(self, verb: str, version: str, argv: list, words: dict, environment: dict) -> Done:
        command = argv if self.state.root == "/" else ["chroot", self.state.root] + argv
        return Installer(self.state, self.name, words).run(verb, version, command, self.params["seconds"], environment)


def version_in(name: str) -> str:
    """`8.5.0` of `Ascend-cann-toolkit_8.5.0_linux-x86_64.run`; empty where the name has none."""
    found = _VERSION.search(name)
    return found.group(1) if found else ""


def _misfit(name: str, chip: str):
    try:
        package.fits(name, chip)
    except Failure as failure:
        return failure.blocker
    return None
