"""Names that are known beforehand, found wherever they stand alone: not inside of longer words."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from npudoctor.collect.redact.engine import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_ALONE = rb"(^|[^A-Za-z0-9])(%b)([^A-Za-z0-9]|$)"


class Names:
    """Names with their kinds.

    Attributes:
        kinds: By name in small letters.
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        spelt = dict(names)
        self.kinds = {name.lower(): kind for name, kind in spelt.items()}
        self._exact = [name for name in spelt if name.isalpha()]
        self._any_case = [name for name in spelt if not name.isalpha()]

    @cached_property
    def hint(self) -> bytes:
        """A pattern that finds wherever one of them may stand; empty where there is none."""
        return any_of(name.lower().encode() for name in [*self._exact, *self._any_case])

    def replace(self, data: bytes, token: Callable[[str, str], str]) -> bytes:
        """The text with `token(kind, name)` in the place of each."""
        for pattern in self._patterns:
            data = self._replace(data, pattern, token)
        return data

    @cached_property
    def _patterns(self) -> list[Any]:
        """Plain words as they are spelt (`Sun` is no user `sun`), names with digits in either case."""
        return [
            compiled(flags + _ALONE % any_of(name.encode() for name in names))
            for names, flags in ((self._any_case, b"(?i)"), (self._exact, b""))
            if names
        ]

    def _replace(self, data: bytes, pattern: Any, token: Callable[[str, str], str]) -> bytes:
        parts: list[bytes] = []
        at = 0
        while found := pattern.search(data, at):
            name = found[2].decode("utf-8", "replace")
            parts += [data[at : found.start(2)], token(self.kinds[name.lower()], name).encode()]
            at = found.end(2)
        return b"".join([*parts, data[at:]])


def any_of(words: Iterable[bytes]) -> bytes:
    """A pattern for any of the words, the longest first, that tries each letter once."""
    tree: dict[int, Any] = {}
    for word in words:
        branch = tree
        for letter in word:
            branch = branch.setdefault(letter, {})
        branch[-1] = {}
    return _pattern(tree)


def _pattern(tree: dict[int, Any]) -> bytes:
    ends = -1 in tree
    branches = [
        re.escape(bytes([letter])) + _pattern(rest) for letter, rest in sorted(tree.items()) if letter >= 0
    ]
    if not branches:
        return b""
    if len(branches) == 1 and not ends:
        return branches[0]
    return b"(?:" + b"|".join(branches) + b")" + (b"?" if ends else b"")
