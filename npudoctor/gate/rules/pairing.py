"""Versions that have to go together: the same questions to the matrix, and the same words, as on a host."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion

from npudoctor.checks.pairing_verdict import Asked, judged
from npudoctor.errors import UsageError
from npudoctor.finding import Edit, Status, Verdict
from npudoctor.gate.rules.registry import Subject, Trouble, rule
from npudoctor.gate.rules.verdicts import replaced, trouble
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from npudoctor.gate.facts import Value
    from npudoctor.matrix.query import Pair

CHECKS = {
    "torch.torch_npu_pairing": (("torch", "torch_npu"),),
    "torch.cann_pairing": (("cann", "torch_npu"),),
    "torch.python_pairing": (("python", "torch"),),
    "python.cann_pairing": (("python", "cann"),),
    "driver.cann_pairing": (("driver", "cann"),),
    "driver.firmware_pairing": (("driver", "firmware"),),
    "serving.vllm_ascend_pairing": tuple(
        ("vllm_ascend", other) for other in ("vllm", "cann", "torch_npu", "torch", "python", "triton_ascend")
    ),
    "serving.mindie_pairing": tuple(("mindie", other) for other in ("cann", "torch_npu", "torch", "glibc")),
    "serving.mindspore_pairing": (("mindspore", "cann"), ("python", "mindspore")),
    "serving.triton_ascend_pairing": (("triton_ascend", "cann"), ("triton_ascend", "chip")),
    "serving.hdk_floor": (("vllm_ascend", "driver"), ("mindie", "driver")),
}
"""The pairs that each check on hosts asks about."""
_NAMED_FIRST = ("package", "file", "source", "image", "release", "target")
"""Of the two sides, the one that a person would rather change is named."""
_BY_ITSELF = {"image", "release"}
"""Where both sides come from one image, its maker put them together."""
_MINOR = regex(r"3\.(\d+)")


@rule(*CHECKS)
def pairs(subject: Subject) -> Iterator[Trouble]:
    """Every pair of components that the unit names."""
    values = dict(subject.stack.values)
    if subject.driver is not None:
        values["driver"] = subject.driver
    found = _asked(subject, values)
    for id, names in CHECKS.items():
        for pair in (found[one] for one in names if one in found):
            if trouble := _trouble(id, pair, values):
                yield trouble


@rule("torch.torch_npu_pairing")
def ranges(subject: Subject) -> Iterator[Trouble]:
    """A range of torch_npu that holds no wheel of the torch that is pinned."""
    packages = {one.name: one for one in subject.unit.requirements}
    torch, wheel = packages.get("torch"), packages.get("torch-npu")
    if torch is None or wheel is None or not torch.pinned or wheel.pinned or not wheel.specifier:
        return
    release = torch.pinned.partition("+")[0]
    if wheel.unresolved or _meets(release, wheel.specifier):
        return
    actual = _("torch {torch} with torch-npu {wheel}: no wheel in the range is built for it").format(
        torch=release, wheel=wheel.specifier
    )
    yield trouble(
        "torch.torch_npu_pairing", Status.FAIL, [wheel.where, torch.where], actual,
        expected=f"torch-npu=={release}",
        summary=_("Pin torch-npu to the version of torch."),
        edits=replaced(wheel.where, wheel.specifier, f"=={release}"),
    )  # fmt: skip


def _meets(release: str, specifier: str) -> bool:
    """Whether a range takes some build of a torch_npu release: 2.8.0, 2.8.0.post2, 2.8.0rc1."""
    try:
        wanted = SpecifierSet(specifier, prereleases=True)
        builds = [release, f"{release}rc1", *(f"{release}.post{number}" for number in range(1, 20))]
        return any(wanted.contains(build) for build in builds)
    except (InvalidSpecifier, InvalidVersion):
        return True


def _asked(subject: Subject, values: dict[str, Value]) -> dict[tuple[str, str], Pair]:
    """The matrix's answers by pair; components whose version it cannot place are left out."""
    given = {name: value.text for name, value in values.items() if _placeable(subject, name, value.text)}
    image, target = subject.stack.image, subject.target
    chip = target.text("chip") or (image.family if image else None)
    extra = {
        "chip": chip,
        "arch": target.text("arch"),
        "glibc": image.glibc if image else None,
        "os": image.os if image else None,
    }
    given |= {name: text for name, text in extra.items() if text and _placeable(subject, name, text)}
    result = subject.matrix.query(given)
    asked = [names for pairs in CHECKS.values() for names in pairs]
    return {names: pair for names in asked if (pair := result.pair(*names)) is not None}


