"""`npudoctor.yaml`: what a repository is for: the chip, the driver of the hosts, the serving engine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor import data
from npudoctor.dataclass import dataclass
from npudoctor.gate.facts import Value
from npudoctor.gate.unit import Where

if TYPE_CHECKING:
    from npudoctor.gate.files import Repository

NAME = "npudoctor.yaml"
SCHEMA = Path(__file__).parent / "npudoctor-yaml.json"


@dataclass(frozen=True, slots=True)
class Target:
    """What `npudoctor.yaml` says; all empty where there is none.

    Attributes:
        values: Versions by component: `chip`, `driver`, `arch`, and an engine (`vllm_ascend`, `mindie`, …).
        ignored: Globs of paths that the gate leaves out.
        templates: Globs of paths that hold placeholders on purpose.
    """

    values: dict[str, Value]
    ignored: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()

    def text(self, component: str) -> str | None:
        """What is said of a component; None where nothing is."""
        value = self.values.get(component)
        return value.text if value else None


def read_target(repository: Repository) -> Target:
    """The target of a repository.

    Raises:
        UsageError: `npudoctor.yaml` is not what its schema says, with file, line and column.
    """
    file = repository.near_root(NAME)
    if file is None:
        return Target({})
    content: dict[str, Any] = data.parse(file.text.encode(), file.path, SCHEMA)
    said = {**content, **content.get("serving", {})}
    values = {}
    for name in ("chip", "driver", "firmware", "arch", "vllm_ascend", "mindie", "mindspore"):
        if name in said:
            line = _line(file.lines, name)
            values[name] = Value(str(said[name]), (Where(file.path, line, file.line(line)),), "target")
    return Target(values, tuple(content.get("ignore", ())), tuple(content.get("templates", ())))


def _line(lines: list[str], name: str) -> int:
    found = (at for at, line in enumerate(lines, 1) if re.match(rf"\s*[\"']?{name}[\"']?\s*:", line))
    return next(found, 1)
