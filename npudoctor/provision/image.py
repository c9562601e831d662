"""The serving image of a stack: which Dockerfile, from which base, with which arguments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import NpudoctorError, UsageError
from npudoctor.matrix.chips import family_of_package
from npudoctor.matrix.completion import known_drivers
from npudoctor.matrix.query import query
from npudoctor.matrix.statement import Verdict
from npudoctor.versions import Cann
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from npudoctor.matrix.matrix import Matrix
    from npudoctor.matrix.stacks import NamedStack

KINDS = ("vllm-ascend", "mindie", "torch-npu")
_PACKAGE = Path(__file__).parents[1]
_GOOD = (Verdict.SUPPORTED, Verdict.CAUTION)


@dataclass(frozen=True, slots=True)
class Image:
    """What is built.

    Attributes:
        kind: A folder of `dockerfiles/`.
        context: The folder `dockerfiles`.
        arguments: Of the build: `BASE_IMAGE`, `STACK`, `CANN`, ….
        tag: The name of the image.
    """

    kind: str
    context: Path
    arguments: dict[str, str]
    tag: str

    def command(self, engine: str = "docker", platforms: Sequence[str] = ()) -> list[str]:
        """The command that builds it; for several platforms that of buildx."""
        build = (
            [engine, "buildx", "build", "--platform", ",".join(platforms)] if platforms else [engine, "build"]
        )
        told = [word for key, text in self.arguments.items() for word in ("--build-arg", f"{key}={text}")]
        file = self.context / self.kind / "Dockerfile"
        return [*build, "--file", str(file), "--tag", self.tag, *told, str(self.context)]


def image_of(
    matrix: Matrix,
    stack: NamedStack,
    kind: str | None = None,
    base: str | None = None,
    tag: str | None = None,
) -> Image:
    """The image of a stack.

    Args:
        matrix: Which drivers its CANN goes with is read from it.
        stack: The stack.
        kind: One of `KINDS`; None: that of the stack's serving engine.
        base: Another base image, such as a mirror's.
        tag: Its name; None: made of the kind and the stack.

    Raises:
        UsageError: There is no such kind, or no source names a base image.
    """
    chosen = kind or _kind(stack)
    if chosen not in KINDS:
        raise UsageError(_("--kind {kind}: no such kind").format(kind=chosen), ", ".join(KINDS))
    cann = stack.versions["cann"]
    good, refused = _drivers(matrix, cann, stack.chip)
    arguments = {
        "BASE_IMAGE": base or _base(matrix, stack, chosen),
        "STACK": stack.name,
        "CANN": cann,
        "NNAL_ABI": stack.versions.get("nnal_abi", ""),
        "DRIVERS": " ".join(good),
        "DRIVERS_REFUSED": " ".join(refused),
    }
    if chosen == "torch-npu":
        arguments |= _torch(stack)
    return Image(chosen, dockerfiles(), arguments, tag or image_name(stack, chosen))


def image_name(stack: NamedStack, kind: str = "") -> str:
    """What the image of a stack is called; without a kind: that of its serving engine."""
    return f"npudoctor/{kind or _kind(stack)}:{stack.name}"


def dockerfiles() -> Path:
    """The folder of the images: beside the package in a checkout, inside it where it was installed."""
    for folder in (_PACKAGE.parent / "dockerfiles", _PACKAGE / "dockerfiles"):
        if (folder / "serving").is_dir():
            return folder
    raise NpudoctorError(_("the Dockerfiles are not installed"), _("install npudoctor anew"))


def _torch(stack: NamedStack) -> dict[str, str]:
    if "torch_npu" not in stack.versions:
        raise UsageError(_("stack {stack} names no torch_npu").format(stack=stack.name), _("choose another"))
    return {"TORCH": stack.versions["torch"], "TORCH_NPU": stack.versions["torch_npu"]}


def _kind(stack: NamedStack) -> str:
    if "mindie" in stack.versions:
        return "mindie"
    return "vllm-ascend" if "vllm_ascend" in stack.versions else "torch-npu"


def _base(matrix: Matrix, stack: NamedStack, kind: str) -> str:
    engine = kind != "torch-npu"
    own = stack.versions.get("image") if kind == _kind(stack) else None
    found = own if engine else next(_cann_images(matrix, stack), None)
    if found is None:
        what = _("no source names a base image of {kind} for {stack}").format(kind=kind, stack=stack.name)
        raise UsageError(
            what, _("give --base IMAGE, or --kind torch-npu") if engine else _("give --base IMAGE")
        )
    return found


def _cann_images(matrix: Matrix, stack: NamedStack) -> Iterator[str]:
    """Of this CANN, chip and Python, those on Ubuntu first."""
    cann, python = Cann(stack.versions["cann"]), stack.versions.get("python")
    found = [
        (
            not system.startswith("ubuntu"),
            f"{row['repository']}:{row['tag'].lower()}-{chip}-{system}-py{version}",
        )
        for row in matrix.section("images")
        if row["repository"].endswith("/cann") and Cann(row["tag"]) == cann
        for chip in row["chips"]
        if family_of_package(chip) == stack.chip
        for system in row["os"]
        for version in row["python"]
        if version == python
    ]
    yield from (image for _other, image in sorted(found))


def _drivers(matrix: Matrix, cann: str, chip: str) -> tuple[list[str], list[str]]:
    """The drivers that go with a CANN, and those that do not; what no source speaks of is in neither."""
    good, refused = [], []
    for driver in known_drivers(matrix):
        verdict = query(matrix, {"driver": driver, "cann": cann, "chip": chip}).verdict
        if verdict in _GOOD:
            good.append(driver)
        elif verdict is Verdict.UNSUPPORTED:
            refused.append(driver)
    return good, refused
