"""Kubernetes: names and amounts of the resources that stand for NPUs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.finding import Status
from npudoctor.gate.rules.registry import Subject, Trouble, gate_check
from npudoctor.gate.rules.verdicts import replaced, trouble
from npudoctor.regex import regex
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.finding import Edit
    from npudoctor.gate.unit import Resource, Unit

_PREFIX = "huawei.com/"
_KNOWN = (
    "Ascend910", "Ascend310P", "Ascend310", "Ascend310B", "npu", "npu-core",
    "Ascend910-2c", "Ascend910-4c", "Ascend910-8c", "Ascend910-16c", "Ascend910-6c.1cpu.16g",
    "Ascend910-12c.3cpu.32g", "Ascend910-5c.1cpu.8g", "Ascend910-5c.1cpu.16g", "Ascend910-10c.3cpu.16g",
    "Ascend910-10c.3cpu.16g.dvpp", "Ascend910-10c.3cpu.16g.ndvpp", "Ascend910-10c.4cpu.16g.m",
    "Ascend910-10c.3cpu.32g", "Ascend910-3c.0.5cpu.8g",
    "Ascend310P-1c", "Ascend310P-2c", "Ascend310P-4c", "Ascend310P-2c.1cpu", "Ascend310P-4c.3cpu",
    "Ascend310P-4c.3cpu.ndvpp", "Ascend310P-4c.4cpu.dvpp", "Ascend310P-V", "Ascend310P-VPro",
    "Ascend310P-IPro", "Ascend910A", "Ascend910B", "Ascend910B2", "Ascend910B3", "Ascend910B4",
    "Ascend910B4-1", "Ascend910C",
)  # fmt: skip
"""Names that the device plugins of MindCluster and HAMi register."""
_HAMI = regex(r"Ascend(?:910A|910B\d?(?:-1)?|910C|310P|950\w*)-(?:memory|core)")
_ANNOTATION = regex(
    r"(?:Ascend\w+|npu)-(?:Fault|Unhealthy|NetworkUnhealthy|Recovering|fault|unhealthy)|AscendReal|kltDev",
    re.IGNORECASE,
)
_VIRTUAL = regex(r"Ascend(?:910|310P)-\d+c.*")
_NUMBER = regex(r"\d+")
_NODE_SIZE = regex(r"module-(?:910b|a3)-(8|16)(?:-super-pod)?")
_WHOLE = ("huawei.com/Ascend910", "huawei.com/npu")
"""Resources that are one NPU (of A3: one die) each."""
_PLUGIN = "github.com/Ascend/mind-cluster component/ascend-device-plugin"
_HAMI_PLUGIN = "github.com/Project-HAMi/ascend-device-plugin ascend-device-configmap.yaml"


@gate_check(
    "container.resource_names",
    title=N_("Resources of pods are those that the device plugin registers"),
    sources=(_PLUGIN, _HAMI_PLUGIN),
    dated="2026-08",
)
def resource_names(subject: Subject) -> Iterator[Trouble]:
    """A pod that asks for a resource which no plugin registers stays Pending, without an error.

    Names are compared letter by letter: huawei.com/Ascend910 (910, A2 and A3 alike), huawei.com/Ascend310P,
    huawei.com/Ascend310, huawei.com/npu (950, and everywhere in newer releases), the virtual NPUs of their
    templates (Ascend910-8c, Ascend310P-4c), and those of HAMi (Ascend910B3, with -memory and -core). Names
    that end in -Fault or -Unhealthy are annotations of nodes. (MindCluster and HAMi, 2026-08.)
    """
    for one in subject.unit.resources:
        if one.name.lower().startswith(_PREFIX) and "$" not in one.name and "{" not in one.name:
            yield from _name(subject.unit, one)


def _name(unit: Unit, one: Resource) -> Iterator[Trouble]:
    bare = one.name[len(_PREFIX) :]
    if (one.name.startswith(_PREFIX) and bare in _KNOWN) or _HAMI.fullmatch(bare):
        return
    right = next((name for name in _KNOWN if name.lower() == bare.lower()), "")
    status, expected = Status.WARN, ""
    if right:
        status, expected = Status.FAIL, _PREFIX + right
        words = _("{name} is registered by nobody: letters count, it is {right}").format(
            name=one.name, right=expected
        )
    elif _ANNOTATION.fullmatch(bare):
        status = Status.FAIL
        words = _("{name} is an annotation, not a resource").format(name=one.name)
    elif _VIRTUAL.fullmatch(bare):
        status = Status.FAIL
        words = _("there is no template of virtual NPUs for {name}").format(name=one.name)
    else:
        words = _("{name} is no resource of the device plugins of MindCluster and HAMi").format(name=one.name)
    yield trouble(
        "container.resource_names", status, [one.where, unit.where], words, expected=expected,
        summary=_("Ask for a resource that the device plugin registers."),
        edits=replaced(one.where, one.name, expected) if expected else (),
    )  # fmt: skip


@gate_check(
    "container.resource_amounts",
    title=N_("Amounts of NPUs are whole, and limits and requests are the same"),
    sources=("kubernetes.io: extended resources cannot be overcommitted", _PLUGIN),
    dated="2026-08",
)
def resource_amounts(subject: Subject) -> Iterator[Trouble]:
    """Extended resources cannot be overcommitted: a pod whose request is not its limit is refused.

    A request without a limit is refused too; a limit without a request is fine, the request is then the same.
    Amounts are whole numbers. A pod is on one node: one that asks for 16 NPUs of a node with 8
    (`accelerator-type: module-910b-8`) stays Pending. (Kubernetes, MindCluster: scheduling; 2026-08.)
    """
    for one in subject.unit.resources:
        if one.name.lower().startswith(_PREFIX):
            yield from _amount(subject.unit, one)
            yield from _more_than_a_node(subject.unit, one)


def _amount(unit: Unit, one: Resource) -> Iterator[Trouble]:
    limit, request = one.limit, one.request
    if (limit and not limit.known) or (request and not request.known):
        return
    numbers = [each.text.strip("\"'") for each in (limit, request) if each]
    summary = _("Write the same whole number as limit and as request.")
    if limit is None and request is not None and not unit.open:
        words = _("{name} is requested without a limit").format(name=one.name)
    elif not all(_NUMBER.fullmatch(number) for number in numbers):
        words = _("{name}: {amount} is no whole number").format(name=one.name, amount=", ".join(numbers))
    elif len(set(numbers)) > 1:
        words = _("{name}: limit {limit}, request {request}").format(
            name=one.name, limit=numbers[0], request=numbers[1]
        )
    else:
        return
    lines = [each.where for each in (limit, request) if each]
    yield trouble(
        "container.resource_amounts", Status.FAIL, [*lines, unit.where], words, summary=summary,
        edits=_as_limit(one),
    )  # fmt: skip


def _as_limit(one: Resource) -> tuple[Edit, ...]:
    """The request with the amount of the limit, where that is a number and the request stands once."""
    limit, request = one.limit, one.request
    if not limit or not request or not _NUMBER.fullmatch(limit.text):
        return ()
    before, after = f"{one.name}: {request.text}", f"{one.name}: {limit.text}"
    return replaced(request.where, before, after) if request.where.text.count(before) == 1 else ()


def _more_than_a_node(unit: Unit, one: Resource) -> Iterator[Trouble]:
    """More NPUs than the nodes have that the pod's labels pick: `module-910b-8`, `module-a3-16`."""
    label, asked = unit.node_selector.get("accelerator-type"), one.limit or one.request
    size = _NODE_SIZE.fullmatch(label.text) if label and label.known else None
    if not (label and size and asked and asked.known) or one.name not in _WHOLE:
        return
    number = _NUMBER.fullmatch(asked.text.strip("\"'"))
    if number and int(number[0]) > int(size[1]):
        words = _("{name}: {count} asked for, and a node of {label} has {size}").format(
            name=one.name, count=number[0], label=label.text, size=size[1]
        )
        lines = [asked.where, label.where, unit.where]
        yield trouble("container.resource_amounts", Status.FAIL, lines, words,
                      expected=_("at most {count}").format(count=size[1]),
                      summary=_("Spread the work over several pods."))  # fmt: skip
