"""The driver and the firmware of an NPU: two packages of one kind, installed and taken back the same way."""

from __future__ import annotations

import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils import kernels, npus
from ansible_collections.npudoctor.ascend.plugins.module_utils.anti_rollback import order
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import (
    Component,
    Done,
    Failure,
    blocker,
    component_spec,
    difference,
)
from ansible_collections.npudoctor.ascend.plugins.module_utils.installer import Installer, half_done, wishes
from ansible_collections.npudoctor.ascend.plugins.module_utils.package import PACKAGES_SPEC, fits, ready, verify
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text
from ansible_collections.npudoctor.ascend.plugins.module_utils.words import UNINSTALL

ABSENT = "absent"
INSTALL_INFO = "/etc/ascend_install.info"
_PAIR = re.compile(r"^\s*([A-Za-z_]+)\s*=\s*(.*?)\s*$", re.MULTILINE)


def hdk_spec() -> dict:
    """The parameters that the modules `driver` and `firmware` share."""
    return component_spec(
        version={"type": "str", "default": ""},
        packages=dict(PACKAGES_SPEC, default=[]),
        previous_version={"type": "str", "default": ""},
        previous=dict(PACKAGES_SPEC, default=[]),
        chip={"type": "str", "default": ""},
        install_path={"type": "path", "default": "/usr/local/Ascend"},
        force={"type": "bool", "default": False},
        seconds={"type": "int", "default": 3600},
    )


class Hdk(Component):
    """A subclass names itself and says how its installer is called and how it speaks.

    Attributes:
        words: See `words`.
        field: The field of the board that holds what runs.
    """

    words: dict
    field = ""

    def first_flags(self) -> list:
        """How the installer is called where nothing is there, or something else than a lower version."""
        raise NotImplementedError

    def look(self) -> dict:
        """`version` on disk, `running` on the NPUs, those that are `silent`, `state`: absent, whole or half."""
        found = npus.Npus()
        version = read_pairs(self.state.host(os.path.join(self._path(), self.name, "version.info"))).get("version", "")
        return {
            "version": version,
            "running": found.field(self.field),
            "npus": len(found.boards),
            "silent": found.silent(self.field),
            "state": self._state(version, found),
        }

    def differences(self, now: dict, back: bool) -> list:
        wanted = self._wanted(back)
        if now["state"] == "half" and wanted != ABSENT:
            why = "what is installed is not whole"
            return [difference(self.name, "{0} (half)".format(now["version"] or "?"), wanted, why)]
        have = now["version"] or ABSENT
        if have.lower() == wanted.lower() and now["state"] != "half":
            return []
        why = "it was so before the run" if back else "the stack wants {0}".format(wanted)
        return [difference(self.name, have, wanted, why)]

    def blockers(self, now: dict, back: bool) -> list:
        found = []
        package = self._package(back)
        if self._wanted(back) != ABSENT:
            if not package:
                words = "no {0} package of {1} is named".format(self.name, self._wanted(back))
                found.append(blocker("package-missing", words, "name one in {0}".format(self._option(back))))
            else:
                found += self._unusable(package)
        users = [] if self.params["force"] else npus.users(self.state)
        if users and now["state"] != "absent":
            fix = "end them, or install with force: it takes effect after the reboot"
            found.append(blocker("npu-in-use", "NPUs are in use by {0}".format(", ".join(users)), fix))
        return found

    def change(self, now: dict, differences: list, back: bool) -> Done:
        verb = "undo" if back else "apply"
        if self._wanted(back) == ABSENT:
            return self._remove(verb)
        installer = Installer(self.state, self.name, self.words)
        with ready(self.state, self._package(back), self.params["chip"]) as path:
            argv = ["/bin/sh", path] + self._flags(now, back)
            return installer.run(verb, self._wanted(back), argv, self.params["seconds"])

    def reboot_reasons(self, now: dict) -> list:
        asked = [line for line in wishes(self.state) if line.startswith(self.name + ":")]
        return asked + unequal(self.name, now)

    def problems(self, now: dict) -> list:
        if now["npus"] == 0:
            return ["npu-smi names no NPU"]
        return now["silent"] + unequal(self.name, now)

    def _unusable(self, package: dict) -> list:
        """A package for another host or with other bytes. In check mode one that is not there yet is no matter."""
        try:
            fits(package["name"], self.params["chip"])
            if not self.module.check_mode or os.path.exists(self.state.stored(package["sha256"])):
                verify(self.state, package)
        except Failure as failure:
            return [failure.blocker]
        return []

    def _wanted(self, back: bool) -> str:
        wanted = self.params["previous_version" if back else "version"]
        if wanted:
            return wanted
        if back:
            words = "which {0} was there before is not known".format(self.name)
            raise Failure("undo-impossible", words, "give previous_version (`absent` where there was none)")
        raise Failure("no-version", "no {0} version is given".format(self.name), "give version")

    def _package(self, back: bool):
        given = self.params[self._option(back)]
        return given[0] if given else None

    def _option(self, back: bool) -> str:
        return "previous" if back else "packages"

    def _path(self) -> str:
        key = "{0}_install_path_param".format(self.name)
        return read_pairs(self.state.host(INSTALL_INFO)).get(key) or self.params["install_path"]

    def _state(self, version: str, found) -> str:
        if half_done(self.state.step(self.name)) or (self.name == "driver" and self._unfit(found)):
            return "half"
        if version:
            return "whole"
        return "half" if os.path.isdir(self.state.host(os.path.join(self._path(), self.name))) else "absent"

    def _unfit(self, found) -> bool:
        """Whether npu-smi says that the driver is not whole, or its modules are those of other kernels alone."""
        built = kernels.with_driver(self.state)
        return found.half_installed or bool(built and not found.boards and kernels.running() not in built)

    def _flags(self, now: dict, back: bool) -> list:
        newer = order(self._wanted(back)) > order(now["version"])
        upgrade = now["state"] == "whole" and newer and not back
        flags = ["--upgrade"] if upgrade else self.first_flags()
        return flags + ["--quiet", "--nox11"] + (["--force"] if self.params["force"] else [])

    def _remove(self, verb: str) -> Done:
        script = self.state.host(os.path.join(self._path(), self.name, "script", "uninstall.sh"))
        if not os.path.isfile(script):
            raise Failure(
                "undo-impossible", "{0} is not there".format(script), "remove the {0} by hand".format(self.name)
            )
        argv = ["/bin/bash", script, "--quiet"] + (["--force"] if self.params["force"] else [])
        return Installer(self.state, self.name, UNINSTALL).run(verb, ABSENT, argv, self.params["seconds"])


def unequal(name: str, now: dict) -> list:
    """Why what is on disk does not run yet, as sentences: none where it does, or where nobody can say."""
    if not (now["version"] and now["running"]) or now["version"].lower() == now["running"].lower():
        return []
    return ["{0}: {1} is on disk, {2} runs".format(name, now["version"], now["running"])]


def read_pairs(path: str) -> dict:
    """`key=value` lines of a file, keys in lower case; empty where there is no such file."""
    return {key.lower(): value.strip("\"'") for key, value in _PAIR.findall(read_text(path))}
