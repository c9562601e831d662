"""Read an inventory that says all by itself, without Ansible, which takes a second to start.

Only what has one meaning is read here: one file, INI or YAML, of groups, hosts and plain values, with no
settings of Ansible and no folders of variables beside it. Of anything else `read_static` says None, and
Ansible is asked.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

Variables = dict[str, Any]
GIVEN = "given"
"""Under which a host has the names of all its variables but those of Ansible, each with its value
if that is nothing or an empty text, else with True."""
FOREIGN = ("ansible_", "inventory_", "group_names", "groups", "playbook_dir")
"""What the names of Ansible's own variables begin with."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_GROUP = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PAIR = re.compile(r"(\w+)\s*=\s*([A-Za-z0-9_./:@~+-]+)")
_SECTION = re.compile(r"\[(\w+)(:vars)?\]")
_HERE = ("localhost", "127.0.0.1")
_SETTINGS = ("ansible.cfg", "~/.ansible.cfg", "/etc/ansible/ansible.cfg")
_FOLDERS = ("group_vars", "host_vars")
_LONGEST = 16 << 20


class _NotStatic(Exception):
    """Only Ansible knows what this means."""


@dataclass(frozen=True, slots=True)
class _Group:
    """A group: its own hosts with their variables, its variables, and the groups in it."""

    name: str
    hosts: dict[str, Variables]
    variables: Variables
    children: tuple[_Group, ...] = ()


def read_static(path: Path, wanted: Collection[str]) -> dict[str, Variables] | None:
    """The wanted variables of each host, in Ansible's order; None where only Ansible can tell."""
    try:
        if _set_up(path) or not path.is_file() or os.access(path, os.X_OK) or _size(path) > _LONGEST:
            return None
        text = path.read_text(encoding="utf-8")
        if any(mark in text for mark in ("{{", "{%", "{#", "!", "ansible_group_priority")):
            return None
        return _merged(_groups(path, text), wanted) or None
    except (_NotStatic, OSError, ValueError):
        return None


def _size(path: Path) -> int:
    return path.stat().st_size


def _set_up(path: Path) -> bool:
    """Whether settings or folders of Ansible may have a say."""
    places = [Path(place).expanduser() for place in _SETTINGS]
    places += [folder / name for folder in (path.parent, Path()) for name in _FOLDERS]
    return any(name.startswith("ANSIBLE_") for name in os.environ) or any(place.exists() for place in places)


def _groups(path: Path, text: str) -> list[_Group]:
    if path.suffix in (".yml", ".yaml"):
        return _of_yaml(text)
    if path.suffix in ("", ".ini"):
        return _of_ini(text)
    raise _NotStatic


def _of_yaml(text: str) -> list[_Group]:
    import yaml

    try:
        content = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except yaml.YAMLError:
        raise _NotStatic from None
    return [_group(name, body) for name, body in _mapping(content).items()]


def _group(name: Any, body: Any) -> _Group:
    parts = _mapping(body)
    if not _is(_GROUP, name) or name == "ungrouped" or not set(parts) <= {"hosts", "vars", "children"}:
        raise _NotStatic
    hosts = {_host(host): _mapping(values) for host, values in _mapping(parts.get("hosts")).items()}
    children = tuple(_group(*child) for child in _mapping(parts.get("children")).items())
    return _Group(name, hosts, _mapping(parts.get("vars")), children)


def _of_ini(text: str) -> list[_Group]:
    groups: dict[str, _Group] = {"ungrouped": _Group("ungrouped", {}, {})}
    group, of_group = groups["ungrouped"], False
    for line in filter(None, map(_bare, text.splitlines())):
        if line[0] == "[":
            section = _SECTION.fullmatch(line)
            if section is None or not _is(_GROUP, section[1]) or section[1] == "ungrouped":
                raise _NotStatic
            of_group = bool(section[2])
            if of_group and section[1] not in (*groups, "all"):
                raise _NotStatic
            group = groups.setdefault(section[1], _Group(section[1], {}, {}))
        elif of_group:
            group.variables.update([_pair(line)])
        else:
            name, *words = line.split()
            group.hosts.setdefault(_host(name), {}).update(map(_pair, words))
    return list(groups.values())


def _bare(line: str) -> str:
    """A line without its comment; what may or may not be one is for Ansible."""
    bare = line.strip()
    if bare.startswith(("#", ";")):
        return ""
    if "#" in bare or ";" in bare:
        raise _NotStatic
    return bare


def _pair(text: str) -> tuple[str, Any]:
    match = _PAIR.fullmatch(text)
    if match is None:
        raise _NotStatic
    try:
        return match[1], ast.literal_eval(match[2])
    except (ValueError, SyntaxError):
        return match[1], match[2]


def _host(name: Any) -> str:
    if not _is(_NAME, name) or name in _HERE:
        raise _NotStatic
    return str(name)


def _is(pattern: re.Pattern[str], name: Any) -> bool:
    return isinstance(name, str) and pattern.fullmatch(name) is not None


def _mapping(content: Any) -> dict[Any, Any]:
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise _NotStatic
    return content


def _merged(groups: list[_Group], wanted: Collection[str]) -> dict[str, Variables]:
    """What each host has of its own, and else what all its groups say alike."""
    own: dict[str, Variables] = {}
    names: set[str] = set()
    shared: dict[str, Variables] = {}
    of_all = [group.variables for group in groups if group.name == "all"]
    for group, variables in _all_of(groups):
        names.add(group.name)
        for host, values in group.hosts.items():
            _join(own.setdefault(host, {}), values, wanted)
            for more in (*variables, *of_all):
                _join(shared.setdefault(host, {}), more, wanted)
    if names & set(own):
        raise _NotStatic  # a name alone does not tell which of both is meant
    return {host: _both(shared[host], values) for host, values in own.items()}


def _both(shared: Variables, own: Variables) -> Variables:
    """What a host has of its own goes before what its groups say."""
    given = {**shared.get(GIVEN, {}), **own.get(GIVEN, {})}
    return {**shared, **own, **({GIVEN: given} if given else {})}


def _all_of(groups: Iterable[_Group]) -> Iterator[tuple[_Group, tuple[Variables, ...]]]:
    """Each group with its variables and those of the groups that it is in; those above before those below."""
    level: list[tuple[_Group, tuple[Variables, ...]]]
    level = [(group, (group.variables,)) for group in sorted(groups, key=lambda group: group.name != "all")]
    seen: set[str] = set()
    while level:
        for group, above in level:
            if group.name in seen or (group.name == "all" and len(above) > 1):
                raise _NotStatic  # it is told in two places, or stands above itself
            seen.add(group.name)
        yield from level
        level = [(child, (*above, child.variables)) for group, above in level for child in group.children]


def _join(known: Variables, more: Variables, wanted: Collection[str]) -> None:
    """Add what is said elsewhere. Which of two different words counts, only Ansible knows."""
    for name in wanted:
        if name in more:
            value = more[name]
            plain = value is None or isinstance(value, str | int)
            if not plain or (name in known and repr(known[name]) != repr(value)):
                raise _NotStatic
            known[name] = value
    for name in more:
        if isinstance(name, str) and not name.startswith(FOREIGN):
            known.setdefault(GIVEN, {})[name] = more[name] if more[name] in (None, "") else True
