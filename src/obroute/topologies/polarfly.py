"""PolarFly and PolarStar: graphs of orthogonal points of a projective plane, and larger ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import InputError, Parameter, cut, parse_integer
from obroute.topologies.finite_fields import FiniteField
from obroute.topologies.registry import Bandwidth, both_ways, hosts_at, networks
from obroute.topologies.sizes import Size

Order = Annotated[int, Parameter("a prime power, the order of the plane", parse_integer(2))]


@dataclass(frozen=True, eq=False)
class ProjectivePlane:
    """The points (1, a, b), (0, 1, a) and (0, 0, 1) of the plane over a field, in this order.

    >>> plane = ProjectivePlane(FiniteField(2))
    >>> plane.points.tolist()
    [[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1], [0, 1, 0], [0, 1, 1], [0, 0, 1]]
    >>> plane.orthogonal(plane.points)[0].tolist()
    [4, 5, 6]
    """

    field: FiniteField

    @property
    def points(self) -> IntArray:
        """The coordinates of the points, points × 3."""
        q = self.field.order
        a, b = np.divmod(np.arange(q * q), q)
        one, zero, every = np.ones(q, np.int64), np.zeros(q, np.int64), np.arange(q)
        return np.concatenate(
            [
                np.stack([np.ones_like(a), a, b], axis=1),
                np.stack([zero, one, every], axis=1),
                [[0, 0, 1]],
            ]
        )

    def number(self, vectors: IntArray) -> IntArray:
        """Return the point that each vector but 0 stands for (… × 3)."""
        q, field = self.field.order, self.field
        first = np.argmax(vectors != 0, axis=-1)
        lead = np.take_along_axis(vectors, first[..., None], axis=-1)
        scaled = field.multiply(vectors, field.inverse(lead))
        inside = scaled[..., 1] * q + scaled[..., 2]
        return np.where(first == 0, inside, q * q + np.where(first == 1, scaled[..., 2], q))

    def product(self, left: IntArray, right: IntArray) -> IntArray:
        """Return dot products of vectors (… × 3); arrays broadcast."""
        parts = self.field.multiply(left, right)
        return self.field.add(self.field.add(parts[..., 0], parts[..., 1]), parts[..., 2])

    def orthogonal(self, vectors: IntArray) -> IntArray:
        """Return the q + 1 points whose dot product with each vector is 0, vectors × (q + 1)."""
        field, q = self.field, self.field.order
        # On the line, with the last coordinate that is not 0 worked out from the other two.
        last = 2 - np.argmax(vectors[:, ::-1] != 0, axis=1)
        free = np.array([[1, 2], [0, 2], [0, 1]])[last]
        rows = np.arange(len(vectors))[:, None]
        pairs = np.array([*((1, b) for b in range(q)), (0, 1)])
        one, other = (
            field.multiply(vectors[rows, free[:, [side]]], pairs[None, :, side])
            for side in range(2)
        )
        lead = field.inverse(vectors[rows, last[:, None]])
        found = np.empty((len(vectors), q + 1, 3), dtype=np.int64)
        for side in range(2):
            found[rows, np.arange(q + 1), free[:, [side]]] = pairs[None, :, side]
        worked_out = field.negative(field.multiply(field.add(one, other), lead))
        found[rows, np.arange(q + 1), last[:, None]] = worked_out
        return self.number(found)


@dataclass(frozen=True, eq=False)
class PolarFly(Network):
    """The graph ER_q of Erdős and Rényi: points of a projective plane, joined where orthogonal.

    Each of the q + 1 points that are orthogonal to themselves has one neighbour less. Two points
    are both orthogonal to exactly one, so the diameter is two and every shortest path the only
    one (Lakhotia et al., *PolarFly*, SC 2022).
    """

    size_is: ClassVar[str] = "order q"

    order: int = 0

    @property
    def size(self) -> int:
        """The order q of the plane."""
        return self.order

    def automorphisms(self) -> Generators:
        """Return exchanges of coordinates and linear maps that keep dot products.

        For odd q reflections ``x → x - 2(x·a)/(a·a) a``; for even q, where they keep them,
        ``x → x + (x·a) a`` with ``a·a = 0``.
        """
        field = FiniteField(self.order)
        plane = ProjectivePlane(field)
        points = plane.points
        found: Generators = {}
        for order in ([1, 0, 2], [0, 2, 1]):
            about = tuple(place for place, other in enumerate(order) if place != other)
            found[Generator(Symmetry.EXCHANGE, about)] = plane.number(points[:, order])
        axes = np.array([[1, t, 0] for t in range(1, self.order)], dtype=np.int64).reshape(-1, 3)
        squares = plane.product(axes, axes)
        odd = self.order % 2 == 1
        for axis, square in zip(axes, squares.tolist(), strict=True):
            if (square == 0) == odd:
                continue
            factor = field.multiply(2, field.inverse(square)) if odd else 1
            along = field.multiply(factor, plane.product(points, axis))
            moved = field.add(points, field.negative(field.multiply(along[:, None], axis)))
            found[Generator(Symmetry.LINEAR, tuple(axis.tolist()))] = plane.number(moved)
        return found


@networks.register(
    "polarfly",
    "PolarFly: orthogonal points of a projective plane",
    size=lambda q: Size(q * q + q + 1, q * (q + 1) ** 2),
    examples=("polarfly:q=7",),
    small=("polarfly:q=2,hosts=2",),
)
def polarfly(
    *,
    q: Order,
    hosts: Annotated[
        int | None,
        Parameter(
            "hosts of every router; half of q + 1, rounded down, if not given",
            parse_integer(1),
            matters=lambda values: values["hosts"] not in (None, (values["q"] + 1) // 2),
        ),
    ] = None,
    bandwidth: Bandwidth = Fraction(1),
) -> PolarFly:
    """Return a PolarFly of q² + q + 1 routers of degree q + 1.

    >>> fly = polarfly(q=7)
    >>> fly.node_count, fly.channel_count, fly.injection.fraction(0)
    (57, 448, Fraction(4, 1))
    """
    plane = ProjectivePlane(FiniteField(q))
    points = plane.points
    heads = plane.orthogonal(points)
    tail, head = np.repeat(np.arange(len(points)), q + 1), np.sort(heads, axis=1).ravel()
    apart = tail != head
    return PolarFly(
        "PolarFly",
        len(points),
        tail[apart],
        head[apart],
        bandwidth=RationalArray.full(int(apart.sum()), bandwidth),
        coordinates=points,
        connected=True,
        order=q,
        **hosts_at(np.arange(len(points)), hosts or (q + 1) // 2),
    )


class PolarStar(Network):
    """A star product of ER_q with a small graph, of diameter three: see :func:`polarstar`."""


def supernode(degree: int) -> tuple[IntArray, IntArray]:
    """Return the cables of a graph of 2d + 2 nodes and degree d in which any two are close.

    Nodes 2i and 2i + 1 are twins. Of the cables between any two pairs of twins there are two, and
    together with the two between the twins of their ends they join every node of one pair to
    every node of the other. (So it is with the inductive quads of the paper.) Both cables leave
    one node of one pair for both of the other: pair i is the one for half of the pairs that come
    after it, whose number is made even by turning every other odd one over with the next.

    >>> [ends.tolist() for ends in supernode(3)]
    [[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5], [2, 3, 6, 7, 4, 5, 6, 7, 0, 1, 6, 7]]
    """
    pairs = degree + 1
    beats = np.triu(np.ones((pairs, pairs), dtype=np.bool_), 1)
    odd = np.flatnonzero(beats.sum(axis=1) % 2)
    for one, other in odd.reshape(-1, 2):
        beats[one, other], beats[other, one] = beats[other, one], beats[one, other]
    first, second = [], []
    for pair in range(pairs):
        for turn, other in enumerate(np.flatnonzero(beats[pair]).tolist()):
            first += [2 * pair + turn % 2] * 2
            second += [2 * other, 2 * other + 1]
    return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)


def _star_hosts(q: int, d: int) -> int:
    return -(-(q + 1 + d) // 3)


def _star_matters(values: Mapping[str, Any]) -> bool:
    return values["hosts"] not in (None, _star_hosts(values["q"], values["d"]))


@networks.register(
    "polarstar",
    "PolarStar: star product of a PolarFly with a small graph, of diameter three",
    size=lambda q, d: Size(
        (q * q + q + 1) * (2 * d + 2), (q * q + q + 1) * (2 * d + 2) * (q + 1 + d)
    ),
    examples=("polarstar:q=3,d=3",),
    small=("polarstar:q=2,d=0,hosts=2",),
)
def polarstar(
    *,
    q: Order,
    d: Annotated[
        int, Parameter("degree of the small graph: 0, 3, 4, 7, 8, 11, …", parse_integer(0))
    ],
    hosts: Annotated[
        int | None,
        Parameter(
            "hosts of every router; a third of its degree, rounded up, if not given",
            parse_integer(1),
            matters=_star_matters,
        ),
    ] = None,
    bandwidth: Bandwidth = Fraction(1),
) -> PolarStar:
    """Return a PolarStar of (q² + q + 1)(2d + 2) routers of degree q + 1 + d.

    Each point of ER_q is a copy of a graph of 2d + 2 nodes; where two points are joined, each
    node of one copy is joined to its twin's like in the other, and in the copy of a point that
    is orthogonal to itself to its twin (Lakhotia et al., *PolarStar*, 2023, with inductive
    quads).

    Raises
    ------
    InputError
        If q is no prime power, or d leaves 1 or 2 when divided by 4.

    Examples
    --------
    >>> polarstar(q=3, d=3).node_count
    104
    """
    if d % 4 not in (0, 3):
        raise InputError(f"d is {cut(str(d))}; expected 0, 3, 4, 7, 8, 11, … (4w or 4w + 3)")
    plane = ProjectivePlane(FiniteField(q))
    points = plane.points
    copies, inside = len(points), np.arange(2 * d + 2)
    point, other = np.repeat(np.arange(copies), q + 1), plane.orthogonal(points).ravel()
    once = point <= other
    first = (point[once][:, None] * len(inside) + inside).ravel()
    second = (other[once][:, None] * len(inside) + (inside ^ 1)).ravel()
    # A node and its twin in one copy come twice, once from each of them.
    single = (first // len(inside) != second // len(inside)) | (first < second)
    small = [(np.arange(copies)[:, None] * len(inside) + ends).ravel() for ends in supernode(d)]
    cables = both_ways(
        np.concatenate([first[single], small[0]]), np.concatenate([second[single], small[1]])
    )
    routers = copies * len(inside)
    return PolarStar(
        "PolarStar",
        routers,
        **cables,
        bandwidth=RationalArray.full(len(cables["tail"]), bandwidth),
        coordinates=np.concatenate(
            [np.repeat(points, len(inside), axis=0), np.tile(inside, copies)[:, None]], axis=1
        ),
        connected=True,
        **hosts_at(np.arange(routers), hosts or _star_hosts(q, d)),
    )
