"""Secrets for another program, each through a pipe of this user alone: a kill leaves none on a disk."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@contextmanager
def secret_options(folder: Path, given: Mapping[str, str | None]) -> Iterator[list[str]]:
    """Words of a command line: each option with a place in the folder where its secret can be read once."""
    pipes = {option: folder / option.strip("-") for option, secret in given.items() if secret is not None}
    givers = [_giver(path, f"{given[option]}\n") for option, path in pipes.items()]
    try:
        yield [str(word) for pair in pipes.items() for word in pair]
    finally:
        for path, giver in zip(pipes.values(), givers, strict=True):
            reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # without one a giver would wait for ever
            giver.wait()
            os.close(reader)


def _giver(path: Path, text: str) -> subprocess.Popen[str]:
    """A process of its own: where we are killed, the reader still gets what it waits for, and ends."""
    os.mkfifo(path, 0o600)
    command = ["sh", "-c", 'exec cat >"$0"', str(path)]
    nothing = subprocess.DEVNULL
    giver = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, text=True, start_new_session=True
    )
    assert giver.stdin is not None
    with giver.stdin as pipe:
        pipe.write(text)
    return giver
