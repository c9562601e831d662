"""What a unit says of its stack: each component's version, and each word on the chip, with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact
from npudoctor.images import Image, read_image
from npudoctor.matrix.releases import release_of
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.gate.unit import Command, Requirement, Setting, Unit, Where
    from npudoctor.matrix import Matrix

PACKAGES = {
    "torch": "torch",
    "torch-npu": "torch_npu",
    "vllm": "vllm",
    "vllm-ascend": "vllm_ascend",
    "mindspore": "mindspore",
    "triton-ascend": "triton_ascend",
    "ascend-cann-toolkit": "cann",
    "ascend-cann-nnae": "cann",
}
"""Python packages that are components of a stack."""
_FILES = (
    ("cann", regex(r"Ascend-cann-(?:toolkit|nnae|nnrt)_([\w.-]+?)_linux")),
    ("driver", regex(r"(?:Ascend-hdk-[\w.-]+?|A\d00\S*?)-npu-driver_([\w.-]+?)_linux")),
    ("firmware", regex(r"Ascend-hdk-[\w.-]+?-npu-firmware_([\w.]+?)(?:\.run|_linux)")),
    ("mindie", regex(r"Ascend-mindie(?:_|-)([\d.]+(?:\.?[RT][C\d.]+)?)_linux")),
)
"""Versions in the names of the vendor's packages."""
_CLONED = regex(r"(?:.*/)?(vllm|vllm-ascend)(?:\.git)?/?")
_TAG = regex(r"(?:refs/tags/)?v?(\d+\.\d+\.\d+\w*(?:\.post\d+)?)")


@dataclass(frozen=True, slots=True)
class Value:
    """The version of a component.

    Attributes:
        text: As it is written: `8.5.0`, `8.3.rc1`.
        lines: Lines that prove it; the first is the one to name.
        origin: `image`, `package`, `file`, `source` (cloned and built), `release` (follows from an engine's
            release), `target`.
        package: The name that pip knows it by, of a Python package.
    """

    text: str
    lines: tuple[Where, ...]
    origin: str
    package: str = ""

    @property
    def where(self) -> Where:
        """The line to name."""
        return self.lines[0]

    @property
    def fact(self) -> Fact[str]:
        """The same as the checks take it."""
        return Fact(self.text, tuple(line.evidence for line in self.lines))


@dataclass(frozen=True, slots=True)
class Stack:
    """What is known of a unit's stack.

    Attributes:
        values: By component, as the matrix names them.
        image: What the image's name says; None where there is no image, or it is not resolved.
    """

    values: Mapping[str, Value]
    image: Image | None

    def text(self, component: str) -> str | None:
        """The version of a component; None where nothing says it."""
        value = self.values.get(component)
        return value.text if value else None


def stack_of(unit: Unit, matrix: Matrix) -> Stack:
    """Everything that a unit says; a later and nearer word wins: a package over the image under it."""
    image = read_image(unit.image.text) if unit.image and unit.image.known else None
    if image is not None and image.grammar == "cann-build":
        image = None  # wheels are built in it, nothing runs in it
    values: dict[str, Value] = {}
    if image is not None and unit.image is not None:
        values |= _of_image(image, unit.image, matrix)
    for command in unit.commands:
        values |= dict(_of_command(command))
    values |= {name: value for one in unit.requirements for name, value in _of_requirement(one)}
    if unit.python is not None and unit.python.known:
        values["python"] = Value(unit.python.text, (unit.python.where,), "package")
    return Stack(values, image)


def _of_image(image: Image, setting: Setting, matrix: Matrix) -> dict[str, Value]:
    lines = (setting.where, *setting.parts)
    values = {
        name: Value(text, _first_with(lines, text), "image")
        for name, text in image.versions.items()
        if name not in ("cann_line", "solution", "engine")
    }
    release = release_of(matrix, image.versions) if "cann" not in values else None
    if release is not None:
        values["cann"] = Value(release.cann, lines, "release")
    return values


def _first_with(lines: tuple[Where, ...], text: str) -> tuple[Where, ...]:
    """The lines in the order to name them: those that hold the text first."""
    return tuple(sorted(lines, key=lambda line: text.lower() not in line.text.lower()))


def _of_requirement(one: Requirement) -> Iterator[tuple[str, Value]]:
    component = PACKAGES.get(one.name)
    if component and one.pinned:
        lines = _first_with((one.where, *one.parts), one.pinned)
        yield component, Value(one.pinned, lines, "package", one.name)


def _of_command(command: Command) -> Iterator[tuple[str, Value]]:
    for index, word in enumerate(command.words):
        for component, pattern in _FILES:
            if match := pattern.search(word):
                yield component, Value(match[1], (command.place(index),), "file")
    if command.words[:2] == ("git", "clone"):
        yield from _cloned(command)


def _cloned(command: Command) -> Iterator[tuple[str, Value]]:
    """`git clone -b v0.11.0 …/vllm-ascend.git`: the source of a release."""
    words = command.words
    name = next((match[1] for word in words[2:] if "/" in word and (match := _CLONED.fullmatch(word))), None)
    for index, word in enumerate(words[:-1]):
        tag = _TAG.fullmatch(words[index + 1])
        if name and tag and word in ("-b", "--branch"):
            yield name.replace("-", "_"), Value(tag[1], (command.place(index + 1),), "source")


def evidence(*lines: Where) -> tuple[Evidence, ...]:
    """Lines as proof, each once."""
    return tuple(dict.fromkeys(line.evidence for line in lines))
