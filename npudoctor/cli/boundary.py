"""The error boundary: whatever happens in a command ends as one line and an exit code of the table."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, NoReturn

from npudoctor.errors import Exit, NpudoctorError

if TYPE_CHECKING:
    from traceback import FrameSummary


def guarded(run: Callable[[list[str]], int]) -> int:
    """Run a command line; say in one line on stderr what went wrong, if anything did."""
    _open_closed_streams()
    boundary = Boundary()
    with boundary, _ending_in_order():
        boundary.code = run(sys.argv[1:])
        sys.stdout.flush()
    return boundary.code


def _open_closed_streams() -> None:
    """What a caller closed (`>&-`) goes nowhere: the exit code is all that it wants."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 (open until the process ends)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """End on SIGTERM and SIGHUP as on Ctrl-C, so that no file and no tool is left behind."""
    before = {signum: signal.getsignal(signum) for signum in (signal.SIGTERM, signal.SIGHUP)}
    try:
        for signum, handler in before.items():
            if handler is signal.SIG_DFL:  # `nohup` has it ignored
                signal.signal(signum, _end)
        yield
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def _end(signum: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(signum, signal.SIG_DFL)  # who asks twice does not want to wait
    raise KeyboardInterrupt


class Boundary:
    """Turns the exception that leaves the block into `code`; only `SystemExit` passes."""

    def __init__(self) -> None:
        self.code: int = Exit.OK

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> bool:
        """Judge the exception; True where it ends here."""
        if error is None or isinstance(error, SystemExit):
            return False
        self.code = _answer(error)
        return True


def _answer(error: BaseException) -> int:
    if isinstance(error, NpudoctorError):
        return _say(str(error), error.exit)
    if isinstance(error, KeyboardInterrupt):
        return Exit.INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return _reader_left()
    return _usage(error) or _write_error(error) or _crash(error)


def _usage(error: BaseException) -> int:
    from typer import TyperException

    if not isinstance(error, TyperException):
        return 0
    context = getattr(error, "ctx", None)
    where = f"; see {context.command_path} --help" if context else ""
    message = _plain(error.format_message().rstrip("."))
    if near := getattr(error, "possibilities", None):
        message = f"{error.message.rstrip('.')}; did you mean {' or '.join(near)}?"
        where = ""
    return _say(message + where, Exit.USAGE)


def _plain(message: str) -> str:
    """Without the parser's names of types."""
    message = message.replace("is not a valid int range", "is not a whole number")
    return message.replace("is not a valid float range", "is not a number")


def _write_error(error: BaseException) -> int:
    """A disk that fills up under standard output is no bug of ours."""
    import errno

    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO, errno.EDQUOT):
        _silence(sys.stdout)
        return _say(f"{error.filename or 'standard output'}: {error.strerror}", Exit.DOCTOR)
    return 0


def _crash(error: BaseException) -> int:
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    if os.environ.get("NPUDOCTOR_DEBUG"):
        traceback.print_exception(error)
    place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "unknown place"
    return _say(
        f"internal error {reference(frames)}: {type(error).__name__} in {place}: {error}; "
        "please report it with this reference (NPUDOCTOR_DEBUG=1 shows where)",
        Exit.DOCTOR,
    )


def reference(frames: Iterable[FrameSummary]) -> str:
    """Eight digits that are the same for the same fault in the same version, wherever it is installed."""
    from hashlib import sha256

    names = "\n".join(f"{os.path.basename(frame.filename)}:{frame.name}:{frame.lineno}" for frame in frames)
    return sha256(names.encode()).hexdigest()[:8]


def _reader_left() -> int:
    """`npudoctor … | head`: the reader has what it wanted."""
    _silence(sys.stdout)
    return Exit.OK


def _silence(stream: object) -> None:
    """Point a dead stream's file descriptor at nothing, so that the flush at exit stays quiet."""
    fileno = getattr(stream, "fileno", None)
    if fileno is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), fileno())


def _say(message: str, code: int) -> int:
    line = " ".join(message.split())
    shown = "".join(letter if letter.isprintable() else "?" for letter in line)
    print(f"npudoctor: {shown}", file=sys.stderr)
    return code
