"""VAL and IVAL on k-ary 2-cubes: half of capacity, and no routing guarantees more.

The proofs are in ``docs/methods/trends.md``.
"""

from __future__ import annotations

from fractions import Fraction

from obroute.theorems.statement import (
    Bounds,
    Certificate,
    CubeTheorem,
    Place,
    Potential,
    require,
    tie_weight,
    torus_uniform_load,
    total,
)


def least_worst_case(radix: int) -> Fraction:
    """Return the load that no routing on a k-ary n-cube keeps below: twice the capacity load.

    Send every packet ⌊k/2⌋ columns on along one dimension. It goes at least ⌊k/2⌋ channels up or
    ⌈k/2⌉ down in that dimension. Weigh the channels up by ⌈k/2⌉/k and those down by ⌊k/2⌋/k: each
    packet then takes at least ⌊k/2⌋⌈k/2⌉/k, and the mean weighted load is at least that.

    >>> least_worst_case(9), least_worst_case(8)
    (Fraction(20, 9), Fraction(2, 1))
    """
    return Fraction((radix // 2) * ((radix + 1) // 2), radix)


def column_chance(radix: int, i: int) -> Fraction:
    """Return the probability that the channel is on the way from column 1 - I to a uniform one.

    >>> [str(column_chance(8, i)) for i in range(1, 5)]
    ['7/16', '5/16', '3/16', '1/16']
    """
    return Fraction(max(0, radix + 1 - 2 * i), 2 * radix)


class TwoUniformPhases(CubeTheorem):
    """Two phases of dimension order through a uniformly random node, loops removed or not.

    Parameters
    ----------
    routing
        Canonical name.
    source_row, destination_row
        Probability that the first phase takes the channel's dimension first, and so crosses the
        channel in the source's row; and that the second takes it last, in the destination's.

    >>> TwoUniformPhases("valiant", 1, 0).load(9)
    Fraction(20, 9)
    """

    formula = "(k² − 1)/(4k) for odd k, k/4 for even k"
    domain = "k ≥ 3"
    page = "docs/methods/trends.md"

    def __init__(
        self, routing: str, source_row: Fraction | int, destination_row: Fraction | int
    ) -> None:
        self.routing = routing
        self.rows = Fraction(source_row), Fraction(destination_row)

    def bounds(self, radix: int) -> Bounds:
        """Return twice the capacity load, twice."""
        return Bounds(2 * torus_uniform_load(radix), 2 * torus_uniform_load(radix))

    def check(self, radix: int) -> list[str]:
        """Check the chance of each column, the sum of both phases, and the bound for all."""
        half, bounds = radix // 2, self.bounds(radix)
        for i in range(1, half + 1):
            chance = total(tie_weight(radix, i, j) for j in range(1, half + 1)) / radix
            require(chance == column_chance(radix, i), f"k = {radix}: column {i} has {chance}")
        uniform = total(column_chance(radix, i) for i in range(1, half + 1))
        require(2 * uniform == bounds.upper, f"k = {radix}: two phases load it with {2 * uniform}")
        least = least_worst_case(radix)
        require(least == bounds.lower, f"k = {radix}: no routing keeps below {least}")
        return [
            f"two phases of uniform traffic load the channel with {uniform} each",
            f"packets sent {half} columns on load one channel with {least} under every routing",
        ]

    def certificate(self, radix: int) -> Certificate:
        """Send every packet ⌊k/2⌋ columns on; each potential is the load of its phase."""
        half = radix // 2
        traffic: list[tuple[Place, Place]] = [
            ((x, y), (x + half, y)) for x in range(radix) for y in range(radix)
        ]
        first, second = (self._phase(radix, row) for row in self.rows)
        return Certificate(radix, traffic, first, second)

    @staticmethod
    def _phase(radix: int, row: Fraction) -> Potential:
        def potential(i: int, b: int) -> Fraction:
            return column_chance(radix, i) * ((1 - row) / radix + (row if b == 0 else 0))

        return potential
