"""What the engine takes and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Literal

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence
from npudoctor.regex import regex

Variables = Mapping[str, tuple[str, Evidence]]
"""Value and where it was read, by name. A redacted value is known to be set and is never judged."""

Severity = Literal["fail", "warn", "info"]
"""`fail`: the reader stops. `warn`: it may hurt, or does not do what was meant. `info`: no finding."""

_HIDDEN = regex(r".*<redacted(:\w+)?>.*|\*{3,}", re.IGNORECASE | re.DOTALL)


class Kind(str, Enum):
    """What a judgement is about."""

    MISSPELT = "misspelt"
    UNKNOWN = "unknown"
    VALUE = "value"
    REMOVED = "removed"
    DEPRECATED = "deprecated"
    NOT_YET = "not-yet"
    CHIP = "chip"
    DEBUG = "debug"
    COMBINATION = "combination"


@dataclass(frozen=True, slots=True)
class Versions:
    """What is known of the stack that reads the variables; None is unknown, and nothing is said of it.

    Attributes:
        cann: `8.1.RC1`.
        driver: The HDK number, `25.0.rc1`.
        torch: `2.5.1`.
        torch_npu: The wheel, `2.5.1.post1`; the engine finds its product line.
        vllm_ascend: `0.11.0rc1`.
        mindie: `2.1.RC1`.
        mindspore: `2.7.0`.
        chip: The chip family: `910`, `910B`, `A3`, `310P`, `310B`, `310` or `950`.
    """

    cann: str | None = None
    driver: str | None = None
    torch: str | None = None
    torch_npu: str | None = None
    vllm_ascend: str | None = None
    mindie: str | None = None
    mindspore: str | None = None
    mindcluster: str | None = None
    chip: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One thing that is wrong with one variable, or with several together.

    Attributes:
        kind: What it is about.
        name: The variable; the first one of a combination.
        value: Its value.
        severity: `fail`, `warn` or `info`.
        message: For a person, in the language of the run.
        evidence: The lines that set the variables.
        fix: Shell lines that mend it; empty where there is nothing to type.
        source: Where the rule is known from.
        topic: Of a debug switch: `debug`, `dump`, `log`, `profiling`, `sync`; of a combination its id.
    """

    kind: Kind
    name: str
    value: str
    severity: Severity
    message: str
    evidence: tuple[Evidence, ...]
    fix: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    topic: str = ""

    @property
    def text(self) -> str:
        """The message with the name of the variable in it."""
        return self.message if self.name in self.message else f"{self.name}: {self.message}"


def readable(variables: Variables) -> Iterator[tuple[str, str, Evidence]]:
    """Name, value and evidence of every variable whose value was not redacted."""
    for name, (value, evidence) in variables.items():
        if not hidden(value):
            yield name, value, evidence


def hidden(value: str) -> bool:
    """Whether a value was taken out of the bundle before it was handed on."""
    return bool(_HIDDEN.fullmatch(value))


def value_of(variables: Variables, name: str) -> str:
    """The value of a variable, empty where it is not set: most readers see no difference."""
    return variables[name][0] if name in variables else ""


def evidence_of(variables: Variables, *names: str) -> tuple[Evidence, ...]:
    """The lines that set the named variables."""
    return tuple(variables[name][1] for name in names if name in variables)
