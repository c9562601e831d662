"""The compatibility matrix: load, validate, query, solve."""

from __future__ import annotations


class Matrix:
    """Placeholder until the matrix room is built."""
