"""The rules of the gate, one module a subject; none is listed anywhere else."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from npudoctor.gate.rules.registry import registered

if TYPE_CHECKING:
    from npudoctor.gate.rules.registry import Rule


def all_rules() -> tuple[Rule, ...]:
    """Every rule of this folder."""
    for module in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        import_module(f"{__package__}.{module.stem}")
    return registered()
