"""The component `docker`: an engine that the Ascend tools know, running, with its entries in daemon.json."""

from __future__ import annotations

from ansible_collections.npudoctor.ascend.plugins.module_utils import docker_engine
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import (
    Done,
    Failure,
    component_spec,
    difference,
)
from ansible_collections.npudoctor.ascend.plugins.module_utils.docker_packages import Packages
from ansible_collections.npudoctor.ascend.plugins.module_utils.package import PACKAGES_SPEC
from ansible_collections.npudoctor.ascend.plugins.module_utils.places import JsonEntry, json_text
from ansible_collections.npudoctor.ascend.plugins.module_utils.settings import Setting, SettingsComponent
from ansible_collections.npudoctor.ascend.plugins.module_utils.tuning import stack_ulimit, ulimit_reaches

_ENTRY = "config."
_STACK = "stack_of_containers"
_ENGINE = ("docker.version", "docker.service", "docker.restart")


def docker_spec() -> dict:
    """The parameters of the module `docker`."""
    return component_spec(
        run={"type": "str", "default": ""},
        packages=dict(PACKAGES_SPEC, default=[]),
        names={"type": "list", "elements": "str", "default": []},
        config={"type": "dict", "default": {}},
        stack_kb={"type": "int", "default": 16384},
        any_version={"type": "bool", "default": False},
        docker_restart={"type": "bool", "default": False},
    )


class DockerComponent(SettingsComponent):
    """What `undo` takes back are the entries; an engine that was installed stays."""

    name = "docker"
    undo = "files"

    def __init__(self, module) -> None:
        super().__init__(module)
        self.packages = Packages(self.state, self.params["packages"], self.params["names"])
        self.engine = None

    def look(self) -> dict:
        self.engine = docker_engine.Engine(self.state)
        found = dict(super().look(), **self.engine.facts())
        found["stale"] = self.engine.running and self.engine.stale()
        if found["stale"] and not self._may_restart():
            self.module.warn(
                "daemon.json was changed after Docker started; {0}".format(self.engine.refusal().blocker["message"])
            )
        return found

    def settings(self) -> list:
        found = [self._entry(name, value) for name, value in sorted(self.params["config"].items())]
        kb = self.params["stack_kb"]
        if kb:
            place = self.place(_STACK)
            found.append(
                Setting(
                    _STACK, place, stack_ulimit(kb), "containers start with it", lambda text: ulimit_reaches(text, kb)
                )
            )
        return found

    def place(self, key: str):
        names = [key[len(_ENTRY) :]] if key.startswith(_ENTRY) else ["default-ulimits", "stack"]
        return JsonEntry(self.state, self.params["run"], docker_engine.DAEMON, *names)

    def differences(self, now: dict, back: bool) -> list:
        entries = super().differences(now, back)
        return entries if back else self._of_engine(now, entries) + entries

    def blockers(self, now: dict, back: bool) -> list:
        try:
            if not back and not self.params["any_version"]:
                self._check_version(now)
            if not back and now["version"] == "absent":
                self.packages.check()
        except Failure as failure:
            return [failure.blocker]
        return super().blockers(now, back)

    def change(self, now: dict, differences: list, back: bool) -> Done:
        what = {each["what"] for each in differences}
        entries = [each for each in differences if each["what"] not in _ENGINE]
        if entries:
            super().change(now, entries, back)
        if "docker.version" in what:
            self.packages.install()
        self.engine = docker_engine.Engine(self.state)
        if "docker.version" in what or "docker.service" in what:
            self.engine.enable()
        elif self.engine.running:
            self._load()
        return Done()

    def problems(self, now: dict) -> list:
        if self.params["any_version"] or docker_engine.in_window(now["version"]):
            return []
        return ["Docker {0} is not one that the Ascend tools name ({1})".format(now["version"], docker_engine.WINDOW)]

    def _of_engine(self, now: dict, entries: list) -> list:
        if now["version"] == "absent":
            return [difference("docker.version", "absent", self._version_to_come(), "containers need an engine")]
        if not now["running"]:
            return [difference("docker.service", "stopped", "running", "containers need an engine")]
        if now["stale"] and not entries and self._may_restart():
            return [
                difference(
                    "docker.restart", "started before daemon.json was changed", "restarted", "its entries count then"
                )
            ]
        return []

    def _version_to_come(self) -> str:
        try:
            return self.packages.version()
        except Failure:
            return docker_engine.WINDOW

    def _check_version(self, now: dict) -> None:
        if now["version"] == "absent":
            self.packages.version()
        elif not docker_engine.in_window(now["version"]):
            raise Failure("docker-version", self.problems(now)[0], "install another, or allow it with any_version")

    def _load(self) -> None:
        """What a reload can change counts at once; the rest after a restart, where no container ends by it."""
        if self._may_restart():
            self.engine.restart()
        else:
            self.engine.reload()
            self.module.warn(self.engine.refusal().blocker["message"])

    def _may_restart(self) -> bool:
        return self.engine.may_restart(self.params["docker_restart"])

    def _entry(self, name: str, value) -> Setting:
        return Setting(_ENTRY + name, self.place(_ENTRY + name), json_text(value), "the inventory has it so")
