"""Traffic: named patterns, one family a file, traffic from files, and seeded samples.

A named pattern other than ``uniform`` is a permutation of the terminals; a file may also hold a
partial one, or demands of any size. Bit patterns read a terminal's number as bits; patterns of
grids read its coordinates.

Adding a pattern is adding a file here.
"""

from obroute.traffic.registry import Pattern, make_pattern, patterns
from obroute.traffic.samples import (
    MATRIX_KINDS,
    random_doubly_stochastic,
    random_permutations,
)

__all__ = [
    "MATRIX_KINDS",
    "Pattern",
    "make_pattern",
    "patterns",
    "random_doubly_stochastic",
    "random_permutations",
]
