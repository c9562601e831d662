"""The component `serving`: one container that serves a model, replaced by another one only when that one answers.

The container that is replaced stays, stopped, as `<name>-previous`, until the next one is ready; it comes back where the
new one does not become ready in its time, or does not answer a request, and by `undo`.
"""

from __future__ import annotations

import json
import os
import time

from ansible_collections.npudoctor.ascend.plugins.module_utils import model_folder, service
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import (
    Component,
    Done,
    Failure,
    blocker,
    component_spec,
    difference,
)
from ansible_collections.npudoctor.ascend.plugins.module_utils.containers import Docker
from ansible_collections.npudoctor.ascend.plugins.module_utils.package import PACKAGES_SPEC, ready
from ansible_collections.npudoctor.ascend.plugins.module_utils.serving_spec import LABEL, Spec, with_memory
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_json, write_json

ABSENT = "absent"
_LINES = 200
_POLL = 1
_ANSWER = 60


def serving_spec() -> dict:
    """The parameters of the module `serving`."""
    return component_spec(
        name={"type": "str", "default": "npudoctor-serving"},
        image={"type": "str", "required": True},
        packages=dict(PACKAGES_SPEC, default=[]),
        command={"type": "list", "elements": "str", "default": []},
        model={"type": "path", "default": ""},
        model_target={"type": "str", "default": "/model"},
        chip={"type": "str", "default": ""},
        devices={"type": "list", "elements": "int", "default": []},
        ascend_runtime={"type": "bool", "default": False},
        port={"type": "int", "default": 8000},
        host_network={"type": "bool", "default": False},
        shm_size={"type": "str", "default": "16g"},
        stack_kb={"type": "int", "default": 32768},
        environment={"type": "dict", "default": {}},
        environment_file={"type": "path", "default": ""},
        volumes={"type": "list", "elements": "str", "default": []},
        user={"type": "str", "default": ""},
        capabilities={"type": "list", "elements": "str", "default": []},
        log_size={"type": "str", "default": "100m"},
        log_files={"type": "int", "default": 5},
        restart_policy={
            "type": "str",
            "default": "unless-stopped",
            "choices": ["no", "on-failure", "always", "unless-stopped"],
        },
        ready_path={"type": "str", "default": "/health"},
        stop_seconds={"type": "int", "default": 60},
        ready_seconds={"type": "int", "default": 1800},
        request_path={"type": "str", "default": "/v1/completions"},
        request_body={"type": "dict", "default": {"prompt": "Hello", "max_tokens": 1}},
        memory_plan={"type": "dict", "default": {}},
    )


