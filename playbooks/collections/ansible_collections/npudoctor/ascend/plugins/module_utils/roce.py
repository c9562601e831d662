"""The component `hccn`: every port of the NPUs as the inventory has it."""

from __future__ import annotations

import os

from ansible_collections.npudoctor.ascend.plugins.module_utils import npus, roce_ports
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import blocker, component_spec
from ansible_collections.npudoctor.ascend.plugins.module_utils.settings import Setting, SettingsComponent

_TLS = {"enabled": "1", "disabled": "0", "keep": ""}


def hccn_spec() -> dict:
    """The parameters of the module `hccn`."""
    address = {"type": "str", "default": ""}
    return component_spec(
        run={"type": "str", "default": ""},
        ports={
            "type": "list",
            "elements": "dict",
            "default": [],
            "options": {
                "device": {"type": "int", "required": True},
                "address": {"type": "str", "required": True},
                "netmask": dict(address),
                "gateway": dict(address),
                "netdetect": dict(address),
            },
        },
        netmask={"type": "str", "default": "255.255.255.0"},
        gateway=dict(address),
        netdetect=dict(address),
        tls={"type": "str", "default": "keep", "choices": ["enabled", "disabled", "keep"]},
        others={"type": "list", "elements": "str", "default": []},
        several_subnets={"type": "bool", "default": False},
        force={"type": "bool", "default": False},
    )


class Hccn(SettingsComponent):
    """One setting a port."""

    name = "hccn"

    def __init__(self, module) -> None:
        super().__init__(module)
        self.run = self.params["run"]
        self.wanted = None

    def look(self) -> dict:
        roce_ports.check(self._ports(), self.params["others"], self.params["several_subnets"])
        return super().look()

    def settings(self) -> list:
        if self.wanted is None:
            self.wanted = [self._setting(port) for port in self._ports()]
        return self.wanted

    def place(self, key: str):
        wrote = roce_ports.settings_of(self.originals.rows[key]["wrote"])
        return roce_ports.Port(self.state, self.run, int(key[len("npu") :]), wrote)

    def blockers(self, now: dict, back: bool) -> list:
        if not roce_ports.HccnTool(self.state, 0).program:
            return self.unless_to_come(
                blocker("no-hccn-tool", "hccn_tool is not on this host", "install the driver first")
            )
        missing = [port["device"] for port in self._ports() if not self._node(port["device"])]
        found = []
        if missing and not back:
            words = "this host has no NPU {0}".format(", ".join(map(str, missing)))
            found.append(blocker("no-such-npu", words, "give ports to the NPUs that are there"))
        users = [] if self.params["force"] else npus.users(self.state)
        if users:
            words = "NPUs are in use by {0}: a new address ends their communication".format(", ".join(users))
            found.append(blocker("npu-in-use", words, "end them, or set force"))
        return found

    def change(self, now: dict, differences: list, back: bool):
        done = super().change(now, differences, back)
        for each in differences:
            if back and "address" not in each["after"]:
                self.module.warn("{0} keeps its address until the driver starts again".format(each["what"]))
        return done

    def _setting(self, port: dict) -> Setting:
        wanted = {key: value for key, value in port.items() if key in roce_ports.KEYS and value}
        place = roce_ports.Port(self.state, self.run, port["device"], wanted)
        return Setting("npu{0}".format(port["device"]), place, roce_ports.text_of(wanted), "the inventory has it so")

    def _ports(self) -> list:
        tls = _TLS[self.params["tls"]]
        shared = {key: self.params[key] for key in ("netmask", "gateway", "netdetect")}
        return [
            dict(
                {key: port[key] or value for key, value in shared.items()},
                device=port["device"],
                address=port["address"],
                tls=tls,
            )
            for port in self.params["ports"]
        ]

    def _node(self, device: int) -> bool:
        return os.path.exists(self.state.host("/dev/davinci{0}".format(device)))
