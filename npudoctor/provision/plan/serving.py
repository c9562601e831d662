"""The container that serves a model: what the inventory says of it, against the one that a host has.

The container carries all that it was made from as a label, so that no step is needed to know it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.fact import Fact, ParseError
from npudoctor.provision.image import image_name
from npudoctor.provision.plan.difference import CONFIGURE, INSTALL, UPGRADE, Difference, same, unreadable
from npudoctor.provision.planned import Change
from npudoctor.provision.playbooks import role_defaults
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.host import Host
    from npudoctor.matrix.stacks import NamedStack

SERVING = "serving"
SETTINGS = (
    "ascend_runtime", "capabilities", "command", "environment", "environment_file", "host_network", "image",
    "log_files", "log_size", "model", "model_target", "port", "restart_policy", "shm_size", "stack_kb",
    "user", "volumes",
)  # fmt: skip
"""What makes a container what it is, beside its NPUs and the driver's files."""
_HARDWARE = ("devices", "mounts")
_ASK = ("serving_model", "serving_image")
"""Variables of which one asks for a service."""


@dataclass(frozen=True, slots=True)
class Container:
    """One that npudoctor made.

    Attributes:
        image: By the name that it was made from.
        state: Docker's word: `running`, `exited`, …
        health: Likewise: `starting`, `healthy`, `unhealthy`; empty where the image has no such check.
        spec: All that it was made from.
    """

    name: str
    image: str
    state: str
    health: str
    spec: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Served:
    """What a host has for a service.

    Attributes:
        containers: Absent where there is no engine; so too `images`.
        images: Names of all that it has.
        npus: Numbers of the NPUs' nodes.
        driver: Files of the driver that go into a container, those that are there.
    """

    containers: Fact[tuple[Container, ...]]
    images: Fact[frozenset[str]]
    npus: Fact[tuple[int, ...]]
    driver: Fact[tuple[str, ...]]

    def has_image(self, name: str) -> bool | None:
        """Whether the image is there; None where it cannot be known: no answer, or a name by its digest."""
        if self.images.absent:
            return False
        named = name if ":" in name.rpartition("/")[2] else f"{name}:latest"
        return None if "@" in name or not self.images.known else named in self.images.value


def read_served(host: Host) -> Served:
    """Read it out of a host."""
    snapshot, nodes = host.snapshot, host.npus.nodes
    return Served(
        containers=_containers(snapshot),
        images=snapshot.command("docker images names").map(lambda text: frozenset(text.split())),
        npus=nodes.map(lambda found: tuple(sorted(one.number for one in found if one.number is not None))),
        driver=snapshot.command("ls driver for containers").map(lambda text: tuple(text.split())),
    )


def _containers(snapshot: Snapshot) -> Fact[tuple[Container, ...]]:
    entry = snapshot.command("docker inspect served")
    return entry.map(lambda text: tuple(_container(line) for line in text.splitlines() if line))


def _container(line: str) -> Container:
    try:
        row = json.loads(line)
        spec = json.loads(row["spec"] or "{}")
    except (ValueError, KeyError, TypeError):
        raise ParseError(N_("no JSON")) from None
    return Container(row["name"].lstrip("/"), row["image"], row["state"], row["health"], spec)


# --- what is wanted


def is_asked(inventory: str) -> bool:
    """Whether the inventory asks for a service. `inventory`: `Target.serving`."""
    return any(json.loads(inventory or "{}").get(name) for name in _ASK)


def image_of(inventory: str, stack: NamedStack) -> str:
    """The image: as the inventory says, or that of the stack, or that which `provision image` builds."""
    given = str(_variables(inventory).get("image") or "")
    return given or stack.versions.get("image") or image_name(stack)


def ready_seconds(inventory: str) -> float:
    """How long the service may take until it answers."""
    return float(_variables(inventory)["ready_seconds"])


def _variables(inventory: str) -> dict[str, Any]:
    """By name without the prefix; those of the role stand in for what the inventory leaves open."""
    given = {name.removeprefix("serving_"): value for name, value in json.loads(inventory or "{}").items()}
    lists = {
        name: value.split(",")
        for name, value in given.items()
        if isinstance(value, str) and isinstance(_defaults().get(name), list)
    }
    return {**_defaults(), **given, **lists}


@cache
def _defaults() -> dict[str, Any]:
    """Those that no template makes."""
    found = role_defaults(SERVING)
    return {name.removeprefix("serving_"): value for name, value in found.items() if "{{" not in f"{value}"}


def wanted_spec(inventory: str, stack: NamedStack) -> dict[str, Any]:
    """What the container is to be made from, with what the memory plan adds."""
    given = {**_variables(inventory), "image": image_of(inventory, stack)}
    given |= _with_memory(given["command"], given["environment"], _plan(str(given["memory_plan"])))
    return {name: _plain(given[name], _defaults().get(name, "")) for name in SETTINGS}


