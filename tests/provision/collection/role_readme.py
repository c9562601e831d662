"""The table of variables in the README of a role, made from its argument_specs.

`python -m tests.provision.collection.role_readme` writes them all anew.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

from tests.provision.collection.calling import COLLECTIONS

ROLES = COLLECTIONS / "ansible_collections" / "npudoctor" / "ascend" / "roles"
BEGIN, END = "<!-- from meta/argument_specs.yml -->", "<!-- end -->"
_MARKUP = re.compile(r"\b[CVO]\(([^()]*(?:\([^()]*\))?[^()]*)\)")


def with_table(text: str, role: Path) -> str:
    """The README with its table as the specification has it."""
    before, _begin, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{table(role)}{END}{after}"


def table(role: Path) -> str:
    """One row a variable; of a list of mappings each key on a row of its own."""
    main = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]
    lines = ["| variable | type | default | what |", "| --- | --- | --- | --- |"]
    for name, option in main["options"].items():
        lines.append(_row(f"`{name}`", option))
        lines += [_row(f"… `{key}`", inner) for key, inner in (option.get("options") or {}).items()]
    return "\n".join(lines) + "\n"


def _row(name: str, option: dict[str, Any]) -> str:
    kind = option.get("type", "str")
    if "elements" in option:
        kind = f"{kind} of {option['elements']}"
    if "choices" in option:
        kind = " / ".join(f"`{choice}`" if choice != "" else "(empty)" for choice in option["choices"])
    default = "needed" if option.get("required") else _default(option)
    said = option["description"]
    words = _MARKUP.sub(r"`\1`", " ".join(said if isinstance(said, list) else [said]))
    return f"| {name} | {kind} | {default} | {words} |"


def _default(option: dict[str, Any]) -> str:
    if "default" not in option:
        return ""
    default = option["default"]
    return f"`{default}`" if isinstance(default, str) and default else f"`{json.dumps(default)}`"


def main() -> None:
    """Write every README that has a table."""
    for path in ROLES.glob("*/README.md"):
        text = path.read_text()
        if BEGIN in text:
            path.write_text(with_table(text, path.parent))


if __name__ == "__main__":
    main()
