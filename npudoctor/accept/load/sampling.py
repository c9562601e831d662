"""What the host that serves does meanwhile: its processors and NPUs, looked at every few seconds."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Protocol

from npudoctor.collect.connect import Connection
from npudoctor.dataclass import dataclass
from npudoctor.errors import NpudoctorError
from npudoctor.parse.npu_smi_info import parse_npu_smi_info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from npudoctor.collect.inventory import Target

_EVERY = 2.0
_LOOK = "head -n 1 /proc/stat; npu-smi info 2>/dev/null"
_MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """One look.

    Attributes:
        at: Seconds of the clock.
        cpu_percent: Busy share of all processors since the look before; None at the first.
        npu_percent: Mean AI Core use of all chips; None where npu-smi does not say it.
    """

    at: float
    cpu_percent: float | None
    npu_percent: float | None


class Eye(Protocol):
    """A way to look at a host."""

    def look(self) -> str:
        """The output of the command; raises what stands in the way."""

    def close(self) -> None:
        """End it."""


class Here:
    """This machine."""

    def look(self) -> str:
        """As of now."""
        return subprocess.run(
            ["sh", "-c", _LOOK], capture_output=True, text=True, check=False, timeout=20
        ).stdout

    def close(self) -> None:
        """Nothing to end."""


class There:
    """A host over SSH, logged in to once."""

    def __init__(self, target: Target) -> None:
        """Log in.

        Raises:
            IncompleteError: It cannot be reached.
        """
        from npudoctor.collect.ssh_config import SshConfig

        self._connection = Connection(SshConfig().route(target), time.monotonic() + 30)
        self._transport = self._connection.open()

    def look(self) -> str:
        """As of now."""
        channel = self._transport.open_session(timeout=10)
        channel.settimeout(20)
        channel.exec_command(_LOOK)
        with channel.makefile("rb") as answer:
            return bytes(answer.read(_MOST)).decode(errors="replace")

    def close(self) -> None:
        """Log out."""
        self._connection.close()


class Sampling:
    """Looks at a host in a thread of its own, from the start of the block to its end."""

    def __init__(self, eye: Eye) -> None:
        self._eye = eye
        self._stop = Event()
        self._thread = Thread(target=self._watch, name="npudoctor-sampling", daemon=True)
        self.samples: list[Sample] = []

    def __enter__(self) -> Sampling:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self._thread.join(timeout=_EVERY)
        self._eye.close()

    def _watch(self) -> None:
        before = None
        while True:
            # A host that is busy may miss a look; the next one may come through.
            with suppress(OSError, NpudoctorError, subprocess.SubprocessError, EOFError):
                text = self._eye.look()
                now = _ticks(text)
                cpu = _busy(before, now)
                self.samples.append(Sample(time.time(), cpu, _npus(text)))
                before = now
            if self._stop.wait(_EVERY):
                return


def _ticks(text: str) -> tuple[int, int] | None:
    """Idle and all ticks of the first line of /proc/stat."""
    words = text.partition("\n")[0].split()
    if len(words) < 6 or words[0] != "cpu":
        return None
    numbers = [int(word) for word in words[1:9]]
    return numbers[3] + numbers[4], sum(numbers)


def _busy(before: tuple[int, int] | None, now: tuple[int, int] | None) -> float | None:
    if before is None or now is None or now[1] <= before[1]:
        return None
    return 100 * (1 - (now[0] - before[0]) / (now[1] - before[1]))


def _npus(text: str) -> float | None:
    chips = parse_npu_smi_info(text.partition("\n")[2]).chips
    used = [chip.aicore_percent for chip in chips if chip.aicore_percent is not None]
    return sum(used) / len(used) if used else None


def mean_within(samples: Sequence[Sample], start: float, end: float, name: str) -> float | None:
    """The mean of `cpu_percent` or `npu_percent` between two moments."""
    values = [getattr(sample, name) for sample in samples if start <= sample.at < end]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