class Serving(Component):
    """One container by its name."""

    name = "serving"

    def __init__(self, module) -> None:
        super().__init__(module)
        self.docker = Docker()
        self.container = self.params["name"]
        self.previous = self.container + "-previous"
        self.spec = Spec(self.state, with_memory(self.params))
        self.kept = os.path.join(self.state.home, "serving", self.container + ".json")

    def look(self) -> dict:
        found = self.docker.container(self.container) if self.docker.works() else {}
        if self.params["verb"] == "verify" and found:
            self._wait(self.params["ready_seconds"] - service.age(found))
        labels = (found.get("Config") or {}).get("Labels") or {}
        return {
            "state": (found.get("State") or {}).get("Status", ABSENT),
            "image": (found.get("Config") or {}).get("Image", ABSENT),
            "spec": _parsed(labels.get(LABEL)),
            "ready": bool(found) and service.is_ready(self.params["port"], self.params["ready_path"]),
            "previous": bool(self.docker.container(self.previous)) if found else False,
        }

    def differences(self, now: dict, back: bool) -> list:
        if back:
            before = read_json(self.kept).get("before")
            return [difference("serving.container", now["image"], before, "it was so before")] if before else []
        if now["state"] == ABSENT:
            return [difference("serving.container", ABSENT, self.params["image"], "a service is wanted")]
        found = [
            difference("serving." + key, _shown(now["spec"].get(key)), _shown(value), "the service is to have it")
            for key, value in sorted(self.spec.whole.items())
            if now["spec"].get(key) != value
        ]
        if now["state"] != "running":
            found.append(difference("serving.state", now["state"], "running", "a service runs"))
        elif not found and not now["ready"]:
            found.append(difference("serving.ready", "no", "yes", "a service answers"))
        return found

    def blockers(self, now: dict, back: bool) -> list:
        if not self.docker.works():
            return [
                blocker("no-docker", "Docker does not answer on this host", "the role docker installs and starts it")
            ]
        if back:
            return []
        found = self.spec.blockers()
        if not self.docker.image(self.params["image"]) and not self.params["packages"]:
            found.append(
                blocker("image-missing", "image {0} is not on this host".format(self.params["image"]), _FETCH_IMAGE)
            )
        if self.params["model"]:
            wrong = model_folder.troubles(self.state.host(self.params["model"]), self._uid())
            more = " and {0} more".format(len(wrong) - 1) if len(wrong) > 1 else ""
            found += (
                [blocker("model-incomplete", "{0}: {1}{2}".format(self.params["model"], wrong[0], more), _MODEL)]
                if wrong
                else []
            )
        return found

    def change(self, now: dict, differences: list, back: bool) -> Done:
        if back:
            self._bring_back()
            return Done()
        if {each["what"] for each in differences} == {"serving.ready"}:
            return self._settled()
        self._load_image()
        self._put_aside(now)
        try:
            self.docker.call("run", "-d", *self.spec.arguments(), self.params["image"], *self.spec.params["command"])
        except Failure:
            self._bring_back()  # Docker leaves the container that it could not start
            raise
        return self._settled()

    def problems(self, now: dict) -> list:
        found = [each["message"] for each in self.spec.blockers()]
        wrong = self._request() if now["ready"] and self.params["request_path"] else ""
        return found + [wrong] if wrong else found

    def _settled(self) -> Done:
        """Wait, then ask for real; where either fails, what was there before comes back."""
        log = os.path.join(self.state.folder("logs"), "serving-{0}.log".format(self.container))
        wrong = self._wait(self.params["ready_seconds"]) or (self._request() if self.params["request_path"] else "")
        with open(log, "w", encoding="utf-8") as file:
            file.write(self.docker.logs(self.container, _LINES))
        if not wrong:
            return Done(log=log)
        before = read_json(self.kept).get("before")
        words = ""
        if before:
            self._bring_back()
            words = "; {0} {1}".format(
                before, "does not serve either" if self._wait(self.params["ready_seconds"]) else "serves again"
            )
        words = "" if before == ABSENT else words
        raise Failure(
            "not-ready", "the service was not ready: {0}{1}".format(wrong, words), "read {0}".format(log), log=log
        )

    def _wait(self, seconds: float) -> str:
        """What is wrong once it is ready, has ended, or the time is over; empty where it is ready."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            state = self.docker.container(self.container)
            if not state or state.get("RestartCount", 0) > 1 or state["State"]["Status"] in ("exited", "dead"):
                said = self.docker.logs(self.container, _LINES).strip().splitlines()
                return "the container ended: {0}".format(said[-1] if said else "it printed nothing")
            if service.is_ready(self.params["port"], self.params["ready_path"]):
                return ""
            time.sleep(_POLL)
        return "{0} did not answer within {1} s".format(self.params["ready_path"], self.params["ready_seconds"])

    def _request(self) -> str:
        return service.ask(self.params["port"], self.params["request_path"], self.params["request_body"], _ANSWER)

    def _load_image(self) -> None:
        if self.docker.image(self.params["image"]) or not self.params["packages"]:
            return
        with ready(self.state, self.params["packages"][0]) as path:
            self.docker.call("load", "-i", path, seconds=3600)
        if not self.docker.image(self.params["image"]):
            words = "{0} holds no image {1}".format(self.params["packages"][0]["name"], self.params["image"])
            raise Failure("image-missing", words, _FETCH_IMAGE)

    def _put_aside(self, now: dict) -> None:
        """The old container, stopped and kept. One that never became ready is no place to go back to."""
        if now["state"] == "created":  # a run was cut off before it started
            self.docker.call("rm", "-f", self.container)
            now = dict(now, state=ABSENT, image=ABSENT)
        if self.docker.container(self.previous) and not now["ready"]:
            if now["state"] != ABSENT:
                self.docker.call("rm", "-f", self.container)
            return
        self._keep(now["image"])
        if self.docker.container(self.previous):
            self.docker.call("rm", "-f", self.previous)
        if now["state"] != ABSENT:
            self.docker.call("update", "--restart", "no", self.container)
            self.docker.call("stop", "-t", str(self.params["stop_seconds"]), self.container)
            self.docker.call("rename", self.container, self.previous)

    def _bring_back(self) -> None:
        if self.docker.container(self.previous):
            if self.docker.container(self.container):
                self.docker.call("rm", "-f", self.container)
            self.docker.call("rename", self.previous, self.container)
        elif read_json(self.kept).get("before") == ABSENT and self.docker.container(self.container):
            self.docker.call("rm", "-f", self.container)
        if self.docker.container(self.container):
            spec = _parsed(self.docker.container(self.container)["Config"]["Labels"].get(LABEL))
            self.docker.call("update", "--restart", spec.get("restart_policy", "unless-stopped"), self.container)
            self.docker.call("start", self.container)
        os.unlink(self.kept)

    def _keep(self, before: str) -> None:
        self.state.folder("serving")
        write_json(self.kept, {"before": before})

    def _uid(self) -> int:
        user = self.params["user"].split(":")[0]
        return int(user) if user.isdigit() else 0


_FETCH_IMAGE = "name its archive in serving_packages, or docker pull it on this host"
_MODEL = "fetch what is missing: npudoctor check --model DIR says all of it"


def _parsed(label) -> dict:
    try:
        found = json.loads(label or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _shown(value) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
