"""What `pybabel extract` calls for data files: sentences for people that stand in YAML."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator


def extract(
    file: IO[bytes],
    keywords: Any,
    comment_tags: Any,
    options: dict[str, str],
) -> Iterator[tuple[int, str, str, list[str]]]:
    """The texts under the keys that the mapping's option `keys` names, each with its line."""
    keys = options["keys"].split()
    for name, value in _scalars(yaml.compose(file, yaml.CSafeLoader)):
        if name in keys and value.value:
            yield value.start_mark.line + 1, "", value.value, []


def _scalars(node: yaml.Node | None) -> Iterator[tuple[str, yaml.ScalarNode]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(value, yaml.ScalarNode):
                yield key.value, value
            else:
                yield from _scalars(value)
    elif isinstance(node, yaml.SequenceNode):
        for child in node.value:
            yield from _scalars(child)
