"""Texts of a Compose file with their variables put in: from `.env` beside it, else their defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.dotenv import variables
from npudoctor.gate.interpolate import interpolate
from npudoctor.gate.shell.word import hole, holes, shown
from npudoctor.gate.unit import Setting
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.unit import Where
    from npudoctor.gate.yaml_nodes import Yaml

_USED = regex(r"\$\{?([A-Za-z_]\w*)")


class Values:
    """Substitutes variables in the texts of one project."""

    def __init__(self, file: File, repository: Repository) -> None:
        found = repository.near(file, ".env")
        self._given: Mapping[str, Setting] = variables(found) if found else {}

    def raw(self, text: str) -> str:
        """The raw text after substitution; a variable that is set nowhere here is a hole."""
        return interpolate(text, self._lookup, "$$") if "$" in text else text

    def setting(self, value: Yaml, text: str | None = None) -> Setting:
        """A plain value, or part of one, with the lines that set what is in it."""
        written = (value.text or "") if text is None else text
        return self.at(written, value.where)

    def at(self, written: str, where: Where) -> Setting:
        """A text that stands at a line."""
        raw = self.raw(written)
        names = dict.fromkeys(_USED.findall(written))
        parts = tuple(self._given[name].where for name in names if name in self._given)
        return Setting(shown(raw), where, holes(raw), parts=parts)

    def variable(self, name: str, where: Where) -> Setting:
        """A variable that is handed through by its name alone."""
        return self._given.get(name) or Setting(f"${{{name}}}", where, (name,))

    def pairs(self, value: Yaml) -> Iterator[tuple[str, Setting]]:
        """Names and values of `environment`, `labels` and `args`, as a mapping or as a list."""
        for name, one in value.items():
            yield name, self.setting(one) if one else self.variable(name, value.key(name))
        for one in value.elements():
            name, equals, text = (one.text or "").partition("=")
            if name:
                yield name, self.setting(one, text) if equals else self.variable(name, one.where)

    def _lookup(self, name: str) -> str | None:
        given = self._given.get(name)
        if given is None:
            return None
        return given.text if given.known else hole(name)
