"""DOR and O1TURN on k-ary 2-cubes: (k - 1)/2 for every k; DOR on k-ary n-cubes.

The proofs are in ``docs/methods/trends.md``.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from obroute.theorems.statement import (
    Bounds,
    Certificate,
    CubeTheorem,
    Place,
    require,
    tie_weight,
    total,
)


def dor_load(radix: int, dimensions: int) -> Fraction:
    """Return DOR's worst-case load on the k-ary n-cube (packets per cycle), for k ≥ 2.

    ``k^(n/2 - 1) (k - 1)/2`` for even and ``k^((n - 1)/2) ⌊(k - 1)/2⌋`` for odd n; on a hypercube,
    where rings have one channel each way, ``2^⌊(n - 1)/2⌋``.

    >>> [str(dor_load(k, n)) for k, n in ((9, 2), (8, 2), (8, 1), (5, 3), (2, 7))]
    ['4', '7/2', '3', '10', '8']
    """
    if radix == 2:
        return Fraction(2 ** ((dimensions - 1) // 2))
    if dimensions % 2:
        return Fraction(radix ** (dimensions // 2) * ((radix - 1) // 2))
    return Fraction(radix ** (dimensions // 2 - 1) * (radix - 1), 2)


def _partner(radix: int, i: int) -> int:
    """Return the J of the worst traffic for I: as far as the shorter way goes without a tie.

    The last I of an even ring has no such J and takes the tie with J = 1.
    """
    return max(1, (radix + 1) // 2 - i)


def _weight(radix: int, i: int) -> Fraction:
    """Return the largest :func:`tie_weight` over all J: 1/2 where only the tie is left."""
    return tie_weight(radix, i, 1)


class _HalfOfTheRing(CubeTheorem):
    """What DOR and O1TURN share: the load is the sum of the largest weights of all I."""

    formula = "(k − 1)/2"
    domain = "k ≥ 3"
    page = "docs/methods/trends.md"

    def bounds(self, radix: int) -> Bounds:
        """Return (k - 1)/2 twice."""
        return Bounds(Fraction(radix - 1, 2), Fraction(radix - 1, 2))

    def check(self, radix: int) -> list[str]:
        """Check the weight of each I against every J, their sum, and the traffic's."""
        half = radix // 2
        expected = Fraction(radix - 1, 2)
        reached = total(tie_weight(radix, i, _partner(radix, i)) for i in range(1, half + 1))
        require(reached == expected, f"k = {radix}: the traffic loads it with {reached}")
        columns = np.arange(1, half + 1)
        largest = 1 + (2 * columns < radix).astype(int)  # twice the weight: 1/2 at half the ring
        for i in range(1, half + 1):
            hops = 2 * (i + columns - 1)
            twice = (hops < radix).astype(int) + (hops <= radix)
            # DOR needs the source's weight; O1TURN half of either end's, or both for a pair in
            # the row.
            covered = (twice <= largest[i - 1]) & (2 * twice <= largest[i - 1] + largest)
            require(bool(covered.all()), f"k = {radix}: a pair of I = {i} is not covered")
        sum_found = total(_weight(radix, i) for i in range(1, half + 1))
        require(sum_found == expected, f"k = {radix}: the potentials sum to {sum_found}")
        return [
            f"traffic: {half} sources in the channel's row load it with {expected}",
            f"potentials: cover every I and J, and sum to {expected}",
        ]


class DimensionOrder(_HalfOfTheRing):
    """DOR: a pair loads the channel with the tie's weight if its source is in the row.

    >>> DimensionOrder().load(9), DimensionOrder().load(8)
    (Fraction(4, 1), Fraction(7, 2))
    """

    routing = "dor"

    def certificate(self, radix: int) -> Certificate:
        """Give the row's sources their largest weights, destinations nothing."""
        half = radix // 2
        traffic: list[tuple[Place, Place]] = [
            ((1 - i, 0), (_partner(radix, i), int(2 * i == radix))) for i in range(1, half + 1)
        ]
        return Certificate(
            radix,
            traffic,
            lambda i, b: _weight(radix, i) * (b == 0),
            lambda j, c: Fraction(0),
        )


class OneTurn(_HalfOfTheRing):
    """O1TURN: half of that by the source's row, half by the destination's.

    >>> OneTurn().load(9), OneTurn().load(8)
    (Fraction(4, 1), Fraction(7, 2))
    """

    routing = "o1turn"

    def certificate(self, radix: int) -> Certificate:
        """Send from the row to other rows, and from other rows to the row."""
        half = radix // 2
        traffic: list[tuple[Place, Place]] = []
        for i in range(1, half + 1):
            j, aside = _partner(radix, i), 1 + int(2 * i == radix)
            traffic += [((1 - i, 0), (j, aside)), ((1 - j, aside), (i, 0))]
        return Certificate(
            radix,
            traffic,
            lambda i, b: _weight(radix, i) * (b == 0) / 2,
            lambda j, c: _weight(radix, j) * (c == 0) / 2,
        )
