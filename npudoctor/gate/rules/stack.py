"""What is deployed is to be of a named stack of the matrix: asked with `--stack` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.errors import UsageError
from npudoctor.finding import Status
from npudoctor.gate.rules.registry import Subject, Trouble, rule
from npudoctor.gate.rules.verdicts import trouble
from npudoctor.matrix.stacks import same_version
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.facts import Value
    from npudoctor.matrix.stacks import NamedStack

CHECKS = {
    "driver.of_stack": ("driver",),
    "firmware.of_stack": ("firmware",),
    "cann.of_stack": ("cann",),
    "torch.of_stack": ("torch", "torch_npu"),
    "serving.of_stack": ("vllm_ascend", "vllm", "triton_ascend", "mindie"),
}


@rule(*CHECKS)
def versions(subject: Subject) -> Iterator[Trouble]:
    """Every version that a line names, and that the stack names too."""
    wanted = subject.matrix.wanted
    if wanted is None:
        return
    for id, keys in CHECKS.items():
        for key in keys:
            value = subject.stack.values.get(key)
            if value is not None and not _is_right(wanted, key, value):
                yield _trouble(id, wanted, key, value)


@rule("npu.of_stack")
def chip(subject: Subject) -> Iterator[Trouble]:
    """The chip that an image is made for."""
    wanted, image = subject.matrix.wanted, subject.stack.image
    value = next((one for one in subject.stack.values.values() if one.origin == "image"), None)
    if wanted is None or image is None or value is None or image.family in (None, wanted.chip):
        return
    expected = _("{version} (stack {stack})").format(version=wanted.chip, stack=wanted.name)
    summary = _("Take the image for {chip}.").format(chip=wanted.chip)
    yield trouble(
        "npu.of_stack", Status.FAIL, value.lines, str(image.family), expected=expected, summary=summary
    )


def _is_right(wanted: NamedStack, key: str, value: Value) -> bool:
    """A version that only follows from an engine's release is told at the engine."""
    if key not in wanted.versions or value.origin == "release":
        return True
    try:
        return same_version(key, value.text, wanted.versions[key])
    except UsageError:
        return value.text == wanted.versions[key]


def _trouble(id: str, wanted: NamedStack, key: str, value: Value) -> Trouble:
    version = f"{key} {wanted.versions[key]}"
    expected = _("{version} (stack {stack})").format(version=version, stack=wanted.name)
    summary = _("Bring {what} to the version of the stack.").format(what=key)
    actual = f"{key} {value.text}"
    return trouble(id, Status.FAIL, value.lines, actual, expected=expected, summary=summary)
