"""`npu-smi info -t health` and `-t current-fault-event`."""

from __future__ import annotations

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.npu_smi_pairs import chip_id_of, is_mcu, pairs, refusal, sections
from npudoctor.parse.npu_smi_text import is_nothing, is_number, word
from npudoctor.parse.registry import parser
from npudoctor.regex import regex


@dataclass(frozen=True, slots=True)
class ChipHealth:
    """The health of one chip, of the card, or of its microcontroller.

    Attributes:
        health: As printed: OK, Warning, Alarm, Critical, UNKNOWN; None where the line is blank.
        codes: Event ids, `A4025021`.
        messages: What the tool says about them, one a line of the answer.
    """

    npu_id: int | None
    chip_id: int | None
    mcu: bool
    health: str | None
    codes: tuple[str, ...]
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FaultEvent:
    """One pending event. `severity` is the driver's number: 0 hint, 1 minor, 2 major, 3 critical."""

    event_id: str
    severity: int | None
    text: str


_CODE = regex(r"(?:0[xX])?[0-9A-Fa-f]{6,8}")
_EVENT = regex(r"event id\s*=\s*(0[xX][0-9A-Fa-f]+|\d+)(?:.*?severity\s*=\s*(\d{1,3})\b)?")


@parser("npu-smi-health", origin="npu-smi info -t health -i N")
def parse_npu_smi_health(text: str) -> tuple[ChipHealth, ...]:
    """Health by chip; raises `ParseError` where no health stands in the text."""
    found = tuple(_health_of(npu, part) for npu, part in sections(text) if _has_health(part))
    if not found:
        raise refusal(text, "Health")
    return found


@parser("npu-smi-current-fault-event", origin="npu-smi info -t current-fault-event -i N")
def parse_npu_smi_current_fault_event(text: str) -> tuple[FaultEvent, ...]:
    """The events that are pending; none is an empty tuple."""
    lines = pairs(text)
    counts = [value for key, value in lines if key == "Fault Event Count"]
    if not counts or not is_number(counts[0]):
        raise refusal(text, "Fault Event Count")
    events = [match for key, value in lines if "Information" in key for match in _EVENT.finditer(value)]
    if len(events) != int(counts[0]):
        raise ParseError(f"{counts[0]} events are counted, {len(events)} are listed")
    return tuple(FaultEvent(m[1], int(m[2]) if m[2] else None, m.string) for m in events)


def _has_health(part: list[tuple[str, str]]) -> bool:
    return any(key in ("Health", "Health Status") for key, _ in part)


def _health_of(npu: int | None, part: list[tuple[str, str]]) -> ChipHealth:
    lines = dict(part)
    codes, messages = lines.get("Error Code", ""), lines.get("Error Information", "")
    return ChipHealth(
        npu,
        chip_id_of(part),
        is_mcu(part),
        word(lines.get("Health", lines.get("Health Status", ""))),
        tuple(_CODE.findall(codes)),
        () if is_nothing(messages) else tuple(messages.split("\n")),
    )
