"""Slim Flies: graphs of McKay, Miller and Širáň, of diameter two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import FloatArray, IntArray, RationalArray
from obroute.specs import InputError, Parameter, cut, parse_integer
from obroute.topologies.finite_fields import FiniteField
from obroute.topologies.places import circles_of
from obroute.topologies.registry import Bandwidth, both_ways, hosts_at, networks
from obroute.topologies.sizes import Size


def _delta(order: int) -> int:
    """Return δ of q = 4w + δ."""
    return {0: 0, 1: 1, 3: -1}.get(order % 4, 0)


def _degree(order: int) -> int:
    return (3 * order - _delta(order)) // 2


def _hosts(order: int) -> int:
    return -(-_degree(order) // 2)


def _exponents(order: int) -> tuple[list[int], list[int]]:
    """Return the exponents of the primitive element in X and in X'."""
    half = (order - _delta(order)) // 4
    if order % 4 == 3:
        even, odd = range(0, 2 * half - 1, 2), range(1, 2 * half, 2)
        return (
            [*even, *range(2 * half - 1, 4 * half - 2, 2)],
            [*odd, *range(2 * half, 4 * half - 1, 2)],
        )
    return [*range(0, order - 1, 2)], [*range(1, order - 1 + (order % 2 == 0), 2)]


@dataclass(frozen=True, eq=False)
class SlimFly(Network):
    """The graph MMS(q): routers (0, x, y) and (1, m, c) over the field of q elements.

    (0, x, y) and (0, x, y') are joined where y - y' is in a set X, (1, m, c) and (1, m, c') where
    c - c' is in a set X', and (0, x, y) and (1, m, c) where y = mx + c (Besta and Hoefler, *Slim
    Fly*, SC 2014; McKay, Miller and Širáň 1998). X and X' are made of powers of a primitive
    element and together have every element but 0.
    """

    size_is: ClassVar[str] = "order q"

    order: int = 0

    @property
    def size(self) -> int:
        """The order q of the field."""
        return self.order

    def places(self) -> FloatArray:
        """Return the routers that share all but the last coordinate, each in a circle."""
        return circles_of(np.arange(self.node_count) // self.order)

    def automorphisms(self) -> Generators:
        """Return translations, shears and scalings; for q = 4w + 1 the two halves change places.

        (x, y; m, c) goes to (x + s, y; m, c - ms), to (x, y + t; m, c + t), to
        (x, y + rx; m + r, c), and to (ax, y; m/a, c): y = mx + c remains true, and the differences
        that X and X' decide are as they were. So they are, scaled by an element of X that keeps
        both: a square, if q = 4w + 1, and -1. There a primitive element ξ carries X to X' and X'
        to X, and (0, x, y) goes to (1, x, ξy), (1, m, c) to (0, -ξm, ξc).
        """
        field = FiniteField(self.order)
        half, first, second = np.unravel_index(
            np.arange(self.node_count), (2, self.order, self.order)
        )
        upper = half == 0
        found: Generators = {}

        def put(
            kind: Symmetry, about: tuple[int, ...], one: Any, other: Any, side: Any = half
        ) -> None:
            found[Generator(kind, about)] = self._at(side, one, other)

        for step in field.basis:
            put(Symmetry.TRANSLATION, (1, step), first, field.add(second, step))
            moved = field.add(second, field.negative(field.multiply(first, step)))
            put(
                Symmetry.TRANSLATION,
                (0, step),
                np.where(upper, field.add(first, step), first),
                np.where(upper, second, moved),
            )
            sheared = field.add(second, field.multiply(first, step))
            put(
                Symmetry.LINEAR,
                (0, step),
                np.where(upper, first, field.add(first, step)),
                np.where(upper, sheared, second),
            )
        root = int(field.powers[1 % (self.order - 1)])
        scaled = np.where(
            upper, field.multiply(first, root), field.multiply(first, int(field.inverse(root)))
        )
        put(Symmetry.LINEAR, (1, root), scaled, second)
        factor = int(field.multiply(root, root)) if self.order % 4 == 1 else int(field.negative(1))
        turned = np.where(upper, first, field.multiply(first, factor))
        put(Symmetry.LINEAR, (2, factor), turned, field.multiply(second, factor))
        if self.order % 4 == 1:
            across = field.multiply(first, int(field.negative(root)))
            put(
                Symmetry.EXCHANGE,
                (0, 1),
                np.where(upper, first, across),
                field.multiply(second, root),
                1 - half,
            )
        return found

    def _at(self, half: Any, first: Any, second: Any) -> IntArray:
        places = np.ravel_multi_index((half, first, second), (2, self.order, self.order))
        return np.asarray(places, dtype=np.int64)


def _size(q: int) -> Size:
    return Size(2 * q * q, 2 * q * q * _degree(q))


def _matters(values: Mapping[str, Any]) -> bool:
    return values["hosts"] not in (None, _hosts(values["q"]))


@networks.register(
    "slimfly",
    "Slim Fly: a graph of McKay, Miller and Širáň of diameter two",
    size=_size,
    examples=("slimfly:q=5",),
    small=("slimfly:q=3,hosts=1",),
)
def slimfly(
    *,
    q: Annotated[int, Parameter("a prime power, 4w - 1, 4w or 4w + 1", parse_integer(3))],
    hosts: Annotated[
        int | None,
        Parameter(
            "hosts of every router; half its degree, rounded up, if not given",
            parse_integer(1),
            matters=_matters,
        ),
    ] = None,
    bandwidth: Bandwidth = Fraction(1),
) -> SlimFly:
    """Return a Slim Fly of 2q² routers of degree (3q - δ)/2, where q = 4w + δ.

    Raises
    ------
    InputError
        If q is no prime power, or leaves 2 when divided by 4.

    Examples
    --------
    >>> fly = slimfly(q=5)
    >>> fly.node_count, fly.channel_count, fly.injection.fraction(0)
    (50, 350, Fraction(4, 1))
    """
    if q % 4 == 2:  # δ is -1, 0 or 1
        raise InputError(f"q is {cut(str(q))}; expected 4w - 1, 4w or 4w + 1 for a whole number w")
    field = FiniteField(q)
    cells = np.arange(q * q)
    first, second = np.divmod(cells, q)
    pairs = [
        (
            half * q * q + np.tile(cells, len(exponents)),
            half * q * q
            + np.concatenate(
                [first * q + field.add(second, int(field.powers[e % (q - 1)])) for e in exponents]
            ),
        )
        for half, exponents in enumerate(_exponents(q))
    ]
    x, m, c = (part.ravel() for part in np.indices((q, q, q)))
    ends = both_ways(x * q + field.add(field.multiply(m, x), c), q * q + m * q + c)
    tail = np.concatenate([*(pair[0] for pair in pairs), ends["tail"]])
    head = np.concatenate([*(pair[1] for pair in pairs), ends["head"]])
    order = np.lexsort((head, tail))
    coordinates = np.stack(np.unravel_index(np.arange(2 * q * q), (2, q, q)), axis=1)
    return SlimFly(
        "Slim Fly",
        2 * q * q,
        tail[order],
        head[order],
        bandwidth=RationalArray.full(len(tail), bandwidth),
        coordinates=coordinates,
        connected=True,
        order=q,
        **hosts_at(np.arange(2 * q * q), hosts or _hosts(q)),
    )
