"""The RoCE ports of the NPUs: what is wanted of them, checked before anything is set; what hccn_tool says and does.

Commands and keys: hccn_tool reference of HDK (hiascend.com, toolbox guide 0142), ascend-deployer 26.0.0
(library/process_hccn.py), rank table guide of mindspore-ai/docs; read 2026-11-30. Addresses are IPv4: the commands for
IPv6 differ by product and were never seen at work.
"""

from __future__ import annotations

import ipaddress
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils import files
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure
from ansible_collections.npudoctor.ascend.plugins.module_utils.settings import Place
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools

CONF = "/etc/hccn.conf"
PROGRAMS = ("hccn_tool", "/usr/local/Ascend/driver/tools/hccn_tool")
KEYS = ("address", "netmask", "gateway", "netdetect", "tls")
_IN_CONF = ("address", "netmask", "gateway", "netdetect")
_QUESTIONS = {"ip": ("address", "netmask"), "gateway": ("gateway",), "netdetect": ("netdetect",), "tls": ("tls",)}
_ANSWERS = {
    "address": re.compile(r"(?mi)^\s*ipaddr\w*\s*:\s*([0-9.]+)"),
    "netmask": re.compile(r"(?mi)^\s*netmask\s*:\s*([0-9.]+)"),
    "gateway": re.compile(r"(?mi)default gateway\s*:\s*([0-9.]+)"),
    "netdetect": re.compile(r"(?mi)netdetect address\s*:\s*([0-9.]+)"),
    "tls": re.compile(r"(?mi)tls switch\s*\[([01])\]"),
}
# How it answers a question about what was never set, where it does not answer with nothing.
_NOT_SET = re.compile(r"(?i)can ?not get|not (?:set|configured|exist)")
_REFUSED = re.compile(r"(?i)out of the valid range|execute failed|not support|param invalid")


class Port(Place):
    """The port of one NPU. Its text names its settings in order: `address 192.0.2.10 netmask 255.255.255.0 tls 0`."""

    def __init__(self, state, run: str, device: int, keys) -> None:
        self.state = state
        self.run = run
        self.device = device
        self.keys = [key for key in KEYS if key in keys]
        self.tool = HccnTool(state, device)
        self.known = None
        self.given_up = False

    def read(self):
        return text_of(self._live()) or None

    def write(self, text) -> None:
        """All settings or none: where one is refused, the others go back to what they were."""
        wanted, before = settings_of(text or ""), self._live()
        files.keep(self.state, self.run, CONF)
        self.known = None
        self.given_up = "address" not in wanted
        try:
            self.tool.set(before, wanted)
        except Failure as failure:
            self._set_back(before, failure)
            raise
        self._write_conf(wanted)

    def _set_back(self, before: dict, failure: Failure) -> None:
        try:
            self.tool.set(self._live(), before)
        except Failure as second:
            words = "{0}; then, setting it back: {1}".format(failure.blocker["message"], second.blocker["message"])
            raise Failure("hccn-between", words, "set NPU {0} by hand".format(self.device)) from second
        finally:
            self.known = None

    def settle(self) -> None:
        """A port that was right and a file that was not: the file follows the port."""
        if self.pending():
            self._write_conf(self._live())

    def pending(self) -> str:
        """The file is what the driver sets the ports from when it starts."""
        live, conf = {} if self.given_up else self._live(), self._conf()
        other = [key for key in _IN_CONF if key in self.keys and live.get(key) and conf.get(key) != live[key]]
        return "{0} has another {1}".format(CONF, ", ".join(other)) if other else ""

    def _live(self) -> dict:
        """What it has; asked once, as each question takes hccn_tool a part of a second."""
        if self.known is None:
            self.known = {key: value for key, value in self.tool.settings(self.keys).items() if value}
        return self.known

    def _conf(self) -> dict:
        pattern = r"(?m)^\s*([a-z]+)_{0}\s*=\s*(\S+)\s*$".format(self.device)
        return dict(re.findall(pattern, read_text(self.state.host(CONF))))

    def _write_conf(self, wanted: dict) -> None:
        """hccn_tool writes the file itself; what it leaves out is added, what is not ours stays."""
        text = read_text(self.state.host(CONF))
        for key in _IN_CONF:
            if key in self.keys:
                text = with_setting(text, "{0}_{1}".format(key, self.device), wanted.get(key))
        files.write(self.state, self.run, CONF, text)


