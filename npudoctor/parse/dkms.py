"""`dkms status`: which modules are built for which kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    import re

_LINE = regex(
    r"^(?P<name>[\w.+-]+)(?:/|, )(?P<version>[\w.+~-]+)"
    r"(?:, (?P<kernel>[^,\s]+), (?P<arch>\w+))?: (?P<state>\w+)"
)


@dataclass(frozen=True, slots=True)
class DkmsModule:
    """One line of `dkms status`.

    Attributes:
        name: `davinci_ascend`.
        version: `1.0`.
        kernel: The release that it was built for; None for a module that is only added.
        state: `added`, `built`, `installed`, `broken`.
        line: As printed.
    """

    name: str
    version: str
    kernel: str | None
    state: str
    line: str


@parser("dkms-status", origin="dkms status")
def parse_dkms_status(text: str) -> tuple[DkmsModule, ...]:
    """One record a line, in the layouts of dkms 2 (`name, version`) and 3 (`name/version`).

    Empty where dkms knows no module.

    Raises:
        ParseError: There is text and none of it is such a line.
    """
    modules = tuple(_module(found) for line in text.splitlines() if (found := _LINE.match(line.strip())))
    if text.strip() and not modules:
        raise ParseError(f"no line `module/version, kernel, arch: state`: {text.strip()[:60]!r}")
    return modules


def _module(found: re.Match[str]) -> DkmsModule:
    return DkmsModule(found["name"], found["version"], found["kernel"], found["state"], found.string)
