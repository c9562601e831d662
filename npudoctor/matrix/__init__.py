"""The compatibility matrix: load, validate, query, solve."""

from npudoctor.matrix.matrix import Matrix, load_matrix
from npudoctor.matrix.row import Row
from npudoctor.matrix.statement import Grade, Verdict

__all__ = ["Grade", "Matrix", "Row", "Verdict", "load_matrix"]
