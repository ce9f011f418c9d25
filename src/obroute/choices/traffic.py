"""Random traffic."""

from typing import Literal

MatrixKind = Literal["permutation", "mixture", "sinkhorn"]
"""Kinds of random matrices: ``permutation`` draws single permutations, ``mixture`` the mean of as
many permutations as there are terminals, ``sinkhorn`` scales a matrix of uniform entries until
rows and columns sum to one."""
MATRIX_KIND: MatrixKind = "permutation"
