"""The rules of the gate, one module a subject; none is listed anywhere else."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from npudoctor.gate.rules.registry import registered

if TYPE_CHECKING:
    from npudoctor.checks.registry import Check
    from npudoctor.gate.rules.registry import Rule


def own_checks() -> list[Check]:
    """The checks that the gate alone has: on hosts there is none of the same id."""
    return [rule.check for rule in all_rules() if rule.check]


def all_rules() -> tuple[Rule, ...]:
    """Every rule of this folder."""
    for module in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        import_module(f"{__package__}.{module.stem}")
    return registered()
