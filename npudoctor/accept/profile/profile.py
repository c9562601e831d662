"""A profile: the devices of one run, which of them tells the bottleneck, and two runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.accept.profile.figures import Figures, figures_of
from npudoctor.accept.profile.verdict import bottleneck, flags, next_step, steps
from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from npudoctor.accept.profile.read import Reading

UNEVEN = 0.05
"""Ranks whose exposed communication differs by less (share of the span) are taken for even."""


@dataclass(frozen=True, slots=True)
class Device:
    """One rank or device.

    Attributes:
        name: Its rank, or else its device, or else its place in the list.
        rank: Where known.
        device: The number of the NPU, where known.
        folder: Where its files lie.
        word: Its bottleneck.
        wait_ratio: As measured, or as the other ranks show it.
        figures: Its time.
    """

    name: int
    rank: int | None
    device: int | None
    folder: str
    word: str
    wait_ratio: float | None
    figures: Figures


@dataclass(frozen=True, slots=True)
class Profile:
    """One run.

    Attributes:
        devices: All ranks and devices, in order.
        lead: The one that is judged: the one that waits most, else the first.
        slow: The name of the one that the rest wait for; None where none does.
        flags: What stands out on the lead.
        next_step: fuse, quantise or kv-cache.
        steps: What to do, as keys of `verdict.ADVICE`, most urgent first.
        problems: What could not be read.
    """

    devices: tuple[Device, ...]
    lead: Device
    slow: int | None
    flags: tuple[str, ...]
    next_step: str
    steps: tuple[str, ...]
    problems: tuple[str, ...]


def profile_of(reading: Reading) -> Profile:
    """Judge what was read of one run."""
    devices = _devices(reading)
    lead, slow = _lead(devices)
    figures = lead.figures
    return Profile(
        devices,
        lead,
        slow,
        flags(figures),
        next_step(figures),
        steps(lead.word, figures),
        reading.problems,
    )


def _devices(reading: Reading) -> tuple[Device, ...]:
    all_figures = [figures_of(one.tally) for one in reading.measured]
    least = min((share for one in all_figures if (share := one.communication_share)), default=0.0)
    made = []
    for place, (one, figures) in enumerate(zip(reading.measured, all_figures, strict=True)):
        ratio = _wait_ratio(figures, least, len(all_figures))
        name = _name(reading, place)
        word = bottleneck(figures, ratio)
        made.append(Device(name, one.rank, one.device, str(one.folder), word, ratio, figures))
    return tuple(made)


def _wait_ratio(figures: Figures, least: float, devices: int) -> float | None:
    """Measured, or what this rank communicates longer than the one that does least."""
    share = figures.communication_share
    if figures.wait_ratio is not None or devices == 1 or not share:
        return figures.wait_ratio
    return 1 - least / share


def _name(reading: Reading, place: int) -> int:
    """The rank if all have one of their own, else the device likewise, else the place."""
    for numbers in ([one.rank for one in reading.measured], [one.device for one in reading.measured]):
        own = numbers[place]
        if own is not None and None not in numbers and len(set(numbers)) == len(numbers):
            return own
    return place


def _lead(devices: tuple[Device, ...]) -> tuple[Device, int | None]:
    waiting = [device for device in devices if device.word == "wait"]
    if not waiting or len(devices) == 1:
        return devices[0], None
    lead = max(waiting, key=_exposed)
    slow = min((device for device in devices if device.figures.communication_share), key=_exposed)
    return lead, slow.name if _exposed(lead) - _exposed(slow) > UNEVEN else None


def _exposed(device: Device) -> float:
    return device.figures.communication_exposed_share or 0.0
