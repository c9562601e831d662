"""How the version series of an Ascend stack order.

Never by PEP 440, which misreads `8.0.RC3.beta1` and `24.1.rc2.2`.

Each series is a type of its own. Series look alike (HDK 24.1.RC2, solution 24.0.RC2, MindCluster 6.0.RC2,
TorchNPU line 6.0.rc2), so comparing across them is a `TypeError`, not a False.

The order within a series: test builds `Tn` and `.bNNN`, `.alphaNNN`, `.betaN` and `RCn` are below the version
that they lead to, patches extend it: `24.1.rc2.b100 < 24.1.rc2 < 24.1.rc2.2 < 24.1.rc3 < 24.1.0 < 25.0.rc1`.
"""

from __future__ import annotations

import re
from functools import total_ordering
from typing import ClassVar, TypeVar

from npudoctor.regex import regex

Element = tuple[int, int, str]
"""One part of a version: its rank, its number, and the text of a build label."""

_RANKS = {
    "dev": -7, "t": -6, "alpha": -5, "a": -5, "beta": -4, "rc": -3, "b": -2,
    "": 1, "spc": 2, "tr": 2, "post": 2,
}  # fmt: skip
_END: Element = (0, 0, "")
_NUMBER, _POST, _LABEL = 1, 2, 3
_WORDS = "alpha|beta|post|dev|spc|rc|tr|a|b|t"
_TOKEN = regex(rf"(?:^|[.\-_]?)(?:({_WORDS})[.\-_]?(\d*)|(\d+))", re.IGNORECASE | re.ASCII)
_PREFIX = regex(r"^(?:v(?=\d)|c81-)", re.IGNORECASE)
_PLAIN_PARTS = 3
_LONGEST = 100

V = TypeVar("V", bound="Version")


class VersionError(ValueError):
    """Text that is no version of the series."""


@total_ordering
class Version:
    """A version of one series: ordered within it, printed as it was written.

    Raises:
        VersionError: The text is no version.
        TypeError: Where it is compared with a version of another series.
    """

    series: ClassVar[str] = ""
    __slots__ = ("key", "parts", "text")

    def __init__(self, text: str) -> None:
        self.text = _PREFIX.sub("", text.strip())
        self.parts: tuple[Element, ...] = self._parse(self.text)
        self.key: tuple[Element, ...] = (*self.parts, _END)

    def _parse(self, text: str) -> tuple[Element, ...]:
        return _padded(_elements(text, self.series))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"

    def __hash__(self) -> int:
        return hash((type(self), self.key))

    def __eq__(self, other: object) -> bool:
        return self.key == self._same_series(other).key

    def __lt__(self, other: object) -> bool:
        return self.key < self._same_series(other).key

    def _same_series(self: V, other: object) -> V:
        if type(other) is not type(self):
            raise TypeError(f"a version of {self.series} cannot be compared with {other!r}")
        return other

    @property
    def family(self) -> str:
        """The first two numbers: `25.5` of `25.5.1`, `8.0` of `8.0.RC3`."""
        return ".".join(str(number) for _rank, number, _text in self.parts[:2])

    @property
    def is_preview(self) -> bool:
        """Whether this is an alpha, a beta, a test build or a numbered build of something to come."""
        return any(rank in (_RANKS["t"], _RANKS["alpha"], _RANKS["beta"], _RANKS["b"], _RANKS["dev"])
                   for rank, _number, _text in self.parts)  # fmt: skip

    def released(self: V) -> V:
        """The release that a preview leads to: `8.0.RC3` of `8.0.RC3.alpha001`; itself if it is one."""
        if not self.is_preview:
            return self
        return type(self)(_text_of(_until_preview(self.parts)))

    def extends(self, other: Version) -> bool:
        """Whether this is `other` or a patch of it: `24.1.rc2.2` of `24.1.rc2`, `24.1.0.3` of `24.1.0`."""
        if self == other:
            return True
        size = len(other.parts)
        return self.parts[:size] == other.parts and self.parts[size][0] in (_NUMBER, _RANKS["spc"])


def _elements(text: str, series: str) -> list[Element]:
    body, _plus, label = text.partition("+")
    parts: list[Element] = []
    at = 0
    if len(text) > _LONGEST:
        raise VersionError(f"{text[:20]!r}… is no version of {series}")
    while at < len(body):
        found = _TOKEN.match(body, at)
        if found is None or found.end() == at:
            raise VersionError(f"{text!r} is no version of {series}")
        word = (found[1] or "").lower()
        parts.append((_RANKS[word], int(found[2] or found[3] or 0), ""))
        at = found.end()
    if not parts or parts[0][0] != _NUMBER:
        raise VersionError(f"{text!r} is no version of {series}")
    return [*parts, (_LABEL, 0, label)] if label else parts


def _padded(parts: list[Element]) -> tuple[Element, ...]:
    """`25.5` is `25.5.0`, `9.0-beta.1` is `9.0.0-beta.1`; but `8.0.RC1` is not `8.0.0.RC1`."""
    numbers = 0
    while numbers < len(parts) and parts[numbers][0] == _NUMBER:
        numbers += 1
    after = parts[numbers][0] if numbers < len(parts) else None
    if after in (_RANKS["rc"], _RANKS["t"]):
        return tuple(parts)
    zeros: list[Element] = [(_NUMBER, 0, "")] * max(0, _PLAIN_PARTS - numbers)
    return (*parts[:numbers], *zeros, *parts[numbers:])


def _until_preview(parts: tuple[Element, ...]) -> list[Element]:
    kept: list[Element] = []
    for part in parts:
        if part[0] not in (_NUMBER, _POST, _RANKS["rc"]):
            break
        kept.append(part)
    return kept


