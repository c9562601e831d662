"""`environment.yml` of conda: its Python, its packages, and those that pip adds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from npudoctor.gate.pip import requirement
from npudoctor.gate.reader import reader
from npudoctor.gate.unit import Kind, Setting, Unit, Unreadable, Where
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository

_NAME = regex(r"(?:.*[-_.])?(?:environment|conda|env)(?:[-_.].*)?\.ya?ml")
_CONDA = regex(r"(?:\S+::)?([A-Za-z0-9._-]+)\s*={1,2}\s*([\w.]+)(?:=\S+)?")
_HEAD = regex(r"^dependencies:\s*$", re.MULTILINE)


def _is_conda(file: File) -> bool:
    return bool(_NAME.fullmatch(file.name)) and bool(_HEAD.search(file.text)) and "kind:" not in file.text


@reader("conda", _is_conda)
def read_environment(file: File, _repository: Repository) -> Iterator[Unit]:
    """One unit for the environment.

    Raises:
        Unreadable: It is no YAML.
    """
    import yaml

    try:
        root = yaml.compose(file.text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise Unreadable("no YAML", mark.line + 1 if mark else 1) from None
    python, found = None, []
    for where, text in _dependencies(root, file):
        conda = _CONDA.fullmatch(text)
        if conda and conda[1] == "python":
            python = Setting(".".join(conda[2].split(".")[:2]), where)
            continue
        exact = f"{conda[1]}=={conda[2]}" if conda else text
        if one := requirement(exact, where):
            found.append(one)
    where = Where(file.path, 1, file.line(1))
    unique = {one.name: one for one in found}
    yield Unit(Kind.PACKAGES, file.name, where, requirements=tuple(unique.values()), python=python)


def _dependencies(root: Any, file: File) -> Iterator[tuple[Where, str]]:
    """Every entry of `dependencies`, those under `pip:` too, with its place."""
    for key, value in getattr(root, "value", ()) if getattr(root, "id", "") == "mapping" else ():
        if key.value == "dependencies":
            yield from _leaves(value, file)


def _leaves(node: Any, file: File) -> Iterator[tuple[Where, str]]:
    if node.id == "scalar":
        line = node.start_mark.line + 1
        yield Where(file.path, line, file.line(line)), str(node.value)
    elif node.id == "sequence":
        for child in node.value:
            yield from _leaves(child, file)
    else:
        for _key, value in node.value:
            yield from _leaves(value, file)
