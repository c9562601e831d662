"""Variables of the inventory that are almost ours, or empty: looked at before anything is touched.

Ansible takes a misspelt name for a variable of somebody else, and a rule that it turns on would silently
not hold. The names, and what is near, are those that the role `validate` of the collection goes by.
"""

from __future__ import annotations

import runpy
from functools import cache
from typing import TYPE_CHECKING, Any

from npudoctor.nodeset import fold
from npudoctor.provision.playbooks import plugin_utils
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from npudoctor.collect.inventory import Target


@cache
def _shared() -> dict[str, Any]:
    return runpy.run_path(str(plugin_utils() / "variables.py"))


def prefixes() -> tuple[str, ...]:
    """What the names of our variables begin with."""
    found: tuple[str, ...] = _shared()["prefixes"]()
    return found


def misnamed(hosts: Sequence[Target]) -> Iterator[str]:
    """A line for each variable that is not what it should be, with the hosts that have it."""
    specs, registered = _shared()["known_variables"]()
    given = _owners((host.name, host.variables) for host in hosts)
    for name, near in _shared()["misspelt"](given, {*specs, *registered}):
        yield f"{fold(given[name])}: {_almost(name, near)}"
    empty = _owners((host.name, _empty(host, specs)) for host in hosts)
    for name in sorted(empty):
        text = _("{name} is empty: give it a value, or leave it out").format(name=name)
        yield f"{fold(empty[name])}: {text}"


def _empty(host: Target, specs: Mapping[str, Any]) -> list[str]:
    is_empty = _shared()["is_empty"]
    return [name for name, value in host.empty if name in specs and is_empty(value, specs[name])]


def _almost(name: str, near: str) -> str:
    if near:
        return _("{name} is no variable of any role; did you mean {near}?").format(name=name, near=near)
    return _("{name} is no variable that these playbooks know").format(name=name)


def _owners(names: Iterable[tuple[str, Iterable[str]]]) -> dict[str, list[str]]:
    """By variable: who has it."""
    found: dict[str, list[str]] = {}
    for host, variables in names:
        for variable in variables:
            found.setdefault(variable, []).append(host)
    return found
