"""The report of `collect_env.py` of PyTorch, torch_npu or vllm-ascend, as people paste it into issues."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.python_packages import normalised, package_of
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

_LIBRARY = regex(r"^\[(?:pip\d*|conda)\]\s+\S")
_FIELD = regex(r"^([A-Za-z][\w ]*?):\s*(\S.*)$")
_VARIABLE = regex(r"^([A-Za-z_]\w*)=(.*)$")


@dataclass(frozen=True, slots=True)
class CollectEnv:
    """What such a report says; None or empty where it does not.

    Attributes:
        os: `Ubuntu 22.04.5 LTS`.
        arch: `aarch64`.
        libc: `2.35`.
        python: `3.11.14`.
        packages: Version by normalised name, from the library section and the version lines.
        environment: The variables it shows.
    """

    os: str | None
    arch: str | None
    libc: str | None
    python: str | None
    packages: Mapping[str, str]
    environment: Mapping[str, str]


@parser("collect-env", origin="python collect_env.py of PyTorch, torch_npu or vllm-ascend")
def parse_collect_env(text: str) -> CollectEnv:
    """A report of collect_env, or only its library section.

    Raises:
        ParseError: No library, no version and no variable is in the text.
    """
    lines = text.splitlines()
    fields = {match[1]: match[2].strip() for match in map(_FIELD.match, lines) if match}
    packages = _libraries(lines) | _stated(fields)
    environment = _variables(lines)
    if not packages and not environment:
        raise ParseError("no '[pip3] name==version' line, no version line and no variable")
    system = re.match(r"(.*?)\s*\((\w+)\)$", fields.get("OS", ""))
    return CollectEnv(
        os=system[1] if system else fields.get("OS"),
        arch=system[2] if system else None,
        libc=_first(r"glibc-([\d.]+)", fields.get("Libc version", "")),
        python=_first(r"(\d+\.\d+\.\d+)", fields.get("Python version", "")),
        packages=packages,
        environment=environment,
    )


def _libraries(lines: list[str]) -> dict[str, str]:
    pairs = (package_of(line) for line in lines if _LIBRARY.match(line))
    found: dict[str, str] = {}
    for pair in pairs:
        if pair:
            found.setdefault(normalised(pair[0]), pair[1])
    return found


def _stated(fields: Mapping[str, str]) -> dict[str, str]:
    names = {"PyTorch version": "torch", "vLLM Version": "vllm", "vLLM Ascend Version": "vllm_ascend"}
    pairs = ((name, _first(r"(\d[\w.+\-]*)", fields.get(label, ""))) for label, name in names.items())
    return {name: version for name, version in pairs if version}


def _variables(lines: list[str]) -> dict[str, str]:
    start = next(
        (i for i, line in enumerate(lines) if line.strip().lower().startswith("env variables")), None
    )
    if start is None:
        return {}
    return {match[1]: match[2] for match in map(_VARIABLE.match, lines[start + 1 :]) if match}


def _first(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text)
    return match[1] if match else None
