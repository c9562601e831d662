"""YAML with the line of every value. Nothing is copied or unfolded: an alias costs no more than its node."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from npudoctor.gate.shell.word import cleaned
from npudoctor.gate.unit import Unreadable, Where
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.gate.files import File

_TEMPLATE = regex(r"\{\{.*?\}\}|\{%.*?%\}", 16)  # re.DOTALL
_MOST_MERGES = 64


class Yaml:
    """One value of a YAML document: a mapping, a list, a text, or nothing."""

    def __init__(self, node: Any, file: File) -> None:
        self._node = node
        self.file = file

    @property
    def line(self) -> int:
        """Where it starts, 1-based."""
        return int(self._node.start_mark.line) + 1 if self._node is not None else 1

    @property
    def identity(self) -> int:
        """The same number for a value and its aliases."""
        return id(self._node)

    @property
    def where(self) -> Where:
        """The same as a place."""
        return Where(self.file.path, self.line, self.file.line(self.line))

    @property
    def is_map(self) -> bool:
        """Whether it has keys."""
        return self._kind == "mapping"

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return self._kind == "sequence"

    @property
    def text(self) -> str | None:
        """The text of a plain value as it is written; None for a mapping, a list and null."""
        if self._kind != "scalar" or self._is_null:
            return None
        return str(self._node.value)

    @property
    def is_block(self) -> bool:
        """Whether it is a text of several lines (`|` or `>`): its own first line is the one below."""
        return self._kind == "scalar" and self._node.style in ("|", ">")

    def get(self, *path: str) -> Yaml:
        """The value at a path of keys; one that is nothing where it is not there."""
        value = self
        for key in path:
            pair = value._map.get(key)
            value = Yaml(pair[1] if pair else None, self.file)
        return value

    def key(self, name: str) -> Where:
        """The line of a key."""
        if name not in self._map:
            return self.where
        line = int(self._map[name][0].start_mark.line) + 1
        return Where(self.file.path, line, self.file.line(line))

    def items(self) -> Iterator[tuple[str, Yaml]]:
        """Keys and values, those of merged mappings (`<<`) included; the nearest of a name counts."""
        for name, (_key, value) in self._map.items():
            yield name, Yaml(value, self.file)

    def elements(self) -> Iterator[Yaml]:
        """The elements of a list."""
        if self.is_list:
            for node in self._node.value:
                yield Yaml(node, self.file)

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return self._node is not None and not self._is_null

    @property
    def _kind(self) -> str:
        return str(self._node.id) if self._node is not None else ""

    @property
    def _is_null(self) -> bool:
        return self._kind == "scalar" and self._node.tag == "tag:yaml.org,2002:null"

    @cached_property
    def _map(self) -> dict[str, tuple[Any, Any]]:
        """Nodes of key and value by name; merged ones come first, so that own ones count."""
        pairs = _pairs(self._node, [_MOST_MERGES])
        return {key.value: (key, value) for key, value in pairs if isinstance(key.value, str)}


def _pairs(node: Any, left: list[int]) -> Iterator[tuple[Any, Any]]:
    if node is None or node.id != "mapping" or left[0] <= 0:
        return
    left[0] -= 1
    for key, value in node.value:
        if key.value == "<<":
            sources = value.value if value.id == "sequence" else [value]
            for source in reversed(sources):
                yield from _pairs(source, left)
    for key, value in node.value:
        if key.value != "<<":
            yield key, value


def documents(file: File, marked: bool = False) -> list[Yaml]:
    """The documents of a YAML file; one with marks of open parts in it was written here.

    Raises:
        Unreadable: It is no YAML, with the line; `is_templated` tells whether that is on purpose.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = file.text if marked else cleaned(file.text)
    try:
        return [Yaml(node, file) for node in yaml.compose_all(text, loader) if node is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        why = _("no YAML: {why}").format(why=error.problem or error.context)
        raise Unreadable(why, mark.line + 1 if mark else None) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Unreadable(_("no YAML: {why}").format(why=str(error).split("\n")[0]), None) from None


def is_templated(file: File) -> bool:
    """Whether it is a template of Helm, Jinja or the like, and no YAML yet."""
    return _TEMPLATE.search(file.text) is not None


def texts(values: Iterable[Yaml]) -> Iterator[str]:
    """The plain texts among values."""
    for value in values:
        if value.text is not None:
            yield value.text