def _text_of(parts: list[Element]) -> str:
    words = {_RANKS["rc"]: "RC", _POST: "post"}
    return ".".join(f"{words.get(rank, '')}{number}" for rank, number, _text in parts)


class Cann(Version):
    """CANN: `8.1.RC1`, `8.5.0`, `8.0.RC3.alpha001`, `8.0.RC3.beta1`, `9.0.0-beta.1`, `7.0.T10`."""

    series = "CANN"
    __slots__ = ()

    @property
    def edition(self) -> Cann:
        """What it pairs like: the community's `8.0.RC3.beta1` is the commercial `8.0.RC3`.

        From 9.0 on a beta is a preview of the release, and pairs like itself.
        """
        last = self.parts[-1]
        if last[0] != _RANKS["beta"] or self.parts[0][1] >= 9:
            return self
        return Cann(_text_of(list(self.parts[:-1])))


class Hdk(Version):
    """The driver package by HDK number, 20 and newer: `24.1.rc2`, `24.1.0.3`, `25.0.rc1.b080`, `25.5.1`."""

    series = "driver"
    __slots__ = ()


class DriverLabel(Version):
    """Driver numbers before HDK took over, and those of the founding field report: `6.0.0`, `6.3.1`.

    They never compare with HDK numbers: HDK 22.0.x carries the packages 6.0.x.
    """

    series = "driver (old numbers)"
    __slots__ = ()


class DriverSet(Version):
    """A driver set of the community download site: `1.0.17`, `1.0.20.alpha`. No driver version at all."""

    series = "driver set"
    __slots__ = ()


class Firmware(Version):
    """The firmware: `7.7.0.1.231`, `7.7.t20.0.b200`; one line a chip."""

    series = "firmware"
    __slots__ = ()


class TorchNpuLine(Version):
    """The product line of torch_npu (PTA, TorchNPU, Ascend Extension): `6.0.rc3`, `7.3.0`, then `26.0.0`."""

    series = "TorchNPU line"
    __slots__ = ()


class TorchNpu(Version):
    """The torch_npu wheel: `2.7.1.post2`, `2.5.1.dev20250218`, `2.9.0.post1+git4c901a4`.

    `.postN` counts builds of one torch version. It says nothing about which CANN is newer.
    """

    series = "torch_npu"
    __slots__ = ()

    @property
    def torch(self) -> str:
        """The torch that the wheel is built for: `2.7.1` of `2.7.1.post2`."""
        return ".".join(str(number) for _rank, number, _text in self.parts[:3])

    @property
    def is_exact_build(self) -> bool:
        """Whether it is a dated or a source build, which only rows that name it speak of."""
        return any(rank in (_RANKS["dev"], _LABEL) for rank, _number, _text in self.parts)


class Torch(Version):
    """torch. A local label (`+cpu`) names the build, not the version."""

    series = "torch"
    __slots__ = ()

    def _parse(self, text: str) -> tuple[Element, ...]:
        return super()._parse(text.partition("+")[0])


class Vllm(Torch):
    """vllm. A local label (`+empty`) names the build, not the version."""

    series = "vllm"
    __slots__ = ()


class VllmAscend(Torch):
    """vllm-ascend: `0.11.0`, `0.11.0rc1`, `0.7.3.post1`."""

    series = "vllm_ascend"
    __slots__ = ()


class Python(Torch):
    """Python: `3.11.4`."""

    series = "python"
    __slots__ = ()


class Mindie(Version):
    """MindIE: `1.0.RC3`, `2.1.RC1`, `2.3.0`; builds `2.1.RC1.B152`, `2.0.T3.B010`."""

    series = "mindie"
    __slots__ = ()


class MindSpore(Torch):
    """MindSpore: `2.6.0`, `2.6.0rc1`, `2.7.0-rc1`."""

    series = "mindspore"
    __slots__ = ()


class TritonAscend(Torch):
    """triton-ascend: `3.2.0`, `3.2.0rc4`, `3.2.0.dev20260322`."""

    series = "triton_ascend"
    __slots__ = ()


class Solution(Version):
    """The Ascend solution: `24.0.RC2` carries HDK 24.1.RC2."""

    series = "Ascend solution"
    __slots__ = ()


class MindCluster(Version):
    """MindCluster (MindX): `6.0.RC2`, `7.2.RC1.SPC1`, `26.1.0`."""

    series = "MindCluster"
    __slots__ = ()


class Glibc(Version):
    """The C library: `2.35`."""

    series = "glibc"
    __slots__ = ()


class NpuSmi(Version):
    """The npu-smi tool: its number may differ from the driver's."""

    series = "npu_smi"
    __slots__ = ()


Driver = Hdk | DriverLabel | DriverSet


def driver_version(text: str) -> Driver:
    """A driver version in the series that its number belongs to."""
    major = int(next(iter(re.findall(r"\d+", _PREFIX.sub("", text.strip()))), "20"))
    if major >= 20:
        return Hdk(text)
    return DriverSet(text) if major == 1 else DriverLabel(text)


class InnerVersion:
    """An inner version, `V100R001C21SPC002B220`: a baseline is a member of lists. It has no order.

    CANN 8.5.0 is C25, CANN 9.1.0 is C11: the numbers were started again.
    """

    __slots__ = ("baseline", "text")

    def __init__(self, text: str) -> None:
        found = re.fullmatch(r"V100(R\d{3})(C\d{2})(?:SPC\d+)?(?:B\d+)?", text.strip())
        if found is None:
            raise VersionError(f"{text!r} is no inner version")
        self.text = text.strip()
        self.baseline = found[2] if found[1] == "R001" else found[1] + found[2]

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InnerVersion) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)
