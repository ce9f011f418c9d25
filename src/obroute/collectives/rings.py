"""Ring algorithms, and all-to-all pair by pair."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import numpy as np

from obroute.collectives.contract import Collective, Step, collectives, power_of_two, shift
from obroute.specs import Parameter, parse_choice

PHASES = {"allreduce": 2, "allgather": 1, "reduce_scatter": 1}
Operation = Annotated[str, Parameter(f"what it does: {', '.join(PHASES)}", parse_choice(*PHASES))]


@collectives.register(
    "ring",
    "each rank passes an N-th on to the next, N - 1 times for each phase",
    defined_for="any number of ranks",
    examples=("ring", "ring:operation=allgather"),
    small=("ring", "ring:operation=allgather"),
)
class Ring(Collective):
    """The ring of Patarasuk and Yuan (2009)."""

    def __init__(self, operation: Operation = "allreduce") -> None:
        self.operation = operation

    def steps(self, ranks: int) -> list[Step]:
        """Return shifts by one."""
        one = Step(shift(ranks, 1), Fraction(1, ranks))
        return [one] * (PHASES[self.operation] * (ranks - 1))


@collectives.register(
    "pairwise",
    "all-to-all: in step i to the rank i places on, or that differs by i in its bits",
    defined_for="any number of ranks; exchange=xor for powers of two",
    examples=("pairwise", "pairwise:exchange=xor"),
    small=("pairwise", "pairwise:exchange=xor"),
)
class Pairwise(Collective):
    """All-to-all in N - 1 steps, an N-th of the vector in each."""

    def __init__(
        self,
        exchange: Annotated[
            str, Parameter("shift or xor: which rank is next", parse_choice("shift", "xor"))
        ] = "shift",
    ) -> None:
        self.exchange = exchange

    def steps(self, ranks: int) -> list[Step]:
        """Return all shifts, or all exchanges."""
        if self.exchange == "xor":
            power_of_two(self.name, ranks)
            return [
                Step(np.arange(ranks) ^ other, Fraction(1, ranks)) for other in range(1, ranks)
            ]
        return [Step(shift(ranks, other), Fraction(1, ranks)) for other in range(1, ranks)]
