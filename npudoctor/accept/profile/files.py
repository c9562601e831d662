"""Which files of a folder are profiles, and which belong together: one run on one process or device."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from npudoctor.accept.profile.layouts import kind_of_file, layouts
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_STAMP = regex(r"_(\d{14})(?=\.)")
_SLICE = regex(r"_slice_\d+")
_DEVICE = regex(r"_(\d+)_\d+(_\d+)?(_\d{14})?\.")
_LOOKED_AT = 200
_FRAMEWORK = "ASCEND_PROFILER_OUTPUT"


@dataclass(frozen=True, slots=True)
class Output:
    """What one process or device left.

    Attributes:
        folder: Where it lies.
        files: By kind (`operators`, `trace`, …), of two exports the newer one.
        device: The number of the NPU where the names of folders or files tell it, else empty.
    """

    folder: Path
    files: Mapping[str, tuple[Path, ...]]
    device: str


def outputs(path: Path) -> list[Output]:
    """All that lies below a folder, or a single file.

    Raises:
        UsageError: Nothing is there, or only data that was not exported yet.
    """
    if not path.exists():
        raise UsageError(
            _("{file}: there is no such file").format(file=path), _("give what the profiler wrote")
        )
    if path.is_file():
        return [_output(path.parent, {_kind_by_content(path): [path]})]
    groups: dict[Path, dict[str, list[Path]]] = {}
    for file, kind in _walk(path):
        groups.setdefault(_root(file, path), {}).setdefault(kind, []).append(file)
    found = [_output(folder, kinds) for folder, kinds in sorted(groups.items()) if _tells(kinds)]
    if not found:
        found = _unnamed(path)
    if not found:
        raise UsageError(*_nothing(path))
    return found


def _walk(top: Path) -> Iterator[tuple[Path, str]]:
    for folder, folders, names in os.walk(top):
        if _FRAMEWORK in folders:  # what it was made of lies beside it: not counted twice
            folders[:] = [one for one in folders if not one.startswith("PROF_")]
        folders.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if (kind := kind_of_file(name)) and file.is_file():  # no pipe
                yield file, kind


def _root(file: Path, top: Path) -> Path:
    folder = file.parent
    while folder.name in layouts()["sorting_folders"] and folder != top:
        folder = folder.parent
    return folder


def _tells(kinds: Mapping[str, object]) -> bool:
    return not kinds.keys() <= {"waits", "analysis", "rank", "steps", "collectives"}


def _output(folder: Path, kinds: Mapping[str, list[Path]]) -> Output:
    files = {kind: tuple(_newest(several)) for kind, several in kinds.items()}
    return Output(folder, files, _device(folder, files))


def _newest(files: list[Path]) -> list[Path]:
    """Of one table exported several times the last export, with all its slices."""
    last: dict[tuple[Path, str], str] = {}
    for file in files:
        key = _table(file)
        last[key] = max(last.get(key, ""), _stamp(file))
    return [file for file in files if _stamp(file) == last[_table(file)]]


def _table(file: Path) -> tuple[Path, str]:
    return file.parent, _SLICE.sub("", _STAMP.sub("", file.name))


def _stamp(file: Path) -> str:
    found = _STAMP.search(file.name)
    return found[1] if found else ""


def _device(folder: Path, files: Mapping[str, tuple[Path, ...]]) -> str:
    if folder.name.startswith("device_"):
        return folder.name.removeprefix("device_")
    for kind in ("operators", "statistic"):
        numbers = {found[1] for file in files.get(kind, ()) if (found := _DEVICE.search(file.name))}
        if len(numbers) == 1:
            return numbers.pop()
    return ""


def _unnamed(top: Path) -> list[Output]:
    """Files with names of the user's own, where no other is there: known by what they begin with."""
    found = []
    files = (file for file in sorted(top.rglob("*")) if file.is_file())
    for file in islice(files, _LOOKED_AT):
        with suppress(UsageError):
            kind = _kind_by_content(file)
            if kind != "trace" or b'"ph"' in _head(file):
                found.append(_output(file.parent, {kind: [file]}))
    return found


def _kind_by_content(file: Path) -> str:
    """The kind of a single file, by its name or else by what it begins with."""
    if (kind := kind_of_file(file.name)) and _tells({kind: ()}):
        return kind
    head = _head(file)
    if head.startswith(b"SQLite format 3"):
        return "database"
    if head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"[", b"{"):
        return "trace"
    if b"OP_NAME:" in head:
        return "lines"
    return _kind_of_table(head.partition(b"\n")[0].decode("utf-8", "replace").lower(), file)


def _kind_of_table(header: str, file: Path) -> str:
    if "duration(us)" in header and "current freq" in header:
        raise UsageError(
            _("{file}: of msprof op, which looks into one operator").format(file=file),
            _("give what msprof wrote of the whole run"),
        )
    for word, kind in (
        ("task_time(us)", "tasks"),
        ("duration(us)", "operators"),
        ("total time(us)", "statistic"),
    ):
        if word in header:
            return kind
    raise UsageError(
        _("{file}: no output of a profiler that is known").format(file=file),
        _("give op_summary, kernel_details, task_time, op_statistic, a trace, a database, or their folder"),
    )


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(1 << 16)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", _("give a file that can be read")) from None


def _nothing(top: Path) -> tuple[str, str]:
    raw = next((folder for folder in top.rglob("data") if folder.parent.name.startswith("device_")), None)
    if raw is None and top.name.startswith("device_") and (top / "data").is_dir():
        raw = top / "data"
    if raw is not None:
        return _("{path}: holds raw data that was not exported yet").format(path=top), _export(raw)
    return _("{path}: no output of a profiler is in it").format(path=top), _("give what the profiler wrote")


def _export(data: Path) -> str:
    """The command that exports raw data, of a framework's run or of msprof's."""
    run = data.parent.parent
    if run.parent.name.endswith("_ascend_pt"):
        call = f"analyse('{run.parent}')"
        return f'python3 -c "from torch_npu.profiler.profiler import analyse; {call}"'
    return f"msprof --export=on --output={run}"
