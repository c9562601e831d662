"""The component `ascend_runtime`: the vendor's container runtime, installed, registered, and loaded by Docker.

The installer asks for consent to a licence on its standard input, ends with 0 where that is refused, and writes to
daemon.json. So it is fed, its words decide, and the file is afterwards what it was before, with the runtime's own
entries. Source: Ascend/mind-cluster component/ascend-docker-runtime/build/scripts (run_main.sh, uninstall.sh),
commit 0bb9b4f, read 2026-11-30.
"""

from __future__ import annotations

import json
import os

from ansible_collections.npudoctor.ascend.plugins.module_utils import docker_engine
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import (
    Done,
    Failure,
    blocker,
    component_spec,
    difference,
)
from ansible_collections.npudoctor.ascend.plugins.module_utils.hdk import ABSENT, read_pairs
from ansible_collections.npudoctor.ascend.plugins.module_utils.installer import Installer, half_done
from ansible_collections.npudoctor.ascend.plugins.module_utils.package import PACKAGES_SPEC, fits, ready
from ansible_collections.npudoctor.ascend.plugins.module_utils.places import JsonEntry, OwnFile, json_text
from ansible_collections.npudoctor.ascend.plugins.module_utils.settings import Setting, SettingsComponent

FOLDER = "Ascend-Docker-Runtime"
_DURING = "config_during_install"
_CONSENT = "Y\n"
_VERSION = "ascend_runtime.version"
_LOADED = "ascend_runtime.loaded"
WORDS = {
    "codes": [0],
    "success": ["install success"],
    "failure": [
        ["licence", "user declined EULA", "the installer did not take the answer"],
        ["package-mismatch", "run package and os not matched in arch", "take the package for this architecture"],
        ["unsafe-path", "is soft link", "the installer takes no links on its paths"],
        ["unsafe-path", "is not root", "give that path to root"],
        ["unsafe-path", "has write permission", "take the right to write from group and others"],
    ],
    "reboot": [],
    "always": "",
}
WORDS_OF_REMOVAL = dict(WORDS, success=["uninstall success", "uninstall.sh exec success", "uninstall skipping"])


def runtime_spec() -> dict:
    """The parameters of the module `ascend_runtime`."""
    return component_spec(
        run={"type": "str", "default": ""},
        version={"type": "str", "default": ""},
        packages=dict(PACKAGES_SPEC, default=[]),
        previous_version={"type": "str", "default": ""},
        previous=dict(PACKAGES_SPEC, default=[]),
        install_path={"type": "path", "default": "/usr/local/Ascend"},
        install_type={"type": "str", "default": "", "choices": ["", "A500", "A500A2", "A200ISoC", "A200IA2", "A200"]},
        default_runtime={"type": "bool", "default": True},
        docker_restart={"type": "bool", "default": False},
        seconds={"type": "int", "default": 600},
    )


