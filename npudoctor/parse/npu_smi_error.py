"""What npu-smi and the driver say when they cannot answer."""

from __future__ import annotations

import re

from npudoctor.dataclass import dataclass
from npudoctor.parse.npu_smi_text import plain_lines
from npudoctor.parse.registry import parser
from npudoctor.regex import regex


@dataclass(frozen=True, slots=True)
class NpuSmiError:
    """One error line.

    Attributes:
        code: The number as the tables of error codes write it (`-8005`, `87`, `-9005`); None where the
            line names none.
        kind: `dcmi`, `npu-smi`, `driver`, `library`, `not-found`, `card-gone`, `no-card`, `not-supported`,
            `permission`, `half-installed`, `device-range` or `failed`.
        text: The line as printed, without a time stamp before it.
    """

    code: str | None
    kind: str
    text: str


_LONGEST = 500
"""Characters of a line that are looked at: an error says what it is at its beginning."""
_STAMP = regex(r"^\s*\d{4}-\d\d-\d\dT[\d:.]+Z\s+")
_PATTERNS = tuple(
    (kind, regex(pattern, re.I))
    for kind, pattern in (
        ("dcmi", r"\bret(?:urn)?(?:\s+is|\s*=|\s+code\s+is)?\s*(?P<code>-8\d{3})\b"),
        ("npu-smi", r"\bret(?:urn)?(?:\s+is|\s*=|\s+code\s+is)?\s*(?P<code>-9\d{3})\b"),
        ("driver", r"\bdrv(?:RetCode|Err)\s*[=:]\s*(?P<code>\d+)"),
        ("library", r"error while loading shared libraries: (?P<code>)\S+"),
        ("not-found", r"\bnpu-smi: (?:(?:command )?not found|未找到命令|No such file)"),
        ("permission", r"\bnpu-smi: Permission denied"),
        ("card-gone", r"^\s*(?:Error: )?Invalid card id\b"),
        ("no-card", r"\bThere is no NPU card on this server"),
        ("not-supported", r"\bdoes not support querying\b"),
        ("half-installed", r"\bdriver package may not be completely installed"),
        ("device-range", r"\bDevice ID is out of the valid range"),
        ("failed", r"\b(?:dcmi|npu)\b[^|]*\b(?:initiali[sz]ed?|get|query)\b[^|]*\bfailed\b"),
    )
)
_HINT = regex(r"ret|drv|libraries|npu-smi|card|support|driver|device id|failed", re.I)
"""A word of every pattern: most lines have none of them."""


@parser("npu-smi-error", origin="npu-smi info (what it prints when it cannot answer)")
def parse_npu_smi_error(text: str) -> tuple[NpuSmiError, ...]:
    """All error lines of the text, in order; none is an empty tuple. Never raises."""
    found = (_error_of(_STAMP.sub("", line[:_LONGEST]).strip()) for line in plain_lines(text))
    return tuple(dict.fromkeys(error for error in found if error))


def error_lines(text: str) -> tuple[str, ...]:
    """The lines that stand in a table's place, as printed; a warning about the driver is not one."""
    return tuple(error.text for error in parse_npu_smi_error(text) if error.kind != "half-installed")


def _error_of(line: str) -> NpuSmiError | None:
    if not _HINT.search(line):
        return None
    for kind, pattern in _PATTERNS:
        if match := pattern.search(line):
            return NpuSmiError(match.groupdict().get("code") or None, kind, line)
    return None
