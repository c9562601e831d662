"""What a check is, and the list of all of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact
from npudoctor.finding import Verdict

AREAS = (
    "npu", "driver", "firmware", "cann", "python", "torch", "serving", "os", "kernel", "pcie",
    "limits", "memory", "env", "network", "container", "storage", "users", "fleet", "gate",
)  # fmt: skip

CheckFunction = Callable[..., Verdict]
"""`(host) -> Verdict`, or `(host, matrix) -> Verdict` for a check that asks the matrix.

In the area `fleet` the first argument is a collection of `Member`, one a host: go over it, keep none.
"""

Reads = Callable[..., Mapping[str, Fact[Any]] | str]
"""`(host) -> facts by name`: what a check of the fleet keeps of one host.

Of a host that has no part in it nothing, or the reason in words, which is told where too few are left.
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One registered check.

    Attributes:
        id: `area.name`, stable for ever.
        title: What holds when it passes, in a few words.
        function: Judges one host.
        sources: URLs or source names that the rule comes from.
        dated: When the sources said so, `YYYY-MM` or `YYYY-MM-DD`.
        role: The Ansible role that mends it on many hosts, where there is one.
        reads: In the area `fleet`: what is kept of each host; None in the others.
    """

    id: str
    title: str
    function: CheckFunction
    sources: tuple[str, ...]
    dated: str
    role: str | None
    reads: Reads | None = None

    @property
    def area(self) -> str:
        """The part of the id before the dot."""
        return self.id.partition(".")[0]

    @property
    def why(self) -> str:
        """The function's docstring: why it matters, since when, and what value is right."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def of_fleet(self) -> bool:
        """Whether it judges all hosts side by side, and not one host."""
        return self.area == "fleet"

    @property
    def of_stack(self) -> bool:
        """Whether it holds a host against a stack, and has nothing to say where none is given."""
        return self.id.endswith("of_stack")

    def judge(self, subject: Any, matrix: Any) -> Verdict:
        """Run the check on one host (or on what is kept of all hosts, in the area `fleet`)."""
        wants_matrix = self.function.__code__.co_argcount > 1
        return self.function(subject, matrix) if wants_matrix else self.function(subject)


_checks: dict[str, Check] = {}


def check(
    id: str,
    *,
    title: str,
    sources: tuple[str, ...],
    dated: str,
    role: str | None = None,
    reads: Reads | None = None,
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a function as the check `id`. Its docstring is what `npudoctor explain` prints."""

    def register(function: CheckFunction) -> CheckFunction:
        if id in _checks:
            raise ValueError(f"two checks have the id {id}")
        if id.partition(".")[0] not in AREAS:
            raise ValueError(f"{id}: the area must be one of {', '.join(AREAS)}")
        if (id.partition(".")[0] == "fleet") != (reads is not None):
            raise ValueError(f"{id}: checks of the fleet, and only those, say what they read of each host")
        _checks[id] = Check(id, title, function, sources, dated, role, reads)
        return function

    return register


def all_checks() -> tuple[Check, ...]:
    """Every check in this folder, by id."""
    for module in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        import_module(f"{__package__}.{module.stem}")
    return tuple(_checks[id] for id in sorted(_checks))
