"""Mean path lengths on k-ary 2-cubes, for every k (``docs/methods/trends.md``)."""

from __future__ import annotations

from fractions import Fraction

from obroute.specs import InputError
from obroute.theorems.statement import SMALLEST_RADIX, torus_uniform_load

_MINIMAL = ("dor", "o1turn", "romm", "romm:order=fixed")
_TWICE = ("valiant", "valiant:order=random")
_BALANCED = ("rlb", "rlb:order=fixed")
_LOOPLESS = ("ival", "ival:order=random")

IVAL_LIMIT = Fraction(5, 3)
"""Where IVAL's mean path length over that of shortest paths goes as k grows, even or odd."""

ROUTINGS_WITH_LENGTHS = (*_MINIMAL, *_TWICE, *_BALANCED, *_LOOPLESS)


def ring_distance(radix: int) -> Fraction:
    """Return the mean hops of the shorter way round a ring, over all pairs.

    ``(k² - 1)/4k`` for odd k and ``k/4`` for even k.

    >>> ring_distance(5), ring_distance(8)
    (Fraction(6, 5), Fraction(2, 1))
    """
    return 2 * torus_uniform_load(radix)


def ring_balanced_distance(radix: int) -> Fraction:
    """Return the mean hops round a ring of Δ with probability (k - Δ)/k, and k - Δ otherwise.

    ``(k² - 1)/3k``: RLB's rule, and what is left of a way through a uniformly random node of the
    ring when its loops are cut out.

    >>> ring_balanced_distance(5), ring_balanced_distance(8)
    (Fraction(8, 5), Fraction(21, 8))
    """
    return Fraction(radix * radix - 1, 3 * radix)


def mean_path_length(routing: str, radix: int) -> Fraction:
    """Return the mean path length on the k-ary 2-cube, in hops, over all pairs of nodes.

    Examples
    --------
    >>> mean_path_length("ival", 8), mean_path_length("rlb", 8)
    (Fraction(413, 64), Fraction(21, 4))

    Raises
    ------
    InputError
        If no closed form is known, or the radix is below 3.
    """
    if routing not in ROUTINGS_WITH_LENGTHS or radix < SMALLEST_RADIX:
        raise InputError(
            f"no closed form for the path length of {routing} at k = {radix}; there is one from "
            f"k = {SMALLEST_RADIX} on for {', '.join(ROUTINGS_WITH_LENGTHS)}"
        )
    shortest = 2 * ring_distance(radix)
    if routing in _MINIMAL:
        return shortest
    if routing in _TWICE:
        return 2 * shortest
    if routing in _BALANCED:
        return 2 * ring_balanced_distance(radix)
    return Fraction(radix - 1, radix) * shortest + Fraction(
        radix + 1, radix
    ) * ring_balanced_distance(radix)
