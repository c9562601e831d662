"""Looks at every variable of a host before anything is done: misspelt names, empty values, fields that disagree."""

from __future__ import annotations

import re

from ansible.plugins.action import ActionBase
from ansible_collections.npudoctor.ascend.plugins.module_utils.package import chip_family
from ansible_collections.npudoctor.ascend.plugins.plugin_utils.variables import is_empty, known_variables, misspelt

_COMPONENTS = (
    "host_tuning",
    "driver",
    "firmware",
    "toolkit",
    "ops",
    "nnal",
    "python_env",
    "environment",
    "docker",
    "ascend_runtime",
    "hccn",
    "serving",
)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_FOREIGN = ("ansible_", "inventory_", "_")


class ActionModule(ActionBase):
    """Runs on the controller alone; the host is not asked."""

    TRANSFERS_FILES = False
    _VALID_ARGS = frozenset()
    _requires_connection = False

    def run(self, tmp=None, task_vars=None):
        """Fail with every problem at once."""
        result = super().run(tmp, task_vars)
        given = {name: value for name, value in task_vars.items() if not name.startswith(_FOREIGN)}
        specs, registered = known_variables()
        values = {name: self._templar.template(given[name]) for name in given if name in specs}
        allowed = values.get("npudoctor_known_variables") or []
        problems = [
            *misnamed(given, {*specs, *registered, *allowed}),
            *ill_valued(values, specs),
            *disagreeing(values),
        ]
        if problems:
            return dict(result, failed=True, changed=False, msg="; ".join(problems), problems=problems)
        return dict(result, changed=False, problems=[])


def misnamed(given, known):
    """Names that are almost one of ours, and names that begin like ours and are none."""
    for name, near in misspelt(given, known):
        if near:
            yield f"{name} is no variable of any role: is {near} meant? (npudoctor_known_variables lets a name pass)"
        else:
            yield f"{name} is no variable that these playbooks know"


def ill_valued(values, specs):
    """Values that are empty where there must be one, and lists or mappings where a text is wanted, or the reverse."""
    for name, value in values.items():
        spec = specs[name]
        kind = spec.get("type", "str")
        if is_empty(value, spec):
            yield f"{name} is empty: give it a value, or leave it out"
        elif kind == "list" and isinstance(value, (str, dict)):
            yield f"{name} must be a list, not {value!r}"
        elif kind == "dict" and not isinstance(value, dict):
            yield f"{name} must be a mapping, not {value!r}"
        elif kind in ("str", "path") and isinstance(value, (list, dict)):
            yield f"{name} must be a text, not {value!r}"


def disagreeing(values):
    """Fields that contradict each other."""
    stack = _mapping(values.get("npudoctor_stack"))
    for component, packages in _mapping(values.get("npudoctor_packages")).items():
        for package in packages if isinstance(packages, list) else []:
            yield from _package(component, _mapping(package), str(stack.get("chip") or ""))
    for name in ("npudoctor_only", "npudoctor_skip"):
        for component in values.get(name) or []:
            if component not in (*_COMPONENTS, "preflight", "reboot", "verify"):
                yield f"{name} names {component}, which is no component"
    for part in ("user", "group"):
        one, other = values.get(f"driver_{part}"), values.get(f"preflight_{part}")
        if one and other and one != other:
            yield f"driver_{part} is {one}, preflight_{part} is {other}: they must be the same"


def _package(component, package, chip):
    name = package.get("name")
    if not name:
        yield f"npudoctor_packages.{component}: a package has no name"
        return
    if not _DIGEST.fullmatch(str(package.get("sha256"))):
        yield f"npudoctor_packages.{component}: {name} needs a sha256 of 64 hex digits"
    if not isinstance(package.get("size"), int) or package["size"] < 1:
        yield f"npudoctor_packages.{component}: {name} needs its size in bytes"
    family, wanted = chip_family(name), chip_family(f"-{chip}-")
    if family and wanted and family != wanted:
        yield f"npudoctor_packages.{component}: {name} is for {family}, the stack is for {chip}"


def _mapping(value):
    return value if isinstance(value, dict) else {}
