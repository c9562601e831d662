"""Where the shipped matrix lies: at the root of a checkout, inside the package of a wheel."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from npudoctor.data import PACKAGE, Data, load

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = PACKAGE / "matrix" / "compat_matrix.schema.json"


@cache
def matrix_data() -> Data:
    """The shipped matrix as plain data."""
    return load(matrix_file(), SCHEMA)


def matrix_file() -> Path:
    """The shipped file."""
    inside = PACKAGE / "compat_matrix.yaml"
    return inside if inside.exists() else PACKAGE.parent / "compat_matrix.yaml"
