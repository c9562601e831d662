"""Named stacks: complete sets of versions that a host can be brought to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.matrix.row import Source  # noqa: TC001 (dataclasses read it)
from npudoctor.matrix.stack import KEYS, read_stack
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.matrix.matrix import Matrix

VERSION_KEYS = (
    "driver",
    "firmware",
    "cann",
    "nnal_abi",
    "torch",
    "torch_npu",
    "torchair",
    "python",
    "ascend_runtime",
    "vllm_ascend",
    "vllm",
    "triton_ascend",
    "mindie",
    "image",
)
"""What a stack may name, in the order in which it is shown."""
_OF_COMPONENT = {
    "driver": "driver",
    "firmware": "firmware",
    "toolkit": "cann",
    "ops": "cann",
    "nnal": "cann",
    "python_env": "torch_npu",
    "ascend_runtime": "ascend_runtime",
    "serving": "image",
}


@dataclass(frozen=True, slots=True)
class NamedStack:
    """One stack.

    Attributes:
        name: `a2-cann8.5.0-vllm0.13.0`.
        chip: The family: `910B`, `A3`, `310P`, …
        arch: `aarch64` or `x86_64` where it is for that one alone; empty where it is for both.
        versions: By key of `VERSION_KEYS`; what no source names is absent.
        dated: When the set was put together, `YYYY-MM`.
        note: What to know before it is used.
    """

    name: str
    chip: str
    arch: str
    versions: dict[str, str]
    sources: tuple[Source, ...]
    dated: str
    note: str

    def version_of(self, component: str) -> str | None:
        """The version of a component of provisioning: of `toolkit` it is the one of CANN.

        None where the stack names none, or the component has none of its own (`host_tuning`).
        """
        return self.versions.get(_OF_COMPONENT.get(component, ""))

    @property
    def asked(self) -> dict[str, str]:
        """What `Matrix.query` is asked about it."""
        given = {"chip": self.chip} | ({"arch": self.arch} if self.arch else {})
        return given | {key: text for key, text in self.versions.items() if key in KEYS}

    def as_json(self) -> dict[str, Any]:
        """The stack as plain data."""
        return {
            "name": self.name,
            "chip": self.chip,
            "arch": self.arch or None,
            "versions": self.versions,
            "dated": self.dated,
            "note": self.note,
            "sources": [source.at for source in self.sources],
        }


def stack_names(matrix: Matrix) -> list[str]:
    """The names in the order of the file."""
    return [str(row["id"]) for row in matrix.section("stacks")]


def stacks(matrix: Matrix) -> list[NamedStack]:
    """Every stack of the matrix."""
    return [_stack(matrix, row) for row in matrix.section("stacks")]


def load_stack(matrix: Matrix, name: str) -> NamedStack:
    """The stack of that name.

    Raises:
        UsageError: There is none; the nearest names are told.
    """
    for row in matrix.section("stacks"):
        if row["id"] == name:
            return _stack(matrix, row)
    raise UsageError(_("there is no stack {name}").format(name=name), _nearest(name, stack_names(matrix)))


def same_version(key: str, one: str, other: str) -> bool:
    """Whether two versions of a component are the same; a build of torch for CPU counts as its release.

    Raises:
        UsageError: One of them is no version of that component.
    """
    bare = (
        (one.removesuffix("+cpu"), other.removesuffix("+cpu")) if key in ("torch", "vllm") else (one, other)
    )
    first, second = (read_stack({key: text}).versions[key] for text in bare)
    return type(first) is type(second) and first == second


def _stack(matrix: Matrix, row: Mapping[str, Any]) -> NamedStack:
    whole = matrix.row(row["id"])
    return NamedStack(
        name=row["id"],
        chip=row["chip"],
        arch=row.get("arch", ""),
        versions={key: row[key] for key in VERSION_KEYS if key in row},
        sources=whole.sources if whole else (),
        dated=row["dated"],
        note=row.get("note", ""),
    )


def _nearest(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    if found := get_close_matches(name.lower(), names, n=3, cutoff=0.5):
        return _("did you mean {names}?").format(names=_(" or ").join(found))
    return _("npudoctor matrix show stacks lists them")
