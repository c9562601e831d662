"""Python packages: placeholders of the public index, and numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from npudoctor.checks.python import NUMPY_FREE
from npudoctor.finding import Edit, Status
from npudoctor.gate.rules.registry import Subject, Trouble, rule
from npudoctor.gate.rules.verdicts import trouble
from npudoctor.regex import regex
from npudoctor.versions import Cann, VersionError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.unit import Requirement

_PLACEHOLDERS = regex(r"cann|ascend-cann-\w+(?:-\w+)?|mindcluster|mindspeed(?:-\w+)?|llamafactory-ascend")
_INDEX = "--extra-index-url https://ascend.devcloud.huaweicloud.com/cann/pypi/simple"
_NOT_FROM_AN_INDEX = ("wheel", "url")


@rule("python.placeholder_packages")
def placeholders(subject: Subject) -> Iterator[Trouble]:
    """Packages that the public index holds as empty placeholders, with no other index named."""
    for one in subject.unit.requirements:
        if not _PLACEHOLDERS.fullmatch(one.name) or _from_elsewhere(one):
            continue
        actual = _("{name} of the public index is an empty placeholder").format(name=one.text or one.name)
        is_cann = one.name.startswith("ascend-cann")
        edits = (Edit(one.where.path, one.where.line, one.where.text, f"{_INDEX}\n{one.where.text}"),)
        yield trouble(
            "python.placeholder_packages", Status.FAIL, [one.where], actual,
            expected=_("packages of the vendor's index"),
            summary=_("Name the vendor's index, or take the line out: images bring CANN with them."),
            edits=edits if is_cann and one.where.path.endswith(".txt") else (),
        )  # fmt: skip


def _from_elsewhere(one: Requirement) -> bool:
    """Whether it comes from another index, a file or an address."""
    return any(index in _NOT_FROM_AN_INDEX or "pypi.org" not in index for index in one.indexes)


@rule("python.numpy")
def numpy(subject: Subject) -> Iterator[Trouble]:
    """numpy 2 under a CANN that does not work with it."""
    packages = {one.name: one for one in subject.unit.requirements}
    cann, one = subject.stack.values.get("cann"), packages.get("numpy")
    if cann is None or one is None or not {"torch-npu", "mindspore"} & packages.keys():
        return
    try:
        old = Cann(cann.text) < NUMPY_FREE
    except VersionError:
        return
    if old and _only_two(one.specifier):
        actual = _("numpy {numpy} with CANN {cann}").format(numpy=one.specifier, cann=cann.text)
        expected = _("below 2 with CANN {version}").format(version=cann.text)
        edits = (Edit(one.where.path, one.where.line, one.where.text, _below_two(one)),)
        yield trouble(
            "python.numpy", Status.FAIL, [one.where, *cann.lines], actual, expected=expected,
            summary=_("Install numpy 1.26 in that Python."),
            edits=edits if one.specifier in one.where.text and one.specifier else (),
        )  # fmt: skip


def _below_two(one: Requirement) -> str:
    return one.where.text.replace(one.specifier, "<2", 1)


def _only_two(specifier: str) -> bool:
    """Whether nothing below 2 meets it, and something from 2 on does."""
    try:
        wanted = SpecifierSet(specifier)
    except InvalidSpecifier:
        return False
    old = ("1.21.0", "1.22.4", "1.23.5", "1.24.0", "1.24.4", "1.25.2", "1.26.0", "1.26.4")
    return bool(specifier) and not any(wanted.contains(version) for version in old) and _from_two(specifier)


def _from_two(specifier: str) -> bool:
    numbers = [part.lstrip("=<>~!").strip() for part in specifier.split(",")]
    return any(
        number.partition(".")[0].isdigit() and int(number.partition(".")[0]) >= 2 for number in numbers
    )
