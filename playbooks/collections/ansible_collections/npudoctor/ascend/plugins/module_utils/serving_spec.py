"""The serving container as it shall be: out of the parameters and what the host has."""

from __future__ import annotations

import json
import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.component import blocker

LABEL = "npudoctor.serving"
_NODE = re.compile(r"davinci(\d+)")
MANAGERS = ("davinci_manager", "devmm_svm", "hisi_hdc")
# What the driver brings into a container (vllm-ascend docs/source/installation.md@182b75e); those that are there.
MOUNTS = (
    "/usr/local/Ascend/driver/version.info",
    "/usr/local/Ascend/driver/lib64",
    "/usr/local/Ascend/driver/tools/hccn_tool",
    "/usr/local/dcmi",
    "/usr/local/bin/npu-smi",
    "/etc/ascend_install.info",
    "/etc/hccn.conf",
)


def with_memory(params: dict) -> dict:
    """The parameters with what the memory plan adds; what is given by hand stays.

    vLLM takes options, everything else takes variables. The controller of npudoctor counts on the same rule, to know
    without a step what the container will be made from (`provision/plan/serving.py`).
    """
    plan, command = params["memory_plan"], list(params["command"])
    if command[:1] != ["vllm"]:
        return dict(params, environment=dict(plan.get("environment", {}), **params["environment"]))
    given = {word.split("=")[0] for word in command}
    for name, value in sorted(plan.get("vllm", {}).items()):
        option = "--" + name.replace("_", "-")
        command += [] if option in given else [option, str(value)]
    return dict(params, command=command)


class Spec:
    """One container.

    Attributes:
        npus: The numbers of its NPUs.
        whole: All that makes it what it is, as plain data; a container made from it carries it as a label.
    """

    def __init__(self, state, params: dict) -> None:
        self.state = state
        self.params = params
        self.there = npus_of(state)
        self.npus = sorted(params["devices"]) or self.there
        self.mounts = [path for path in MOUNTS if os.path.exists(state.host(path))]
        self.whole = self._whole()

    def label(self) -> str:
        """The whole as text."""
        return json.dumps(self.whole, sort_keys=True)

    def blockers(self) -> list:
        """What the host lacks for it."""
        found = []
        missing = sorted(set(self.npus) - set(self.there))
        if missing or not self.npus:
            which = ", ".join("/dev/davinci{0}".format(npu) for npu in missing) or "/dev/davinci0"
            found.append(
                blocker("no-npu", "{0} is not on this host".format(which), "see npu-smi info, or choose others")
            )
        lonely = [npu for npu in self.npus if npu ^ 1 not in self.npus] if self.params["chip"].upper() == "A3" else []
        if lonely:
            words = "NPU {0} is a die whose twin {1} is left out; of an A3 both go into one container".format(
                lonely[0], lonely[0] ^ 1
            )
            found.append(blocker("die-without-twin", words, "name both in serving_devices"))
        if self.params["memory_plan"].get("fits") is False:
            found.append(
                blocker("model-too-large", "by the memory plan the model does not fit", "see npudoctor accept memory")
            )
        for name in MANAGERS:
            if not self.params["ascend_runtime"] and not os.path.exists(self.state.host("/dev/" + name)):
                found.append(
                    blocker("no-driver", "/dev/{0} is not on this host".format(name), "install the driver, and reboot")
                )
        return found

    def arguments(self) -> list:
        """Of `docker run`, all but the image and the command."""
        params = self.params
        found = ["--name", params["name"], "--restart", params["restart_policy"], "--label", LABEL + "=" + self.label()]
        found += ["--log-driver", "json-file", "--log-opt", "max-size=" + params["log_size"]]
        found += ["--log-opt", "max-file={0}".format(params["log_files"]), "--shm-size", params["shm_size"]]
        found += ["--ulimit", "stack={0}".format(params["stack_kb"] * 1024)]
        found += ["--network", "host"] if params["host_network"] else ["-p", "{0}:{0}".format(params["port"])]
        found += self._devices() + self._volumes()
        for name, value in sorted(params["environment"].items()):
            found += ["-e", "{0}={1}".format(name, value)]
        if params["environment_file"]:
            found += ["--env-file", self.state.host(params["environment_file"])]
        if params["user"]:
            found += ["--user", params["user"]] + self._group()
        for capability in params["capabilities"]:
            found += ["--cap-add", capability]
        return found

    def _devices(self) -> list:
        if self.params["ascend_runtime"]:
            numbers = ",".join(str(npu) for npu in self.npus)
            return ["--runtime", "ascend", "-e", "ASCEND_VISIBLE_DEVICES=" + numbers]
        nodes = ["davinci{0}".format(npu) for npu in self.npus] + list(MANAGERS)
        pairs = ["{0}:/dev/{1}".format(self.state.host("/dev/" + node), node) for node in nodes]
        return [word for pair in pairs for word in ("--device", pair)]

    def _volumes(self) -> list:
        mounts = (
            []
            if self.params["ascend_runtime"]
            else ["{0}:{1}:ro".format(self.state.host(path), path) for path in self.mounts]
        )
        if self.params["model"]:
            mounts.append("{0}:{1}:ro".format(self.state.host(self.params["model"]), self.params["model_target"]))
        return [word for mount in mounts + self.params["volumes"] for word in ("-v", mount)]

    def _group(self) -> list:
        """The group that may open the nodes, where that is not root's."""
        if not self.npus or self.params["ascend_runtime"]:
            return []
        group = os.stat(self.state.host("/dev/davinci{0}".format(self.npus[0]))).st_gid
        return ["--group-add", str(group)] if group else []

    def _whole(self) -> dict:
        keys = ("image", "command", "port", "model", "model_target", "host_network", "ascend_runtime", "shm_size")
        keys += (
            "stack_kb",
            "log_size",
            "log_files",
            "restart_policy",
            "user",
            "capabilities",
            "volumes",
            "environment",
            "environment_file",
        )
        found = {key: self.params[key] for key in keys}
        return dict(found, devices=self.npus, mounts=[] if self.params["ascend_runtime"] else self.mounts)


def npus_of(state) -> list:
    """The numbers of the nodes that the driver made."""
    try:
        names = os.listdir(state.host("/dev"))
    except OSError:
        return []
    return sorted(int(match.group(1)) for match in map(_NODE.fullmatch, names) if match)
