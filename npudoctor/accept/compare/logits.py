"""Logits of two models over the same input, position by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.accept.compare.result import Comparison, Limit
from npudoctor.accept.compare.tensors import dumps
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

COSINE = 0.999
"""Founding report A holds both models to it."""
TOP = 5
_AT_ONCE = 256  # positions: of a vocabulary of 150,000 in float64 some 300 MB


def compare_logits(
    first: Path, second: Path, cosine: float = COSINE, top5: float | None = None, shown: int = 5
) -> Comparison:
    """Compare two dumps of logits; arrays of the shape (…, positions, vocabulary), matched by name.

    Args:
        first: The dump of the original.
        second: The dump of what was made of it.
        cosine: The least cosine similarity of any position.
        top5: The least mean share of the five best tokens that both have; None: shown, not judged.
        shown: How many of the worst positions are told.

    Raises:
        UsageError: Names, shapes or files do not fit.
    """
    with dumps(first) as before, dumps(second) as after:
        rows = [row for name in _names(before, after) for row in _rows(name, before[name], after[name])]
    if not rows:
        raise UsageError(_("{file}: holds no position").format(file=first), _("dump logits of some input"))
    limits = [Limit("cosine_min", cosine, True)]
    if top5 is not None:
        limits.append(Limit("top5_agreement", top5, True))
    rows_by_cosine = sorted(rows, key=lambda row: row["cosine"])
    return Comparison("logits", _figures(rows, cosine), tuple(limits), tuple(rows_by_cosine[:shown]))


def _figures(rows: list[dict[str, Any]], cosine: float) -> dict[str, float | int | None]:
    count = len(rows)
    return {
        "positions": count,
        "cosine_min": min(row["cosine"] for row in rows),
        "cosine_mean": sum(row["cosine"] for row in rows) / count,
        "cosine_of_top5_min": min(row["cosine_of_top5"] for row in rows),
        "top5_agreement": sum(row["top5_agreement"] for row in rows) / count,
        "top1_agreement": sum(row["same_first"] for row in rows) / count,
        "positions_below": sum(row["cosine"] < cosine for row in rows),
    }


def _names(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    names = list(before)
    odd = sorted(set(names) ^ set(after))
    if odd:
        raise UsageError(_("only one of the dumps has {name}").format(name=odd[0]), _("dump both alike"))
    return names


def _rows(name: str, before: Any, after: Any) -> Iterator[dict[str, Any]]:
    if before.shape != after.shape or before.ndim < 1 or before.dtype.kind not in "fiu":
        raise UsageError(
            _("{name}: the shapes are {one} and {two}").format(name=name, one=before.shape, two=after.shape),
            _("dump logits of the same input, positions × vocabulary"),
        )
    width = before.shape[-1]
    if 0 in before.shape:
        return
    old, new = before.reshape(-1, width), after.reshape(-1, width)
    for start in range(0, len(old), _AT_ONCE):
        yield from _part(name, start, old[start : start + _AT_ONCE], new[start : start + _AT_ONCE])


def _part(name: str, start: int, old: Any, new: Any) -> Iterator[dict[str, Any]]:
    import numpy

    old, new = numpy.asarray(old, dtype=numpy.float64), numpy.asarray(new, dtype=numpy.float64)
    best, second = _best(old), _best(new)
    whole = cosines(old, new)
    top = cosines(numpy.take_along_axis(old, best, 1), numpy.take_along_axis(new, best, 1))
    for at in range(len(old)):
        both = len(set(best[at].tolist()) & set(second[at].tolist()))
        yield {
            "name": name,
            "position": start + at,
            "cosine": float(whole[at]),
            "cosine_of_top5": float(top[at]),
            "top5_agreement": both / best.shape[1],
            "same_first": bool(best[at][0] == second[at][0]),
        }


def _best(rows: Any) -> Any:
    """Indexes of the largest values of each row, the largest first."""
    import numpy

    count = min(TOP, rows.shape[1])
    some = numpy.argpartition(-rows, count - 1, axis=1)[:, :count]
    order = numpy.argsort(-numpy.take_along_axis(rows, some, 1), axis=1, kind="stable")
    return numpy.take_along_axis(some, order, 1)


def cosines(old: Any, new: Any) -> Any:
    """Cosine similarity of each row; 0 where a value is not finite or only one row is all zeros."""
    import numpy

    with numpy.errstate(all="ignore"):
        dots = numpy.einsum("ij,ij->i", old, new)
        lengths = numpy.linalg.norm(old, axis=1) * numpy.linalg.norm(new, axis=1)
        got = numpy.where(lengths > 0, dots / lengths, 0.0)
    got = numpy.where((old == 0).all(axis=1) & (new == 0).all(axis=1), 1.0, got)
    return numpy.clip(numpy.where(numpy.isfinite(got), got, 0.0), -1.0, 1.0)