class HccnTool:
    """hccn_tool for one NPU."""

    def __init__(self, state, device: int) -> None:
        self.tools = Tools(state)
        self.device = str(device)
        self.program = next((path for path in PROGRAMS if self.tools.has(path)), "")

    def settings(self, keys) -> dict:
        """What it says of these; nothing where it is not there. Raises Failure where it does not answer."""
        if not self.program:
            return {}
        found = {}
        for question, answers in _QUESTIONS.items():
            asked = [key for key in answers if key in keys]
            if not asked:
                continue
            text = self._call("-" + question, "-g")
            found.update({key: _first(_ANSWERS[key].search(text)) for key in asked})
        return found

    def set(self, before: dict, wanted: dict) -> None:
        """Set what differs, and read it back. Raises Failure where it is refused, or reads otherwise."""
        changed = {key for key in KEYS if wanted.get(key) and wanted[key] != before.get(key)}
        if changed & {"address", "netmask"}:
            self._call("-ip", "-s", "address", wanted["address"], "netmask", wanted["netmask"])
            # The tool drops the routes of the old address.
            changed |= {key for key in ("gateway",) if wanted.get(key)}
        if "gateway" in changed:
            self._call("-gateway", "-s", "gateway", wanted["gateway"])
        if "netdetect" in changed:
            self._call("-netdetect", "-s", "address", wanted["netdetect"])
        if "tls" in changed:
            self._call("-tls", "-s", "enable", wanted["tls"])
        now = self.settings(changed)
        wrong = sorted(key for key in changed if now.get(key) != wanted[key])
        if wrong:
            words = ", ".join(
                "{0} {1} instead of {2}".format(key, now.get(key) or "none", wanted[key]) for key in wrong
            )
            raise Failure(
                "hccn-read-back",
                "NPU {0} has {1} after it was set".format(self.device, words),
                "see /var/log/hccn_tool",
            )

    def _call(self, *argv: str) -> str:
        answer = self.tools.run(self.program, "-i", self.device, *argv, seconds=60)
        if argv[-1] == "-g" and _NOT_SET.search(answer.text) and not _REFUSED.search(answer.text):
            return ""
        if answer.rc or _REFUSED.search(answer.text):
            words = "hccn_tool -i {0} {1}: {2}".format(self.device, " ".join(argv), answer.last)
            raise Failure("hccn-tool", words, "see /var/log/hccn_tool")
        return answer.text


def text_of(settings: dict) -> str:
    """The text of a port."""
    return " ".join("{0} {1}".format(key, settings[key]) for key in KEYS if settings.get(key))


def settings_of(text: str) -> dict:
    """What the text of a port says."""
    words = text.split()
    return dict(zip(words[::2], words[1::2]))


def with_setting(text: str, name: str, value) -> str:
    """The file with this setting, where it stood or at the end; None takes it out."""
    line = re.compile(r"(?m)^\s*{0}\s*=.*(?:\n|$)".format(name))
    if value is None:
        return line.sub("", text)
    if line.search(text):
        return line.sub("{0}={1}\n".format(name, value), text, count=1)
    return text + ("" if text.endswith("\n") or not text else "\n") + "{0}={1}\n".format(name, value)


def check(ports: list, others: list, several_subnets: bool) -> None:
    """Refuse addresses that cannot work together. `others`: those of the other hosts. Raises Failure."""
    for port in ports:
        _check_port(port)
    _check_once("NPU", [str(port["device"]) for port in ports])
    addresses = [port["address"] for port in ports]
    _check_once("address", addresses)
    taken = sorted(set(addresses) & set(others))
    if taken:
        raise Failure(
            "address-twice", "{0} is given to another host too".format(", ".join(taken)), "every address once"
        )
    subnets = {str(_interface(port).network) for port in ports}
    if len(subnets) > 1 and not several_subnets and not all(port.get("gateway") for port in ports):
        words = "the ports are in several subnets ({0}), and not all have a gateway".format(", ".join(sorted(subnets)))
        raise Failure("several-subnets", words, "give gateways, or set several_subnets for servers that are built so")
    if len({port.get("tls") for port in ports}) > 1:
        raise Failure("tls-mixed", "TLS differs between the ports", "HCCL wants one switch for all of a job")


def _check_port(port: dict) -> None:
    name = "NPU {0}".format(port["device"])
    for key in ("address", "netmask", "gateway", "netdetect"):
        _check_ipv4(name, key, port.get(key) or "", key in ("address", "netmask"))
    try:
        interface = _interface(port)
    except ValueError as error:
        raise Failure("bad-address", "{0}: {1}".format(name, error), "mend it in the inventory") from error
    network = interface.network
    if network.prefixlen < 31 and interface.ip in (network.network_address, network.broadcast_address):
        raise Failure(
            "bad-address", "{0}: {1} is no address of a port in {2}".format(name, interface.ip, network), "take another"
        )
    gateway = port.get("gateway")
    if gateway and ipaddress.ip_address(gateway) not in network:
        raise Failure(
            "bad-gateway", "{0}: gateway {1} is not in {2}".format(name, gateway, network), "take one in its subnet"
        )
    if gateway == port["address"]:
        raise Failure("bad-gateway", "{0}: gateway {1} is its own address".format(name, gateway), "take the router's")


def _check_ipv4(name: str, key: str, text: str, needed: bool) -> None:
    if not text and not needed:
        return
    try:
        version = ipaddress.ip_address(text).version
    except ValueError as error:
        raise Failure(
            "bad-address", "{0}: {1} {2!r} is no address".format(name, key, text), "mend it in the inventory"
        ) from error
    if version != 4:
        raise Failure(
            "bad-address", "{0}: {1} {2} is IPv6".format(name, key, text), "use IPv4, or set it with hccn_tool by hand"
        )


def _check_once(what: str, given: list) -> None:
    twice = sorted({each for each in given if given.count(each) > 1})
    if twice:
        raise Failure("address-twice", "{0} {1} is given twice".format(what, ", ".join(twice)), "every one once")


def _interface(port: dict):
    return ipaddress.IPv4Interface("{0}/{1}".format(port["address"], port["netmask"]))


def _first(match) -> str:
    return match.group(1) if match else ""
