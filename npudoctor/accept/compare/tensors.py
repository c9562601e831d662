"""Dumps of arrays on disk: `.npy`, `.npz`, `.safetensors`. Nothing in them is ever run."""

from __future__ import annotations

import zlib
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from npudoctor.accept.compare.result import missing
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SUFFIXES = (".npy", ".npz", ".safetensors")
_KINDS = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U8": "u1",
}


@contextmanager
def dumps(path: Path) -> Iterator[Mapping[str, Any]]:
    """The arrays of a file, or of all `.npy` files of a folder by their names; else as `arrays`."""
    if not path.is_dir():
        with arrays(path) as found:
            yield found
        return
    files = sorted(path.glob("*.npy"))
    if not files:
        raise UsageError(_("{file}: is no dump of arrays").format(file=path), ", ".join(SUFFIXES))
    with ExitStack() as stack:
        yield {file.stem: stack.enter_context(arrays(file))["logits"] for file in files}


@contextmanager
def arrays(file: Path) -> Iterator[Mapping[str, Any]]:
    """The arrays of a dump by name, each loaded when it is asked for; a lone one has the name `logits`.

    Raises:
        UsageError: The file is no such dump, or is damaged, or a library is missing.
    """
    try:
        import numpy
    except ImportError:
        raise missing("numpy") from None
    if file.suffix not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        raise UsageError(_("{file}: is no dump of arrays").format(file=file), known)
    if not file.is_file():
        raise UsageError(
            _("{file}: there is no such file").format(file=file), _("give a file that can be read")
        )
    try:
        if file.suffix == ".safetensors":
            yield _safetensors(file)
        else:
            loaded = numpy.load(file, mmap_mode="r", allow_pickle=False)
            yield {"logits": loaded} if file.suffix == ".npy" else loaded
    except (ValueError, EOFError, OSError, KeyError, MemoryError, BadZipFile, zlib.error) as error:
        why = str(error).partition("\n")[0]
        raise UsageError(
            _("{file}: is damaged ({why})").format(file=file, why=why), _("dump it anew, without pickling")
        ) from None


def _safetensors(file: Path) -> Mapping[str, Any]:
    try:
        import safetensors
    except ImportError:
        raise missing("safetensors") from None
    try:
        with safetensors.safe_open(file, framework="np") as opened:
            if any(opened.get_slice(name).get_dtype() not in _KINDS for name in opened.keys()):  # noqa: SIM118
                parts = safetensors.deserialize(file.read_bytes())  # type: ignore[no-untyped-call]
                return {name: _tensor(told) for name, told in parts}
            return {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    except safetensors.SafetensorError as error:
        raise ValueError(str(error)) from None


def _tensor(told: Mapping[str, Any]) -> Any:
    """One array; numpy knows no bfloat16, whose bits are the upper half of a float32."""
    import numpy

    if told["dtype"] == "BF16":
        bits = numpy.frombuffer(told["data"], dtype="<u2").astype(numpy.uint32) << 16
        return bits.view(numpy.float32).reshape(told["shape"])
    if told["dtype"] not in _KINDS:
        raise ValueError(f"{told['dtype']} is no type of logits")
    return numpy.frombuffer(told["data"], dtype=_KINDS[told["dtype"]]).reshape(told["shape"])
