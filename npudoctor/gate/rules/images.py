"""Images whose name does not say what is inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.finding import Status
from npudoctor.gate.rules.registry import Subject, Trouble, gate_check
from npudoctor.gate.rules.verdicts import trouble
from npudoctor.gate.scope import asks_for_npu, is_container
from npudoctor.gate.unit import Kind
from npudoctor.regex import regex
from npudoctor.words import N_, _

_ON_CANN = {"torch_npu", "vllm_ascend", "mindspore", "triton_ascend"}
_WITHOUT_CANN = regex(
    r"(?:^|/)(?:ubuntu|debian|openeuler|centos|alpine|busybox|python|golang|[\w-]*exporter|[\w-]*deviceplugin"
    r"|[\w-]*device-plugin|noded|gpustack)(?:[:@\uff1a]|$)|/openeuler/"
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@gate_check(
    "container.image_known",
    title=N_("The image says which CANN it holds"),
    sources=("quay.io/ascend: lists of tags", "MindIE installation guide"),
    dated="2026-11",
)
def image_known(subject: Subject) -> Iterator[Trouble]:
    """Versions can only be compared where the image names them: by its tag, or by a Dockerfile beside it.

    A private image, a digest, `latest`, `main` and a tag out of a variable say nothing: what goes with it is
    unknown, which is no fault. (Tags of quay.io/ascend, November 2026.)
    """
    unit, image = subject.unit, subject.stack.image
    if unit.image is None or not (is_container(unit) or unit.kind is Kind.BUILD):
        return
    if not _would_be_compared(subject):
        return
    if not unit.image.known:
        actual = _("{image}: {names} is not set in these files").format(
            image=unit.image.text, names=unit.image.open_names
        )
        yield trouble("container.image_known", Status.UNKNOWN, [unit.image.where], actual)
    elif image is not None and image.grammar is None and not subject.stack.values.keys() & {"cann", "mindie"}:
        actual = _("{image} does not say which CANN it holds").format(image=unit.image.text)
        yield trouble("container.image_known", Status.UNKNOWN, [unit.image.where], actual)


def _would_be_compared(subject: Subject) -> bool:
    """Whether the CANN of the image matters: a system, a plugin or an exporter has none."""
    unit = subject.unit
    if unit.image is not None and _WITHOUT_CANN.search(unit.image.text):
        return False
    return asks_for_npu(unit) or bool(subject.stack.values.keys() & _ON_CANN)