class AscendRuntime(SettingsComponent):
    """Its version is a package's; its entries in daemon.json are settings."""

    name = "ascend_runtime"

    def __init__(self, module) -> None:
        super().__init__(module)
        self.home = os.path.join(self.params["install_path"], FOLDER)
        self.program = os.path.join(self.home, "ascend-docker-runtime")
        self.config = OwnFile(self.state, self.params["run"], docker_engine.DAEMON, 0o600)
        self.engine = None

    def look(self) -> dict:
        self.engine = docker_engine.Engine(self.state)
        info = read_pairs(self.state.host(os.path.join(self.home, "ascend_docker_runtime_install.info")))
        half = half_done(self.state.step(self.name)) or _DURING in self.originals.rows
        version = "half" if half else plain(info.get("version", ""))
        facts = dict(super().look(), version=version or ABSENT, docker=self.engine.version or ABSENT)
        return dict(facts, runtimes=self.engine.runtimes, containers=self.engine.containers)

    def settings(self) -> list:
        runtime = json_text({"path": self.program, "runtimeArgs": []})
        found = [
            Setting(
                "registered",
                self.place("registered"),
                runtime,
                "Docker knows a runtime by its entry",
                self._leads_there,
            )
        ]
        if self.params["default_runtime"]:
            found.append(
                Setting("default", self.place("default"), '"ascend"', "containers that name no runtime get NPUs too")
            )
        return found

    def place(self, key: str):
        names = {"registered": ["runtimes", "ascend"], "default": ["default-runtime"]}.get(key)
        return JsonEntry(self.state, self.params["run"], docker_engine.DAEMON, *names) if names else None

    def differences(self, now: dict, back: bool) -> list:
        wanted = self._wanted(back)
        found = []
        if now["version"].lower() != wanted.lower():
            found.append(
                difference(_VERSION, now["version"], wanted, "it was so before" if back else "the stack wants it")
            )
        gone = back and wanted == ABSENT
        found += super().differences(now, back) if gone or not back else []
        if not gone and "ascend" not in now["runtimes"]:
            found.append(difference(_LOADED, "no", "yes", "Docker starts containers with what it has loaded"))
        return found

    def blockers(self, now: dict, back: bool) -> list:
        if not self.engine.installed:
            return self.unless_to_come(
                blocker("no-docker", "Docker is not on this host", "the role docker installs it")
            )
        if not self.engine.running:
            return self.unless_to_come(blocker("docker-stopped", "Docker does not run", "the role docker starts it"))
        wanted, package = self._wanted(back), self._package(back)
        if wanted in (ABSENT, now["version"]):
            return super().blockers(now, back)
        if package is None:
            return [blocker("package-missing", "no package of the runtime {0} is named".format(wanted), "name it")]
        try:
            fits(package["name"])
        except Failure as failure:
            return [failure.blocker]
        return super().blockers(now, back)

    def change(self, now: dict, differences: list, back: bool) -> Done:
        what = {each["what"] for each in differences}
        done = self._to_version(now, back) if _VERSION in what else Done()
        entries = [each for each in super().differences(now, back) if each["what"] not in (_VERSION, _LOADED)]
        if entries and (not back or self._wanted(back) == ABSENT):
            super().change(now, entries, back)
        self._load(self._wanted(back) != ABSENT)
        return done

    def _to_version(self, now: dict, back: bool) -> Done:
        """Remove what is there, install what is wanted, and leave the rest of daemon.json as it was."""
        self._remember_config()
        wanted = self._wanted(back)
        try:
            done = self._remove(back) if self._is_installed() else Done()
            if wanted != ABSENT:
                done = self._install(wanted, self._package(back), back)
        finally:
            self._put_config_back()
        return done

    def _install(self, version: str, package: dict, back: bool) -> Done:
        argv = ["--install"]
        if self.params["install_path"] != "/usr/local/Ascend":
            argv.append("--install-path={0}".format(self.params["install_path"]))
        if self.params["install_type"]:
            argv.append("--install-type={0}".format(self.params["install_type"]))
        installer = Installer(self.state, self.name, WORDS)
        with ready(self.state, package) as path:
            verb = "undo" if back else "apply"
            return installer.run(verb, version, ["/bin/bash", path] + argv, self.params["seconds"], answers=_CONSENT)

    def _remove(self, back: bool) -> Done:
        script = self.state.host(os.path.join(self.home, "script", "uninstall.sh"))
        installer = Installer(self.state, self.name, WORDS_OF_REMOVAL)
        return installer.run("remove-undo" if back else "remove", ABSENT, ["/bin/bash", script], self.params["seconds"])

    def _is_installed(self) -> bool:
        return os.path.isfile(self.state.host(os.path.join(self.home, "script", "uninstall.sh")))

    def _remember_config(self) -> None:
        """Before an installer touches it; a run that was cut off left the better copy."""
        for setting in self.settings():
            self.originals.remember(setting.key, setting.place.own(), setting.wanted)
        if _DURING not in self.originals.rows:
            self.place("registered").whole()
            self.originals.remember(_DURING, self.config.read(), "")

    def _put_config_back(self) -> None:
        """All of the file as before: the runtime's entries are settings, and follow in our own writing."""
        self.config.write(self.originals.rows[_DURING]["before"])
        self.originals.forget(_DURING)

    def _load(self, wanted: bool) -> None:
        """Where no container ends by it Docker starts anew; else a reload, which is enough for a runtime."""
        if not self.engine.running:
            return
        if self.engine.may_restart(self.params["docker_restart"]):
            self.engine.restart()
            return
        self.engine.reload()
        if ("ascend" in self.engine.runtimes) != wanted:
            raise self.engine.refusal()

    def _leads_there(self, text: str) -> bool:
        return json.loads(text).get("path") == self.program

    def _wanted(self, back: bool) -> str:
        wanted = plain(self.params["previous_version" if back else "version"])
        if wanted:
            return wanted
        if back:
            raise Failure(
                "undo-impossible",
                "which runtime was there before is not known",
                "give previous_version (`absent` where there was none)",
            )
        raise Failure("no-version", "no version of the runtime is given", "give version")

    def _package(self, back: bool):
        given = self.params["previous" if back else "packages"]
        return given[0] if given else None


def plain(version: str) -> str:
    """`6.0.RC3` of `v6.0.RC3`; the installer puts a v before a version that may have one."""
    return version.lstrip("vV")
