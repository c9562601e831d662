"""The table of variables, as `variables.yaml` holds it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from npudoctor.data import load

FOLDER = Path(__file__).parent
Row = Mapping[str, Any]
"""One row: see the head of `variables.yaml` for its fields."""


class Table:
    """The rows by name, and the product line of each torch_npu package."""

    __slots__ = ("lines", "rows")

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.rows: dict[str, Row] = {row["name"]: row for row in content["variables"]}
        self.lines: Mapping[str, str] = content["torch_npu_lines"]


@lru_cache(maxsize=1)
def table() -> Table:
    """The shipped table; read once a run."""
    return Table(load(FOLDER / "variables.yaml").content)


@lru_cache(maxsize=1)
def misspellings() -> Row:
    """The shipped list of misspelt names."""
    content: Row = load(FOLDER / "misspellings.yaml").content
    return content


@lru_cache(maxsize=1)
def combinations() -> list[Row]:
    """The shipped rules over several variables."""
    rows: list[Row] = load(FOLDER / "combinations.yaml").content["combinations"]
    return rows
