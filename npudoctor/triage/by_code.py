"""Candidates out of codes alone: what their tables say, where no signature says more."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from npudoctor.data import load
from npudoctor.finding import Action, Fix
from npudoctor.triage.signatures import Signature
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from npudoctor.triage.codes import Code
    from npudoctor.triage.gather import Sight

FILE = Path(__file__).with_name("categories.yaml")
MOST = 4
"""Candidates of one dump that rest on nothing but a code."""


def candidates(sights: Iterable[Sight]) -> list[tuple[Signature, tuple[Sight, ...]]]:
    """A signature for each code of these sights that speaks of a cause, first ones first."""
    found: dict[tuple[str, str], tuple[Code, list[Sight]]] = {}
    for sight in sights:
        for code in sight.codes:
            found.setdefault((code.family, code.code), (code, []))[1].append(sight)
    named = ((signature(code), tuple(lines)) for code, lines in found.values())
    return [(known, lines) for known, lines in named if known][:MOST]


def signature(code: Code) -> Signature | None:
    """What a code says of the cause; None where it names none."""
    kind = None if code.catch_all or code.code.startswith("W") else category(code)
    if kind is None:
        return None
    see = _("See npudoctor explain {code}, and the lines around it.").format(code=code.code)
    help = code.fix or code.cause or see
    fix = Fix(Action.NONE, help, (f"npudoctor explain {code.code}",))
    id = f"code-{code.family}-{code.code}".lower().replace("_", "-")
    return Signature(id, kind, code.meaning, "code", False, (), (), (), (), (), (), fix, (), (code.source,))


def category(code: Code) -> str | None:
    """The kind of cause that a code speaks of, or None."""
    if code.family == "aicore":
        return "hardware" if code.kind == "hardware" else "aicore-exception"
    written = [f"{family} {token}" for family, token in ((code.family, code.code), *code.others)]
    return next((kind for each in written if (kind := _listed(each))), None)


def _listed(written: str) -> str | None:
    return next((kind for pattern, kind in _table() if fnmatchcase(written, pattern)), None)


@cache
def _table() -> Sequence[tuple[str, str]]:
    return tuple(_rows())


def _rows() -> Iterator[tuple[str, str]]:
    for row in load(FILE).content["categories"]:
        yield from ((pattern, row["category"]) for pattern in row["codes"])
