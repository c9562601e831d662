"""The names of all variables, and which given name is almost one of them: what `validate` and npudoctor's plan share."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import yaml

ROLES = Path(__file__).parents[2] / "roles"
# What all roles share, and what the playbooks set.
SHARED = {
    "npudoctor_stack": "dict",
    "npudoctor_packages": "dict",
    "npudoctor_previous": "dict",
    "npudoctor_sources": "list",
    "npudoctor_token": "str",
    "npudoctor_run": "str",
    "npudoctor_fence": "str",
    "npudoctor_component": "str",
    "npudoctor_verb": "str",
    "npudoctor_only": "list",
    "npudoctor_skip": "list",
    "npudoctor_restart_docker": "bool",
    "npudoctor_domain": "str",
    "npudoctor_serve": "bool",
    "npudoctor_serve_port": "int",
    "npudoctor_known_variables": "list",
}
_CLOSE = 0.85
# `dirver_` is `driver_` mistyped, `python_` of another role is not `python_env_`.
_CLOSE_PREFIX = 0.8
# `domian` is `domain` mistyped, `firmware_floor` is not `firmware_force`, however long what they share.
_CLOSE_REST = 0.75
_REGISTER = re.compile(r"^\s*register:\s*(\w+)", re.MULTILINE)


def known_variables():
    """Every variable with its specification, and the names that roles register."""
    specs, registered = {name: {"type": kind} for name, kind in SHARED.items()}, set()
    for path in sorted(ROLES.glob("*/meta/argument_specs.yml")):
        for entry in _read(path)["argument_specs"].values():
            specs.update(entry.get("options") or {})
    for path in ROLES.glob("*/tasks/*.yml"):
        registered.update(_REGISTER.findall(path.read_text(encoding="utf-8")))
    return specs, registered


def _read(path):
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), loader)  # noqa: S506 (either is safe)


def prefixes():
    """What the names of our variables begin with."""
    roles = sorted(path.parents[1].name for path in ROLES.glob("*/meta/argument_specs.yml"))
    return tuple(f"{name}_" for name in (*roles, "npudoctor"))


def misspelt(given, known):
    """Names that are almost one of ours, each with that one, and names that begin like ours and are none."""
    ours = prefixes()
    for name in sorted(set(given) - set(known)):
        near = [each for each in difflib.get_close_matches(name, known, 3, _CLOSE) if _is_slip(name, each, ours)]
        if near or name.startswith("npudoctor_"):
            yield name, near[0] if near else ""


def _is_slip(name, ours, all_prefixes):
    """Whether both the prefix and the rest are the same but for a slip: else it is somebody else's name."""
    cut = max((len(each) for each in all_prefixes if ours.startswith(each)), default=0)
    if not cut:
        return False
    return _alike(name[:cut], ours[:cut]) >= _CLOSE_PREFIX and _alike(name[cut:], ours[cut:]) >= _CLOSE_REST


def _alike(one, other):
    return difflib.SequenceMatcher(None, one, other).ratio()


def is_empty(value, spec):
    """Whether there is nothing where there must be something."""
    return value is None or (value == "" and any(spec.get(key) for key in ("default", "choices", "required")))
