"""One chip: what the image, the resource, the node, `SOC_VERSION` and packages say has to be the same."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.finding import Status
from npudoctor.gate.rules.registry import Subject, Trouble, gate_check
from npudoctor.gate.rules.verdicts import trouble
from npudoctor.matrix.chips import FAMILIES, family_of_name, family_of_package
from npudoctor.regex import regex
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.unit import Unit, Where

_910 = frozenset(("910", "910B", "A3"))
_RESOURCES = (
    (regex(r"huawei\.com/Ascend910(?:-.*)?", re.IGNORECASE), _910),
    (regex(r"huawei\.com/Ascend310P(?:-.*)?", re.IGNORECASE), frozenset(("310P",))),
    (regex(r"huawei\.com/Ascend310", re.IGNORECASE), frozenset(("310", "310B"))),
    (regex(r"huawei\.com/Ascend310B", re.IGNORECASE), frozenset(("310B",))),
    (regex(r"huawei\.com/Ascend910A(?:-.*)?", re.IGNORECASE), frozenset(("910",))),
    (regex(r"huawei\.com/Ascend910B\d?(?:-.*)?", re.IGNORECASE), frozenset(("910B",))),
    (regex(r"huawei\.com/Ascend910C(?:-.*)?", re.IGNORECASE), frozenset(("A3",))),
)
_NODES = {
    "accelerator": (
        (regex(r"huawei-Ascend910"), _910),
        (regex(r"huawei-Ascend310P"), frozenset(("310P",))),
        (regex(r"huawei-Ascend310"), frozenset(("310", "310B"))),
        (regex(r"huawei-npu|huawei-Ascend950"), frozenset(("950",))),
    ),
    "accelerator-type": (
        (regex(r"(?:module|card)-910b-.*"), frozenset(("910B",))),
        (regex(r"module-a3-.*"), frozenset(("A3",))),
        (regex(r".*950.*|.*850.*"), frozenset(("950",))),
    ),
    "servertype": ((regex(r"Ascend310P.*"), frozenset(("310P",))),),
}
_OPERATORS = regex(
    r"ascend-cann-([a-z0-9]+)-ops|Ascend-cann-kernels-([A-Za-z0-9]+)_.*|Ascend-cann-(\w+?)-ops_.*"
)


@dataclass(frozen=True, slots=True)
class Word:
    """What one line says of the chip: families that it may be, and the words for a person."""

    families: frozenset[str]
    words: str
    where: Where
    kind: str


@gate_check(
    "container.chip",
    title=N_("Image, resource and node are for the same chip"),
    sources=(
        "github.com/vllm-project/vllm-ascend docs/source/installation.md",
        "github.com/Ascend/mind-cluster docs: full NPU scheduling",
        "quay.io/ascend/cann: list of tags",
    ),
    dated="2026-08",
)
def chip(subject: Subject) -> Iterator[Trouble]:
    """Images, operator packages and SOC_VERSION are built for one chip, and hold no operators for another.

    An image ends in -310p, -a3 or -910b, or in nothing, which is 910B; a pod asks for huawei.com/Ascend310P,
    huawei.com/Ascend910 (910, A2 and A3) or huawei.com/npu (950); a node is picked by its labels. Where two
    of them exclude each other, the pod waits for ever, or operators are not found. (Tags of the images,
    scheduling guide of MindCluster, installation page of vllm-ascend; 2026-08.)
    """
    words = list(_said(subject))
    for one, other in combinations(words, 2):
        if not one.families & other.families and one.kind != other.kind:
            actual = _("{name}: {one}, but {other}").format(
                name=subject.unit.name, one=one.words, other=other.words
            )
            yield trouble(
                "container.chip", Status.FAIL, [one.where, other.where], actual,
                expected=_("one chip"), summary=_("Take the image, the resource and the node of one chip."),
            )  # fmt: skip
            return


def _said(subject: Subject) -> Iterator[Word]:
    unit, image = subject.unit, subject.stack.image
    if image is not None and image.family and unit.image:
        words = _("the image is for {chip}").format(chip=image.family)
        yield Word(frozenset((image.family,)), words, unit.image.where, "image")
    yield from _of_pod(unit)
    soc = unit.environment.get("SOC_VERSION")
    if soc is not None and soc.known and (family := _family(soc.text)):
        yield Word(frozenset((family,)), f"SOC_VERSION={soc.text}", soc.where, "soc")
    yield from _of_packages(unit)
    chip = subject.target.values.get("chip")
    if chip is not None and (family := _family(chip.text)):
        words = _("{file} says {chip}").format(file=chip.where.path, chip=chip.text)
        yield Word(frozenset((family,)), words, chip.where, "target")


def _of_pod(unit: Unit) -> Iterator[Word]:
    for one in unit.resources:
        families = next((found for pattern, found in _RESOURCES if pattern.fullmatch(one.name)), None)
        if families:
            yield Word(families, _("it asks for {resource}").format(resource=one.name), one.where, "resource")
    for name, patterns in _NODES.items():
        value = unit.node_selector.get(name)
        text = value.text if value and value.known else ""
        families = next((found for pattern, found in patterns if pattern.fullmatch(text)), None)
        if families and value:
            yield Word(
                families, _("the node is {label}").format(label=f"{name}: {text}"), value.where, "node"
            )


def _of_packages(unit: Unit) -> Iterator[Word]:
    named = [(one.name, one.where) for one in unit.requirements]
    named += [
        (word.rpartition("/")[2], command.place(index))
        for command in unit.commands
        if command.sure
        for index, word in enumerate(command.words)
        if word.endswith(".run")
    ]
    for name, where in named:
        match = _OPERATORS.fullmatch(name)
        family = family_of_package(match[1] or match[2] or match[3]) if match else None
        if family:
            yield Word(frozenset((family,)), name, where, "package")


def _family(text: str) -> str | None:
    if text in FAMILIES:
        return text
    return family_of_name(text) or (family_of_package(text) if text == text.lower() else None)