def _placeable(subject: Subject, name: str, text: str) -> bool:
    try:
        subject.matrix.query({name: text})
    except UsageError:
        return False
    return True


def _trouble(id: str, pair: Pair, values: dict[str, Value]) -> Trouble | None:
    sides = [values[name] for name in (pair.left.component, pair.right.component) if name in values]
    if not sides or {side.origin for side in sides} <= _BY_ITSELF:
        return None
    verdict = judged([Asked(pair, tuple(side.fact for side in sides))])
    if verdict.status is Status.PASS:
        return None
    if verdict.status is Status.FAIL and any(side.origin == "source" for side in sides):
        verdict = replace(verdict, status=Status.WARN)  # what is built from source may have been adapted
    ordered = sorted(sides, key=lambda side: _NAMED_FIRST.index(side.origin))
    return Trouble(id, ordered[0].where, with_edits(verdict, _edits(pair, values)))


def with_edits(verdict: Verdict, edits: tuple[Edit, ...]) -> Verdict:
    """The verdict with changes of files in its fix."""
    if not edits or verdict.fix is None:
        return verdict
    return replace(verdict, fix=replace(verdict.fix, edits=edits))


def _edits(pair: Pair, values: dict[str, Value]) -> tuple[Edit, ...]:
    """The first fix of the matrix that is one version of something that stands in a file here."""
    for text in _nearest_python_first(pair.fix, values):
        name, _blank, version = text.partition(" ")
        value = values.get(name)
        if value is None or not version or " " in version or version.upper().endswith("X"):
            continue
        others = [one for other, one in values.items() if other != name and one.text == value.text]
        if edit := _replaced(value, version, others):
            return (edit,)
    return ()


def _nearest_python_first(fixes: Sequence[str], values: dict[str, Value]) -> list[str]:
    """Of several Pythons the one that is nearest to what is there: bases with it are still built."""
    given = values.get("python")
    if given is None:
        return list(fixes)
    here = _minor(given.text)
    return sorted(fixes, key=lambda one: abs(_minor(one) - here) if one.startswith("python ") else 0)


def _minor(python: str) -> int:
    found = _MINOR.search(python)
    return int(found[1]) if found else 0


def _replaced(value: Value, version: str, others: Sequence[Value]) -> Edit | None:
    """The line of a value with another version in it; None where no line holds the version for sure.

    Args:
        value: What is to be changed.
        version: To what.
        others: Values with the same text: an `ARG` that gives it to both must stay.
    """
    shared = {(line.path, line.line) for other in others for line in other.lines}
    for line in value.lines:
        span = _place(line.text, value, (line.path, line.line) in shared)
        if span:
            written = line.text[slice(*span)]
            new = version.lower() if written == written.lower() else version
            after = line.text[: span[0]] + new + line.text[span[1] :]
            return Edit(line.path, line.line, line.text, after)
    return None


def _place(line: str, value: Value, shared: bool) -> tuple[int, int] | None:
    """Where a line holds the version: behind the package's name, or, without the name, where it stands alone.

    `torch==2.7.1 torch-npu==2.7.1` holds it twice, and one of the two is the other package's.
    """
    text = rf"(?<![\d.]){re.escape(value.text)}(?!\.?\d)"
    if value.package:
        name = re.sub(r"[-_.]+", "[-_.]+", value.package)
        named = re.search(rf"(?<![\w.-]){name}(?:\[[^]]*\])?\s*={{1,3}}\s*({text})", line, re.IGNORECASE)
        if named:
            return named.span(1)
    found = list(re.finditer(text, line, re.IGNORECASE))
    return found[0].span() if len(found) == 1 and not shared else None
