"""Bruck's algorithms: all-to-all and allgather in a logarithm of steps."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from obroute.collectives.contract import Collective, Step, collectives, shift
from obroute.specs import Parameter, parse_choice


@collectives.register(
    "bruck",
    "in step i to the rank 2^i places on (back, for allgather)",
    defined_for="any number of ranks",
    examples=("bruck", "bruck:operation=allgather"),
    small=("bruck", "bruck:operation=allgather"),
)
class Bruck(Collective):
    """Bruck and others (1997).

    For all-to-all, step i sends the blocks whose distance has bit i; for allgather all that a rank
    has, at most what is missing.
    """

    def __init__(
        self,
        operation: Annotated[
            str,
            Parameter("what it does: alltoall, allgather", parse_choice("alltoall", "allgather")),
        ] = "alltoall",
    ) -> None:
        self.operation = operation

    def steps(self, ranks: int) -> list[Step]:
        """Return shifts by powers of two."""
        found = []
        distance = 1
        while distance < ranks:
            if self.operation == "alltoall":
                blocks = sum(bool(other & distance) for other in range(ranks))
                found.append(Step(shift(ranks, distance), Fraction(blocks, ranks)))
            else:
                blocks = min(distance, ranks - distance)
                found.append(Step(shift(ranks, -distance), Fraction(blocks, ranks)))
            distance *= 2
        return found
