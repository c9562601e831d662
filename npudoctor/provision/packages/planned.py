"""What a plan wants stored: its stack for each architecture, and what its hosts can go back to."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.matrix.stacks import NamedStack, load_stack
from npudoctor.provision.components import component
from npudoctor.versions import Cann, VersionError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from npudoctor.matrix.matrix import Matrix

_WAY_BACK = ("driver", "firmware", "toolkit", "ops", "nnal", "ascend_runtime")
"""Components that go back by their former packages; a Python environment is kept as it is."""
_LONGEST = 256 * 1024 * 1024
"""Of a plan: some 50,000 hosts."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Packages that are to be stored.

    Attributes:
        only: Components; all where none is named.
        way_back: Whether they are for undo: then none of them must be there.
    """

    stack: NamedStack
    arch: str
    only: tuple[str, ...] = ()
    way_back: bool = False


def wanted_of_plan(file: Path, matrix: Matrix) -> list[Wanted]:
    """The stack of a plan, and what each of its hosts has now.

    Raises:
        UsageError: The file cannot be read, or is no plan.
    """
    try:
        with file.open(encoding="utf-8") as opened:
            plan = json.loads(opened.read(_LONGEST))
        stack = load_stack(matrix, plan["stack"])
        hosts = [(str(host["arch"]), dict(host["before"])) for host in plan["hosts"] if host.get("arch")]
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", _("give a plan that can be read")) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = _("{file}: no plan ({why})").format(file=file, why=error)
        raise UsageError(what, _("npudoctor provision --plan --format json writes one")) from None
    wanted = [Wanted(stack, arch) for arch in dict.fromkeys(arch for arch, _before in hosts)]
    return wanted + [one for arch, before in hosts for one in _back(stack, arch, before)]


def _back(stack: NamedStack, arch: str, before: dict[str, Any]) -> Iterator[Wanted]:
    """What a host has, as the wanted stack with these versions in it."""
    present = {name: str(before[name]) for name in _WAY_BACK if before.get(name) not in (None, "", "?")}
    versions = {component(name).version: version for name, version in present.items()}
    changed = {key: version for key, version in versions.items() if stack.versions.get(key) != version}
    if not changed or not _is_cann(versions.get("cann")):
        return
    only = tuple(name for name in present if component(name).version in changed)
    yield Wanted(replace(stack, versions={**stack.versions, **versions}), arch, only, way_back=True)


def _is_cann(version: str | None) -> bool:
    try:
        return version is None or bool(Cann(version))
    except VersionError:
        return False
