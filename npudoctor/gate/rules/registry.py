"""What a rule of the gate is. Where a check on hosts says the same, the rule has the check's id."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, cast

from npudoctor.checks.registry import AREAS, Check, CheckFunction
from npudoctor.dataclass import dataclass
from npudoctor.gate.dotenv import is_template
from npudoctor.regex import regex

if TYPE_CHECKING:
    from npudoctor.finding import Verdict
    from npudoctor.gate.facts import Stack, Value
    from npudoctor.gate.target import Target
    from npudoctor.gate.unit import Unit, Where
    from npudoctor.matrix import Matrix


_TEMPLATE_FOLDERS = frozenset(
    ("example", "examples", "sample", "samples", "template", "templates", "yaml_template", "doc", "docs",
     "test", "tests", "tutorial", "tutorials", "demo", "demos", "benchmarks", "recipes")
)  # fmt: skip
_DEBUGGING = regex(r"(?<![a-z])(?:debug|profil|trace|dump|msprof|bench|tests?(?![a-z]))|(?:debug|test)\.")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a rule judges.

    Attributes:
        unit: What will be built or run.
        stack: What it says of its versions.
        matrix: The compatibility matrix.
        target: What the repository is for, by its `npudoctor.yaml`.
        path: The unit's file from the root of the repository on.
        driver: The hosts' driver, by `npudoctor.yaml` or by the one package that the repository installs.
    """

    unit: Unit
    stack: Stack
    matrix: Matrix
    target: Target
    path: str
    driver: Value | None

    @property
    def is_called_template(self) -> bool:
        """Whether the file is there to be copied and filled in, by its name or by `npudoctor.yaml`."""
        named = any(fnmatchcase(self.path, glob) for glob in self.target.templates)
        return named or is_template(self.path.rpartition("/")[2])

    @property
    def is_template(self) -> bool:
        """The same, or by its folder: `examples`, `docs`."""
        folders = self.path.lower().split("/")[:-1]
        return self.is_called_template or any(folder in _TEMPLATE_FOLDERS for folder in folders)

    @property
    def is_for_debugging(self) -> bool:
        """Whether the file is there for finding faults: switches may be on in it."""
        return self.is_template or _DEBUGGING.search(self.path.lower()) is not None


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a rule found: the verdict of a check, at a line of a file."""

    id: str
    where: Where
    verdict: Verdict


RuleFunction = Callable[[Subject], Iterable[Trouble]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Attributes:
        ids: The checks that its troubles belong to.
        check: What `explain` tells of it, where no check on hosts has its id.
    """

    ids: tuple[str, ...]
    function: RuleFunction
    check: Check | None = None


_rules: list[Rule] = []


def rule(*ids: str) -> Callable[[RuleFunction], RuleFunction]:
    """Register a function as a rule whose troubles belong to checks that hosts have too."""

    def register(function: RuleFunction) -> RuleFunction:
        _rules.append(Rule(ids, function))
        return function

    return register


def gate_check(
    id: str, *, title: str, sources: tuple[str, ...], dated: str
) -> Callable[[RuleFunction], RuleFunction]:
    """Register a function as a check of the gate alone. Its docstring is what `npudoctor explain` prints."""

    def register(function: RuleFunction) -> RuleFunction:
        if id.partition(".")[0] not in AREAS:
            raise ValueError(f"{id}: the area must be one of {', '.join(AREAS)}")
        _rules.append(
            Rule((id,), function, Check(id, title, cast("CheckFunction", function), sources, dated, None))
        )
        return function

    return register


def registered() -> tuple[Rule, ...]:
    """The rules that were imported."""
    return tuple(_rules)
