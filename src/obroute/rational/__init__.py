"""Exact rational numbers in arrays: everything that obroute calls exact is held in these.

Numerators are integers over one common denominator, and no operation ever rounds or wraps around.
"""

from obroute.rational.arrays import (
    INT64_ROOM,
    LONGEST_DECIMAL,
    LONGEST_READ,
    FloatArray,
    IntArray,
    RationalArray,
    brief,
    compact_integers,
    concatenate,
    exactly,
    least_common_denominator,
    multiply_integers,
    multiply_sum,
    sum_integers,
)
from obroute.rational.matrices import SparseRationalMatrix, UnexpandedMatrix

__all__ = [
    "INT64_ROOM",
    "LONGEST_DECIMAL",
    "LONGEST_READ",
    "FloatArray",
    "IntArray",
    "RationalArray",
    "SparseRationalMatrix",
    "UnexpandedMatrix",
    "brief",
    "compact_integers",
    "concatenate",
    "exactly",
    "least_common_denominator",
    "multiply_integers",
    "multiply_sum",
    "sum_integers",
]
