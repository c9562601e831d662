"""Which CANN a release of a serving engine is built on: for images whose tag names the engine alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.matrix.pattern import is_exact
from npudoctor.versions import Cann, Mindie, Version, VersionError, VllmAscend

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.matrix.matrix import Matrix

_ENGINES: tuple[tuple[str, type[Version]], ...] = (("vllm_ascend", VllmAscend), ("mindie", Mindie))


@dataclass(frozen=True, slots=True)
class Release:
    """The CANN of an engine's release.

    Attributes:
        component: `vllm_ascend` or `mindie`.
        version: The release.
        cann: The one CANN that the rows name.
        row: The id of the row that says so.
    """

    component: str
    version: str
    cann: str
    row: str


def release_of(matrix: Matrix, versions: Mapping[str, str]) -> Release | None:
    """The CANN that belongs to the engine among some versions (`{"vllm_ascend": "0.11.0"}`).

    None where no engine is among them, or its release is not known, or rows name more than one CANN.
    """
    for component, series in _ENGINES:
        if component in versions:
            return _release(matrix, component, series, versions[component])
    return None


def _release(matrix: Matrix, component: str, series: type[Version], text: str) -> Release | None:
    try:
        version = series(text)
    except VersionError:
        return None
    rows = [
        row
        for row in matrix.section(component)
        if isinstance(row.get("cann"), str) and is_exact(row[component], version)
    ]
    named = {Cann(row["cann"]) for row in rows}
    return Release(component, text, str(rows[0]["cann"]), rows[0]["id"]) if len(named) == 1 else None
