"""What hosts are to be: the stack, and which of its components the call touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.matrix.stacks import NamedStack  # noqa: TC001 (dataclasses read it)
from npudoctor.provision.components import Component, components
from npudoctor.provision.plan.settings import settings
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable

_BELOW = {"docker": "ascend_runtime"}
"""Components without a version of their own, and the one whose version asks for them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of every host.

    Attributes:
        components: Those that are touched, in the order of a first install.
        left_out: Settings that are left alone: `host_tuning.thp`.
        named: Components that the call itself names.
    """

    stack: NamedStack
    components: tuple[Component, ...]
    left_out: frozenset[str]
    named: frozenset[str] = frozenset()

    def version(self, component: str) -> str:
        """The version of a component; empty where it has none."""
        return self.stack.version_of(component) or ""

    def wants(self, component: str) -> bool:
        """Whether it is among those that are touched."""
        return any(one.name == component for one in self.components)


def wanted_of(stack: NamedStack, only: Iterable[str], skip: Iterable[str]) -> Wanted:
    """What a call wants; raises `UsageError` for a component that there is not, and where none is left."""
    named, left_out = _known("--only", only, []), _known("--skip", skip, settings())
    chosen = tuple(
        one
        for one in components()
        if one.name not in left_out and (one.name in named if named else _of_stack(one, stack))
    )
    if not chosen:
        raise UsageError(_("--only and --skip leave no component"), _("name one in --only alone"))
    return Wanted(stack, chosen, frozenset(left_out) & frozenset(settings()), frozenset(named))


def _of_stack(component: Component, stack: NamedStack) -> bool:
    key = component.version or _BELOW.get(component.name, "")
    return not key or key in stack.versions


def _known(option: str, names: Iterable[str], settings: list[str]) -> tuple[str, ...]:
    """The names, each of a component or of one of these settings."""
    all_names = [one.name for one in components()] + settings
    given = tuple(names)
    for name in given:
        if name not in all_names:
            what = _("{option}: there is no component {name}").format(option=option, name=name)
            raise UsageError(what, _nearest(name, all_names))
    return given


def _nearest(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    if found := get_close_matches(name, names, n=2):
        return _("did you mean {names}?").format(names=_(" or ").join(found))
    return _("one of {names}").format(names=", ".join(names))
