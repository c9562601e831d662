"""Who gives work to a host, and takes it off it: nobody, Slurm, or Kubernetes.

A host that somebody else took out of service before us stays out of service: what we do carries our name.
Nothing here waits until the work has ended: whoever waits looks again, and asks again.
Sources: scontrol(1) of Slurm 24.05 (node states, `Reason`), `kubectl cordon` and `drain` of Kubernetes 1.31
(which pods it leaves, what it says when its time is over), both read 2026-11.
"""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from typing import Any, Protocol

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.provision.effects.protocol import StepFailed
from npudoctor.regex import regex
from npudoctor.words import _

_SECONDS = 60
_EVICT_SECONDS = 15
"""That `kubectl drain` is given each time: pods that end later do so all the same, for they were told to."""
_SHOW = ("scontrol", "--oneliner", "show", "node")
_NODE = regex(r"\bNodeName=(\S+)")
_STATE = regex(r"\bState=(\S+)")
_AT_WORK = ("ALLOCATED", "MIXED", "COMPLETING")
_MARK = "npudoctor.io/run"
_UNDER_WAY = regex(r"timeout reached|did not complete within")
_ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class Service:
    """How a host is given work.

    Attributes:
        drained: Whether it is given none.
        idle: Whether what it was given has ended.
        ours: Whether we took it out of service, in this run or an earlier one.
    """

    drained: bool
    idle: bool = True
    ours: bool = False


class Drain(Protocol):
    """One way to take work off a host; `host` is its name in the inventory."""

    def state(self, host: str) -> Service:
        """How it is."""

    def out(self) -> frozenset[str]:
        """All hosts that are given no work now, for whatever reason."""

    def drain(self, host: str, run: str) -> None:
        """Let it be given no more work."""

    def urge(self, host: str) -> None:
        """Ask again for what was refused for now, of a host that we took out of service."""

    def give_back(self, host: str) -> None:
        """Let it be given work again."""


class Nobody:
    """No scheduler: whoever calls sees to it that nothing is begun there."""

    def state(self, host: str) -> Service:  # noqa: ARG002 (as the others)
        """Out of service as far as we know, and not ours to change."""
        return Service(drained=True)

    def out(self) -> frozenset[str]:
        """Nobody says."""
        return frozenset()

    def drain(self, host: str, run: str) -> None:
        """Nothing to do."""

    def urge(self, host: str) -> None:
        """Nothing to do."""

    def give_back(self, host: str) -> None:
        """Nothing to do."""


class Slurm:
    """`scontrol`, on this machine."""

    def state(self, host: str) -> Service:
        """As `scontrol show node` says."""
        text = _said(*_SHOW, host)
        match = _STATE.search(text)
        if match is None:
            raise StepFailed("drain", _("Slurm does not say the state of {host}").format(host=host))
        states = _states(match[1])
        busy = any(state.startswith(_AT_WORK) for state in states)
        ours = text.partition("Reason=")[2].startswith("npudoctor ")
        return Service(any(state.startswith("DRAIN") for state in states), not busy, ours)

    def out(self) -> frozenset[str]:
        """Those that are drained, down or failed."""
        rows = ((_NODE.search(line), _STATE.search(line)) for line in _said(*_SHOW).splitlines())
        return frozenset(
            name[1] for name, state in rows if name and state and any(map(_is_out, _states(state[1])))
        )

    def drain(self, host: str, run: str) -> None:
        """With our name as the reason."""
        _said("scontrol", "update", f"NodeName={host}", "State=DRAIN", f"Reason=npudoctor {run}")

    def urge(self, host: str) -> None:
        """Its work ends by itself."""

    def give_back(self, host: str) -> None:
        """Only what carries our name."""
        service = self.state(host)
        if service.drained and service.ours:
            _said("scontrol", "update", f"NodeName={host}", "State=RESUME")


class Kubernetes:
    """`kubectl`, with the context of this user."""

    def state(self, host: str) -> Service:
        """As the node object says; where the cordon is ours, its pods must have gone too."""
        node = self._node(host)
        ours, drained = (
            _MARK in node["metadata"].get("annotations", {}),
            bool(node["spec"].get("unschedulable")),
        )
        return Service(drained, idle=not (ours and drained and self._pods(host)), ours=ours)

    def out(self) -> frozenset[str]:
        """Those that are cordoned, or not ready."""
        nodes = json.loads(_said("kubectl", "get", "nodes", "-o", "json"))["items"]
        return frozenset(
            node["metadata"]["name"]
            for node in nodes
            if node["spec"].get("unschedulable") or not _is_ready(node)
        )

    def drain(self, host: str, run: str) -> None:
        """Our mark first, so that a cordon without it is never taken for ours."""
        if not self.state(host).drained:
            _said("kubectl", "annotate", "--overwrite", "node", host, f"{_MARK}={run}")
            _said("kubectl", "cordon", host)
        _evict(host)

    def urge(self, host: str) -> None:
        """A budget may have refused an eviction until now; why it cannot be was told the first time."""
        with suppress(StepFailed):
            _evict(host)

    def give_back(self, host: str) -> None:
        """Only what carries our mark."""
        if self.state(host).ours:
            _said("kubectl", "uncordon", host)
            _said("kubectl", "annotate", "node", host, f"{_MARK}-")

    def _pods(self, host: str) -> bool:
        """Whether there are pods that `kubectl drain` has to end."""
        chosen = ("--all-namespaces", f"--field-selector=spec.nodeName={host}")
        return any(
            map(_is_to_go, json.loads(_said("kubectl", "get", "pods", *chosen, "-o", "json"))["items"])
        )

    def _node(self, host: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(_said("kubectl", "get", "node", host, "-o", "json"))
        return found


def _states(text: str) -> list[str]:
    """Slurm's states of a node, without the signs that follow them."""
    return text.rstrip("*~#!%$@^-").split("+")


def _is_out(state: str) -> bool:
    return state.startswith(("DRAIN", "DOWN", "FAIL"))


def _is_ready(node: dict[str, Any]) -> bool:
    conditions = node.get("status", {}).get("conditions", [])
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _is_to_go(pod: dict[str, Any]) -> bool:
    """All but those of daemon sets, of the node itself, and those that have ended."""
    about = pod["metadata"]
    stays = any(owner["kind"] == "DaemonSet" for owner in about.get("ownerReferences", []))
    mirror = "kubernetes.io/config.mirror" in about.get("annotations", {})
    return not (stays or mirror or pod.get("status", {}).get("phase") in _ENDED)


def _evict(host: str) -> None:
    """Tell its pods to end. What takes longer than this waits is no failure."""
    options = ("--ignore-daemonsets", "--delete-emptydir-data", f"--timeout={_EVICT_SECONDS}s")
    try:
        _said("kubectl", "drain", host, *options, seconds=_EVICT_SECONDS + _SECONDS)
    except StepFailed as error:
        if not _UNDER_WAY.search(str(error)):
            raise


DRAINS: dict[str, type[Drain]] = {"none": Nobody, "slurm": Slurm, "kubernetes": Kubernetes}


def _said(*command: str, seconds: float = _SECONDS) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except FileNotFoundError:
        what = _("{program} is not on this machine").format(program=command[0])
        raise UsageError(what, _("install it, or give --drain none")) from None
    except subprocess.TimeoutExpired:
        raise StepFailed("drain", _("{program} gave no answer in time").format(program=command[0])) from None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise StepFailed("drain", f"{command[0]}: {''.join(said)}")
    return done.stdout
