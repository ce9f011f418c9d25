"""Tori whose wraps are twisted: the points of ℤⁿ modulo a lattice.

A step beyond the end of a dimension comes back at its beginning and moves along others, by the
dimension's *twist*. The nodes are still the points of a box, and the network looks alike from each
of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from scipy.sparse.csgraph import dijkstra

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import InputError, Parameter, shown
from obroute.topologies.registry import both_ways, hosts_at
from obroute.topologies.sizes import Size, product

Offsets = tuple[tuple[int, ...], ...]
"""For each dimension what its wrap adds to each coordinate; the last may be left out."""

MOST_SYMMETRIC = 3
"""Dimensions up to which all exchanges and reflections of axes together are tried."""


def parse_twist(text: str) -> Offsets:
    """Read what the wrap of each dimension adds, such as ``0x0x4/0x0x4``.

    >>> parse_twist("0x0x4/0x0x4")
    ((0, 0, 4), (0, 0, 4))
    """
    try:
        return tuple(tuple(int(number) for number in row.split("x")) for row in text.split("/"))
    except ValueError:
        raise InputError(
            f"{shown(text)} is no twist; expected what the wrap of each dimension adds to every "
            "coordinate, joined by x, the dimensions joined by /, such as 0x0x4/0x0x4"
        ) from None


def write_twist(offsets: Offsets) -> str:
    """Write a twist as it is read."""
    return "/".join("x".join(map(str, row)) for row in offsets)


def is_twisted(offsets: Offsets | None) -> bool:
    """Say whether any wrap moves along another dimension."""
    return any(map(any, offsets or ()))


Twist = Annotated[
    Offsets | None,
    Parameter(
        "what the wrap of each dimension adds to every coordinate: 0x0x4/0x0x4 for four along "
        "dimension 2, of dimensions 0 and 1",
        parse_twist,
        write_twist,
        matters=lambda values: is_twisted(values["twist"]),
    ),
]


@dataclass(frozen=True)
class Lattice:
    """A box of ``radices`` with twisted wraps, which stands for ℤⁿ modulo a lattice.

    Raises
    ------
    InputError
        If the offsets are not those of the dimensions, or a wrap in the end moves along its own
        dimension: of a dimension and all that it moves along, none may move along it.

    Examples
    --------
    >>> lattice = Lattice((4, 8), ((0, 4),))
    >>> lattice.reduced(np.array([[4, 0], [-1, 0], [5, 5]])).tolist()
    [[0, 4], [3, 4], [1, 1]]
    """

    radices: tuple[int, ...]
    offsets: Offsets

    def __post_init__(self) -> None:
        dimensions = len(self.radices)
        for dimension, radix in enumerate(self.radices):
            if radix < 2:
                raise InputError(
                    f"radix {radix} in dimension {dimension}; expected a radix of at least 2 "
                    "(drop the dimension to leave it out)"
                )
        if len(self.offsets) > dimensions or any(len(row) != dimensions for row in self.offsets):
            raise InputError(
                f"the twist {shown(write_twist(self.offsets))} is not one of {dimensions} "
                f"dimensions; expected up to {dimensions} rows of {dimensions} numbers each"
            )
        if len(self.order) < dimensions:
            raise InputError(
                f"the twist {shown(write_twist(self.offsets))} leads from a dimension back to it; "
                "expected dimensions in an order in which each moves along later ones alone"
            )

    @property
    def order(self) -> list[int]:
        """The dimensions in an order in which each moves along later ones, as far as there is."""
        left, found = set(range(len(self.radices))), list[int]()
        while free := {d for d in left if not any(self.moves(o)[d] for o in left)}:
            found += sorted(free)
            left -= free
        return found

    def moves(self, dimension: int) -> tuple[int, ...]:
        """Return what the wrap of a dimension adds to each coordinate."""
        plain = (0,) * len(self.radices)
        return self.offsets[dimension] if dimension < len(self.offsets) else plain

    def reduced(self, points: IntArray) -> IntArray:
        """Return the point of the box that each point of ℤⁿ stands for (… × dimensions)."""
        found = points.copy()
        for dimension in self.order:
            radix = self.radices[dimension]
            wraps = found[..., dimension] // radix
            found += wraps[..., None] * np.array(self.moves(dimension), dtype=np.int64)
            found[..., dimension] -= wraps * radix
        return found

    def number(self, points: IntArray) -> IntArray:
        """Return the node of each point of ℤⁿ (… × dimensions), by its place in the box."""
        places = tuple(np.moveaxis(self.reduced(points), -1, 0))
        return np.asarray(np.ravel_multi_index(places, self.radices), dtype=np.int64)

    def both_ways_alike(self, dimension: int) -> bool:
        """Say whether a step up a dimension and one down lead to the same node."""
        if self.radices[dimension] > 2:
            return False
        rest = list(self.moves(dimension))
        for other in self.order:
            wraps, rest[other] = divmod(rest[other], self.radices[other])
            rest = [a + wraps * b for a, b in zip(rest, self.moves(other), strict=True)]
        return not any(rest)

    def size(self) -> Size:
        """Return how many nodes and channels there are.

        >>> Lattice((2, 4), ((0, 2),)).size(), Lattice((2, 4), ()).size()
        (Size(nodes=8, channels=32), Size(nodes=8, channels=24))
        """
        nodes = product(self.radices)
        ways = sum(2 - self.both_ways_alike(dimension) for dimension in range(len(self.radices)))
        return Size(nodes, nodes * ways)

    def symmetries(self) -> Iterator[IntArray]:
        """Yield signed permutations of the axes that keep the lattice, enough for all found.

        Rows are the images of the axes. All are tried in up to :data:`MOST_SYMMETRIC` dimensions,
        elsewhere those that are about two axes, or one.
        """
        count = len(self.radices)
        basis = np.diag(self.radices) - np.array([self.moves(d) for d in range(count)])
        found: list[IntArray] = []
        known = {np.eye(count, dtype=np.int64).tobytes()}
        for image in _signed_permutations(count):
            if image.tobytes() not in known and not self.reduced(basis @ image).any():
                found.append(image)
                known = _group(found) if count <= MOST_SYMMETRIC else {*known, image.tobytes()}
                yield image


def _signed_permutations(count: int) -> Iterator[IntArray]:
    """Yield all, or those of many axes that turn all around, or keep all but one or two."""
    axes = np.eye(count, dtype=np.int64)
    if count <= MOST_SYMMETRIC:
        for order in itertools.permutations(range(count)):
            for signs in itertools.product((1, -1), repeat=count):
                yield axes[list(order)] * np.array(signs)[:, None]
        return
    yield -axes
    for first, second in itertools.combinations_with_replacement(range(count), 2):
        for signs in itertools.product((1, -1), repeat=2):
            image = axes.copy()
            image[[first, second]] = axes[[second, first]] * np.array(signs)[:, None]
            yield image


def _group(generators: list[IntArray]) -> set[bytes]:
    """Return all that signed permutations make together."""
    front = [np.eye(len(generators[0]), dtype=np.int64)]
    found = {front[0].tobytes()}
    while front:
        one = front.pop()
        for made in (one @ generator for generator in generators):
            if made.tobytes() not in found:
                found.add(made.tobytes())
                front.append(made)
    return found


@dataclass(frozen=True, eq=False)
class TwistedTorus(Network):
    """A torus with twisted wraps.

    Minimal routing is that of all shortest paths in the lattice, so that ``ecmp`` is what its
    papers call so.

    >>> torus = TwistedTorus.build(Lattice((4, 8), ((0, 4),)), 1, Fraction(1))
    >>> torus.mean_shortest_path_length()
    Fraction(21, 8)
    """

    size_is: ClassVar[str] = "side a"

    lattice: Lattice = Lattice((2,), ())
    side: int | None = None
    """The number that its family has it by, if any."""

    @classmethod
    def build(
        cls, lattice: Lattice, hosts: int, bandwidth: Fraction, side: int | None = None
    ) -> TwistedTorus:
        """Lay out the nodes in the order of their coordinates, and a cable along each axis."""
        count = product(lattice.radices)
        nodes = np.arange(count)
        places = np.stack(np.unravel_index(nodes, lattice.radices), axis=1).astype(np.int64)
        first, second = [], []
        for dimension, axis in enumerate(np.eye(len(lattice.radices), dtype=np.int64)):
            there = lattice.number(places + axis)
            once = nodes < there if lattice.both_ways_alike(dimension) else nodes >= 0
            first.append(nodes[once])
            second.append(there[once])
        cables = both_ways(np.concatenate(first), np.concatenate(second))
        return cls(
            "twisted torus",
            count,
            **cables,
            bandwidth=RationalArray.full(len(cables["tail"]), bandwidth),
            coordinates=places,
            connected=True,
            lattice=lattice,
            side=side,
            **hosts_at(nodes, hosts),
        )

    @property
    def size(self) -> int | None:
        """The side of the family's shape, None of other shapes."""
        return self.side

    def mean_shortest_path_length(self) -> Fraction:
        """Return the mean hops over all pairs, self pairs included: those from one node."""
        hops = dijkstra(self.adjacency, indices=0, unweighted=True)
        return Fraction(int(hops.sum()), self.node_count)

    def automorphisms(self) -> Generators:
        """Return a step along each axis, and signed permutations of axes that keep the lattice."""
        assert self.coordinates is not None
        found: Generators = {}
        for dimension, axis in enumerate(np.eye(len(self.lattice.radices), dtype=np.int64)):
            moved = self.lattice.number(self.coordinates + axis)
            found[Generator(Symmetry.TRANSLATION, (dimension,))] = moved
        for image in self.lattice.symmetries():
            about = tuple((image @ np.arange(1, len(image) + 1)).tolist())
            moved = self.lattice.number(self.coordinates @ image)
            found[Generator(Symmetry.LINEAR, about)] = moved
        return found
