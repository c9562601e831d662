"""The component `python_env`: which environment is in use, which is wanted, how one becomes the other."""

from __future__ import annotations

import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils import wheels
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_needs import CANN_NEEDS
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import (
    Component,
    Done,
    Failure,
    blocker,
    difference,
)
from ansible_collections.npudoctor.ascend.plugins.module_utils.generations import Generations, named_by
from ansible_collections.npudoctor.ascend.plugins.module_utils.pip import Maker
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_json, write_json
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools
from ansible_collections.npudoctor.ascend.plugins.module_utils.venv import Venv

_ABSENT = "absent"
_MINOR = "import sys; print('%d.%d' % sys.version_info[:2])"
_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:==([A-Za-z0-9.!+_-]+))?")
_PASSWORD = re.compile(r"://[^/@]*:[^/@]*@")
_SHOWN = "torch-npu"


class PythonEnvironment(Component):
    """The environment that `current` leads to."""

    name = "python_env"

    def __init__(self, module) -> None:
        super().__init__(module)
        self.tools = Tools(self.state)
        self.generations = Generations(self.state.host(self.params["path"]))
        self.original = os.path.join(self.state.home, "originals", self.name + ".json")

    def look(self) -> dict:
        current = self.generations.current()
        found = Venv(self.generations.path(current))
        packages = found.packages() if current else {}
        return {
            "version": packages.get(_SHOWN, ""),
            "generation": current,
            "python": found.version() if current else "",
            "packages": packages,
            "missing": found.broken() if current else [],
            "generations": self.generations.all(),
            "can_make": self._can_make(),
            "lacks": [name for name in CANN_NEEDS if name not in packages] if current else [],
        }

    def differences(self, now: dict, back: bool) -> list:
        wanted = self._back() if back else self._wanted()
        lacks = now["missing"] + ([] if back or now["generation"] != wanted else self._lacking(now["packages"]))
        if now["generation"] == wanted and not lacks:
            return []
        before = _named(now["version"], now["generation"]) + (" (in part)" if lacks else "")
        why = lacks[0] if lacks else "it was so before the run" if back else "the stack wants these packages"
        return [difference(self.name, before, _named(self._version(wanted, back), wanted), why)]

    def blockers(self, now: dict, back: bool) -> list:
        if back:
            return []
        found = []
        if not self._python():
            words = "there is no Python {0} on this host".format(self.params["python_version"]).replace("  ", " ")
            found.append(blocker("python-missing", words, "install it, or name an interpreter in python_env_python"))
        if _PASSWORD.search(self.params["index_url"]):
            words = "the URL of the index holds a password"
            found.append(blocker("password-in-url", words, "put it into ~/.netrc of the host"))
        return found

    def change(self, now: dict, differences: list, back: bool) -> Done:
        wanted = self._back() if back else self._wanted()
        log = "" if back else self._make(wanted)
        if not back and now["generation"] != wanted:
            write_json(self.original, {"wanted": wanted, "before": now["generation"]})
        self.generations.use(wanted)
        if not back:
            self.generations.prune(self.params["keep"], now["generation"])
        return Done(0, log)

    def _make(self, wanted: str) -> str:
        folder = self.generations.path(wanted)
        made = Venv(folder)
        if os.path.isdir(folder) and not made.broken() and not self._lacking(made.packages()):
            return ""
        self.generations.drop(wanted)
        maker = Maker(self.state, self.tools, self.params)
        maker.make(folder, self._python(), self._asked())
        return maker.log

    # What is wanted

    def _wanted(self) -> str:
        """Named by the Python, the wheels by their digests, and the requirements: the same are the same environment."""
        given = sorted("{name} {sha256}".format(**each) for each in self.params["packages"])
        if not (given or self.params["requirements"]):
            raise Failure("no-version", "no package and no requirement is given", "give python_env_packages")
        return named_by("python " + self._minor(), *given, *sorted(self.params["requirements"]))

    def _back(self) -> str:
        """The environment to go back to; empty for none. Raises Failure where nothing tells, or it is gone."""
        kept = read_json(self.original)
        nothing = "before" not in kept and not self.generations.current()
        if nothing or self.params["previous_version"] == _ABSENT:
            return ""
        if "before" not in kept:
            words = "which environment was there before is not known"
            raise Failure("undo-impossible", words, "give previous_version (`absent` where there was none)")
        before = kept["before"]
        if before and before not in self.generations.all():
            raise Failure("undo-impossible", "{0} is gone".format(before), "give its packages, and apply them")
        return before

    def _version(self, generation: str, back: bool) -> str:
        if back:
            return Venv(self.generations.path(generation)).packages().get(_SHOWN, "") if generation else ""
        return dict(self._expected()).get(_SHOWN, "")

    def _asked(self) -> list:
        """The requirements, and what CANN imports as far as there is a source of it; empty for all wheels."""
        asked = self.params["requirements"]
        if not asked:
            return []
        named = {_requirement(text)[0] for text in asked}
        return asked + [name for name in CANN_NEEDS if name in self._sources() and name not in named]

    def _sources(self) -> list:
        """The projects that there are wheels of; an index has all that CANN imports."""
        if self.params["index_url"]:
            return list(CANN_NEEDS)
        house = self.state.host(self.params["wheelhouse"]) if self.params["wheelhouse"] else ""
        beside = [name for name in os.listdir(house) if name.endswith(".whl")] if os.path.isdir(house) else []
        return [wheels.named(name)[0] for name in [each["name"] for each in self.params["packages"]] + beside]

    def _expected(self) -> list:
        """(project, version or an empty text) of all that was asked for. Raises Failure for what cannot be read."""
        asked = self._asked()
        if asked:
            return [_requirement(text) for text in asked]
        return [wheels.named(each["name"]) for each in self.params["packages"]]

    def _lacking(self, packages: dict) -> list:
        """What was asked for and is not there, as sentences."""
        return [
            "{0} {1} is not in it".format(project, version).replace("  ", " ")
            for project, version in self._expected()
            if not _same(packages.get(project), version)
        ]

    # Which Python

    def _python(self) -> str:
        """The interpreter to make it with; empty where the host has none that fits."""
        version = self.params["python_version"]
        names = [self.params["python"]] if self.params["python"] else ["python" + version, "python3"]
        return next((name for name in names if self._fits(name)), "")

    def _can_make(self) -> bool:
        """Whether an interpreter that fits can make environments; on Debian that is a package of its own."""
        python = self._python()
        return bool(python) and self.tools.run(python, "-I", "-c", "import ensurepip, venv").rc == 0

    def _fits(self, name: str) -> bool:
        if not self.tools.has(name):
            return False
        said = self.tools.run(name, "-I", "-c", _MINOR).text.strip()
        return not self.params["python_version"] or said == _minor_of(self.params["python_version"])

    def _minor(self) -> str:
        if self.params["python_version"]:
            return _minor_of(self.params["python_version"])
        return self.tools.run(self._python() or "python3", "-I", "-c", _MINOR).text.strip()


def _minor_of(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _requirement(text: str) -> tuple:
    found = _REQUIREMENT.fullmatch(text.replace(" ", ""))
    if not found:
        raise Failure("requirement-unclear", "{0!r} is no requirement".format(text), "write name==version, or name")
    project, version = wheels.normalized(found.group(1)), found.group(2) or ""
    wheels.refuse_placeholder(project, version or "1")
    return project, version


def _same(found: str, wanted: str) -> bool:
    """Whether a version is the one asked for; a build label (`+cpu`) that was not asked for does not matter."""
    if found is None:
        return False
    plain = found if "+" in wanted else found.partition("+")[0]
    return not wanted or wheels.plain(plain) == wheels.plain(wanted)


def _named(version: str, generation: str) -> str:
    if not generation:
        return _ABSENT
    return "torch_npu {0} ({1})".format(version, generation) if version else generation
