"""Butterflies: recursive doubling, recursive halving and doubling, Bine's of short distances.

In each step ranks exchange in pairs. With vectors halved and doubled (Thakur, Rabenseifner and
Gropp 2005) the first exchange is of half of the vector, the next of a quarter; with recursive
doubling it is all of it each time. Binomial butterflies exchange with the rank that differs in one
bit. Bine's (De Sensi and others 2025) exchange with the one at distance (1 - (-2)^(i + 1)) / 3 =
1, -1, 3, -5, …: on for even ranks and back for odd ones, so that no distance is more than about a
third of the ranks.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import numpy as np

from obroute.collectives.contract import Collective, Step, collectives, power_of_two
from obroute.collectives.rings import Operation
from obroute.rational import IntArray
from obroute.specs import Parameter, parse_choice

FAR, NEAR = "far", "near"
First = Annotated[
    str,
    Parameter("which ranks exchange the largest part: far or near", parse_choice(FAR, NEAR)),
]


def _in_halves(partners: list[IntArray], operation: str) -> list[Step]:
    """Return steps that halve the vector, double it, or first the one and then the other."""
    halving = [Step(to, Fraction(1, 2 << place)) for place, to in enumerate(partners)]
    found = {"reduce_scatter": halving, "allgather": halving[::-1]}
    return found.get(operation, halving + halving[::-1])


@collectives.register(
    "doubling",
    "allreduce by recursive doubling: the whole vector with the rank of another bit i",
    aliases=("recursive_doubling",),
    defined_for="powers of two",
    examples=("doubling",),
    small=("doubling",),
)
class RecursiveDoubling(Collective):
    """Allreduce in log N steps of the whole vector."""

    def steps(self, ranks: int) -> list[Step]:
        """Return an exchange for every bit."""
        bits = power_of_two(self.name, ranks)
        return [Step(np.arange(ranks) ^ (1 << bit), Fraction(1)) for bit in range(bits)]


@collectives.register(
    "halving_doubling",
    "recursive halving, then doubling, of the vector; ranks differ in a bit",
    defined_for="powers of two",
    examples=("halving_doubling", "halving_doubling:first=near"),
    small=("halving_doubling", "halving_doubling:operation=allgather,first=near"),
)
class HalvingDoubling(Collective):
    """Rabenseifner's allreduce, or one of its phases."""

    def __init__(self, operation: Operation = "allreduce", *, first: First = FAR) -> None:
        self.operation, self.first = operation, first

    def steps(self, ranks: int) -> list[Step]:
        """Return exchanges of halves, quarters and so on."""
        bits = power_of_two(self.name, ranks)
        order = range(bits) if self.first == NEAR else reversed(range(bits))
        return _in_halves([np.arange(ranks) ^ (1 << bit) for bit in order], self.operation)


@collectives.register(
    "bine",
    "halving, then doubling, of the vector over Bine's butterfly of short distances",
    aliases=("swing",),
    defined_for="powers of two",
    examples=("bine", "bine:operation=allgather"),
    small=("bine", "bine:operation=reduce_scatter"),
)
class Bine(Collective):
    """Bine's butterfly, in which the largest part goes the least distance."""

    def __init__(self, operation: Operation = "allreduce") -> None:
        self.operation = operation

    def steps(self, ranks: int) -> list[Step]:
        """Return exchanges at distances 1, -1, 3, -5 and so on."""
        bits = power_of_two(self.name, ranks)
        every = np.arange(ranks)
        sign = np.where(every % 2, -1, 1)
        distances = [(1 - (-2) ** (step + 1)) // 3 for step in range(bits)]
        return _in_halves([(every + sign * d) % ranks for d in distances], self.operation)