def _plan(file: str) -> dict[str, Any]:
    """A memory plan by the path of its file; empty where none is named."""
    try:
        found: dict[str, Any] = json.loads(Path(file).read_text(encoding="utf-8")) if file else {}
    except (OSError, ValueError) as error:
        what = f"serving_memory_plan {file}: {getattr(error, 'strerror', None) or _('no JSON')}"
        raise UsageError(what, "npudoctor accept memory --format json --output FILE") from None
    return found


def _with_memory(
    command: list[str], environment: Mapping[str, str], plan: Mapping[str, Any]
) -> dict[str, Any]:
    """As the module does it: vLLM has options, everything else variables; what is given by hand stays."""
    if list(command[:1]) != ["vllm"]:
        return {"environment": {**plan.get("environment", {}), **environment}}
    given = {word.partition("=")[0] for word in command}
    options = {
        "--" + name.replace("_", "-"): str(value) for name, value in sorted(plan.get("vllm", {}).items())
    }
    more = [word for name, value in options.items() if name not in given for word in (name, value)]
    return {"command": [*command, *more]}


def _plain(value: Any, like: Any) -> Any:
    """A value as Ansible gives it to the module, by its words: `"8000"` and 8000 are the same."""
    if isinstance(like, bool):
        return str(value).lower() in ("true", "yes", "on", "1", "y", "t")
    if isinstance(value, dict):
        return {str(name): str(each) for name, each in value.items()}
    return [str(each) for each in value] if isinstance(value, list) else str(value)


# --- what differs


def serving_difference(inventory: str, served: Served, stack: NamedStack, *, asked: bool) -> Difference:
    """What differs from the service that is wanted; the same where none is.

    Args:
        inventory: `Target.serving`.
        served: What the host has.
        stack: Whose image it is, where the inventory names none.
        asked: Whether the call itself names the component.
    """
    if not asked and not is_asked(inventory):
        return same("")
    image = image_of(inventory, stack)
    if missing := unreadable(SERVING, image, served.containers):
        return missing
    found = _found(inventory, served)
    if found is None:
        return Difference(INSTALL, "", (Change(SERVING, "", image, _("a service is wanted")),))
    changes = tuple(_changes(found, inventory, served, stack))
    if not changes and found.state == "running" and found.health != "unhealthy":
        return same(found.image)
    why = _("it has other settings") if changes else _("it does not serve: {state}")
    whole = Change(SERVING, found.image, image, why.format(state=found.health or found.state))
    return Difference(CONFIGURE if image == found.image else UPGRADE, found.image, (whole, *changes))


def is_back(changes: Iterable[Change], inventory: str, served: Served) -> bool:
    """Whether all that a step was to change is as it was, whatever the inventory wants by now."""
    if not (served.containers.known or served.containers.absent):
        return False
    found = _found(inventory, served)
    return all(_now(found, change.what) == change.before for change in changes)


def _now(found: Container | None, what: str) -> str:
    """The value of what a change is about, in the words of a change."""
    if found is None:
        return ""
    return found.image if what == SERVING else _shown(_setting(found, what.removeprefix(f"{SERVING}.")))


def _found(inventory: str, served: Served) -> Container | None:
    name = _variables(inventory)["name"]
    return next((one for one in served.containers.or_none() or () if one.name == name), None)


def _setting(found: Container, name: str) -> Any:
    if name in _HARDWARE:
        return found.spec.get(name, [])
    return _plain(found.spec.get(name, ""), _defaults().get(name, ""))


def _changes(found: Container, inventory: str, served: Served, stack: NamedStack) -> Iterator[Change]:
    wanted = wanted_spec(inventory, stack)
    for name, value in wanted.items():
        before = _setting(found, name)
        if before != value:
            yield Change(f"serving.{name}", _shown(before), _shown(value), _("the service is to have it"))
    yield from _hardware(found, inventory, served, by_runtime=wanted["ascend_runtime"])


def _hardware(found: Container, inventory: str, served: Served, *, by_runtime: bool) -> Iterator[Change]:
    """NPUs and the driver's files, as far as they can be read."""
    chosen = sorted(int(npu) for npu in _variables(inventory)["devices"])
    npus = chosen or list(served.npus.or_none() or ())
    files = [] if by_runtime else list(served.driver.or_none() or ())
    values = zip(_HARDWARE, (npus, files), (served.npus.known, served.driver.known), strict=True)
    for name, value, known in values:
        before = _setting(found, name)
        if known and before != value:
            yield Change(f"serving.{name}", _shown(before), _shown(value), _("the host has others"))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
