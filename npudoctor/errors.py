"""The exit codes, and the errors that carry them. Nothing else reaches the top of a command."""

from __future__ import annotations

import errno
from enum import IntEnum

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Exit(IntEnum):
    """What a command's exit code says; one table for every command and format."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    INCOMPLETE = 3
    DOCTOR = 4
    INTERRUPTED = 130


class NpudoctorError(Exception):
    """An error for the person at the keyboard: what is wrong, where, and how to mend it."""

    exit = Exit.DOCTOR

    def __init__(self, what: str, mend: str = "") -> None:
        super().__init__(f"{what}; {mend}" if mend else what)


class UsageError(NpudoctorError):
    """Wrong usage or unreadable input."""

    exit = Exit.USAGE


class IncompleteError(NpudoctorError):
    """A host could not be read, or a bundle is cut off."""

    exit = Exit.INCOMPLETE


def write_error(file: object, error: OSError, mend: str) -> NpudoctorError:
    """Why a file was not written: a place that may not be written is wrong usage, a full disk is not."""
    kind = NpudoctorError if error.errno in _NO_ROOM else UsageError
    return kind(f"{file}: {error.strerror}", mend)
