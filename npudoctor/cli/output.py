"""Where reports go: standard output or files, each file written whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Iterable
from pathlib import Path

from npudoctor.cli.nearest import nearest
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError, write_error
from npudoctor.report.style import Style
from npudoctor.words import _

_PLAIN_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Target:
    """One report to write: in which format, and to which file (None: standard output)."""

    format: str
    file: Path | None


def targets(format: str, outputs: Iterable[str], formats: Collection[str]) -> list[Target]:
    """What `--format` and `--output` ask for; raises `UsageError` before any host is read."""
    named = [_split(text) for text in outputs]
    found = [Target(name or format, _file(file)) for name, file in named]
    if all(name for name, _rest in named):  # FORMAT=FILE comes besides what the screen gets
        found.insert(0, Target(format, None))
    for target in found:
        _check_format(target.format, formats)
        _check_folder(target.file)
    return found


def style_for(target: Target, verbose: bool) -> Style:
    """Colours and the terminal's width on a terminal, neither in a file."""
    on_screen = target.file is None
    return Style(_width() if on_screen else _PLAIN_WIDTH, on_screen and wants_colour(), verbose)


def wants_colour() -> bool:
    """Whether standard output may be coloured: `NO_COLOR`, `FORCE_COLOR`, else a terminal that can."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def put(chunks: Iterable[str], target: Target) -> None:
    """Write a report where it belongs, as it comes. A reader that leaves early (`| head`) is no error."""
    if target.file is not None:
        write_file(target.file, chunks)
        return
    _print(chunks, sys.stdout.encoding if target.format == "text" else "utf-8")


def write_file(file: Path, chunks: Iterable[str]) -> None:
    """Write a text to `file` as it comes, whole or not at all; a device or a pipe is written directly."""
    try:
        if file.exists() and not file.is_file():
            _write(file, chunks)
        else:
            _replace(file.resolve(), chunks)
    except OSError as error:
        raise write_error(file, error, _("nothing was written there")) from None


def _replace(file: Path, chunks: Iterable[str]) -> None:
    scratch = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        _write(scratch, chunks)
        if file.exists():
            shutil.copymode(file, scratch)
        scratch.replace(file)
    finally:
        scratch.unlink(missing_ok=True)


def _write(file: Path, chunks: Iterable[str]) -> None:
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(chunks)


def _print(chunks: Iterable[str], encoding: str) -> None:
    try:
        for chunk in chunks:
            sys.stdout.buffer.write(chunk.encode(encoding, "replace"))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _width() -> int:
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS"):
        return _PLAIN_WIDTH
    return max(40, shutil.get_terminal_size().columns)


def _split(text: str) -> tuple[str, str]:
    """`json=r.json` to its two parts; a bare file (`r.json`, `./a=b`) has no format."""
    name, equals, file = text.partition("=")
    if not equals or "/" in name:
        return "", text
    if not file:
        raise UsageError(_("--output {text}: there is no file").format(text=text), f"{text}report.txt")
    return name, file


def _file(text: str) -> Path | None:
    return None if text == "-" else Path(text)


def _check_format(name: str, formats: Collection[str]) -> None:
    if name not in formats:
        known = _("use ") + ", ".join(formats)
        raise UsageError(_("there is no format {name}").format(name=name), nearest(name, formats, known))


def _check_folder(file: Path | None) -> None:
    if file is None:
        return
    if file.is_dir():
        raise UsageError(_("--output {file}: is a folder").format(file=file), _("give a file"))
    if not file.parent.is_dir():
        raise UsageError(_("--output {file}: there is no such folder").format(file=file), _("make it first"))
