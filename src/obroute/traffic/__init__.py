"""Traffic: named patterns, one family a file, traffic from files, and seeded samples.

What every source of a network sends is a :class:`Traffic`; a :class:`Pattern` makes one for any
network that it is defined on, and a :class:`Sample` draws many.

A named pattern other than ``uniform`` is a permutation of the terminals; a file may also hold a
partial one, or demands of any size. Bit patterns read a terminal's number as bits; patterns of
grids read its coordinates.

Adding a pattern is adding a file here.
"""

from obroute.traffic.demands import Traffic, partial_permutation
from obroute.traffic.registry import Pattern, defined_patterns, make_pattern, patterns
from obroute.traffic.samples import (
    MATRIX_KINDS,
    Sample,
    random_doubly_stochastic,
    random_permutations,
)

__all__ = [
    "MATRIX_KINDS",
    "Pattern",
    "Sample",
    "Traffic",
    "defined_patterns",
    "make_pattern",
    "partial_permutation",
    "patterns",
    "random_doubly_stochastic",
    "random_permutations",
]
