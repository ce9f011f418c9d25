"""How a packet moves in one dimension of a grid, and in which order it takes the dimensions."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from obroute.specs import InputError, Parameter, parse_choice
from obroute.topologies.grid import NEGATIVE, POSITIVE, STEP

ONE = Fraction(1)
HALF = Fraction(1, 2)


class Plan(NamedTuple):
    """How a packet may move in one dimension, and with which probability."""

    probability: Fraction
    intermediate: int
    first_direction: int
    second_direction: int


def hops(radix: int, wrap: bool, start: int, end: int, direction: int) -> int:
    """Return the hops from one coordinate to another in the given direction."""
    distance = (end - start) * STEP[direction]
    return distance % radix if wrap else distance


def minimal_directions(
    radix: int, wrap: bool, start: int, end: int, ties: str
) -> list[tuple[Fraction, int]]:
    """Return the directions of the shortest ways, with probabilities.

    Both, evenly, for an offset of exactly half the ring; only the positive with ``ties ==
    "positive"``.
    """
    if not wrap:
        return [(ONE, POSITIVE if end >= start else NEGATIVE)]
    forward = (end - start) % radix
    if 2 * forward == radix and ties == SPLIT:
        return [(HALF, POSITIVE), (HALF, NEGATIVE)]
    return [(ONE, POSITIVE if 2 * forward <= radix else NEGATIVE)]


@dataclass(frozen=True)
class Order:
    """In which order a phase takes the dimensions: ``fixed``, ``random``, or given (``1-0``)."""

    text: str

    @classmethod
    def parse(cls, text: str) -> Order:
        """Read ``fixed`` (ascending), ``random`` (uniform) or dimensions joined by hyphens."""
        if text not in ("fixed", "random"):
            pieces = text.split("-")
            if sorted(pieces) != sorted(str(d) for d in range(len(pieces))):
                raise InputError(
                    f"'{text}' is not an order; expected fixed, random, or every dimension once, "
                    "such as 1-0"
                )
        return cls(text)

    @property
    def is_random(self) -> bool:
        """Whether every order is equally likely."""
        return self.text == "random"

    def __str__(self) -> str:
        return self.text

    def check(self, dimensions: int) -> None:
        """Raise where a given order is not one of the network's dimensions."""
        if self.text not in ("fixed", "random") and len(self.text.split("-")) != dimensions:
            raise InputError(
                f"order {self.text} names {len(self.text.split('-'))} dimensions, the network has "
                f"{dimensions}; name each once"
            )

    def orders(self, dimensions: int) -> list[tuple[Fraction, tuple[int, ...]]]:
        """Return all orders with their probabilities."""
        if self.text == "fixed":
            return [(ONE, tuple(range(dimensions)))]
        if self.is_random:
            every = list(itertools.permutations(range(dimensions)))
            return [(Fraction(1, len(every)), order) for order in every]
        return [(ONE, tuple(int(d) for d in self.text.split("-")))]

    def sample(
        self, count: int, dimensions: int, generator: np.random.Generator
    ) -> NDArray[np.int32]:
        """Draw an order for each of many packets, packets × dimensions."""
        if self.is_random:
            return np.argsort(generator.random((count, dimensions)), axis=1).astype(np.int32)
        order = np.array(self.orders(dimensions)[0][1], dtype=np.int32)
        return np.broadcast_to(order, (count, dimensions))

    def taken_before(self, dimension: int, dimensions: int) -> dict[frozenset[int], Fraction]:
        """Return the distribution of the set of dimensions taken before the given one."""
        if not self.is_random:
            order = self.orders(dimensions)[0][1]
            return {frozenset(order[: order.index(dimension)]): ONE}
        others = [d for d in range(dimensions) if d != dimension]
        return {
            frozenset(chosen): Fraction(
                math.factorial(size) * math.factorial(len(others) - size),
                math.factorial(dimensions),
            )
            for size in range(len(others) + 1)
            for chosen in itertools.combinations(others, size)
        }


FIXED = Order("fixed")
RANDOM = Order("random")

DimensionsInOrder = Annotated[
    Order,
    Parameter(
        "order of the dimensions in a phase: fixed (ascending), random, or given, as in 1-0",
        Order.parse,
    ),
]

SPLIT, POSITIVE_WAY = "split", "positive"
Ties = Annotated[
    str,
    Parameter(
        "an offset of exactly half a ring goes both ways evenly (split) or up (positive)",
        parse_choice(SPLIT, POSITIVE_WAY),
    ),
]


def remove_loops(nodes: list[int]) -> list[int]:
    """Cut everything between two visits of a node, in the order of walking.

    >>> remove_loops([0, 1, 2, 3, 2, 1, 4])
    [0, 1, 4]
    """
    kept: list[int] = []
    place: dict[int, int] = {}
    for node in nodes:
        if node in place:
            for dropped in kept[place[node] + 1 :]:
                del place[dropped]
            del kept[place[node] + 1 :]
        else:
            place[node] = len(kept)
            kept.append(node)
    return kept
