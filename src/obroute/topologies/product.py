"""Cartesian products of two networks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np

from obroute.generators import Generator, Generators
from obroute.network import Network
from obroute.rational import IntArray, RationalArray, concatenate
from obroute.specs import Parameter
from obroute.topologies.registry import networks
from obroute.topologies.sizes import Size, product

made = lru_cache(maxsize=4)(networks.create)


def _parse_factor(text: str) -> str:
    """Read the name of a network, which stands in round brackets where it has a comma."""
    bracketed = text.startswith("(") and text.endswith(")")
    return made(text[1:-1] if bracketed else text).name


def _factor_text(name: str) -> str:
    return f"({name})" if "," in name else name


Factor = Annotated[
    str,
    Parameter(
        "name of a network, in round brackets where it has a comma", _parse_factor, _factor_text
    ),
]


@dataclass(frozen=True, eq=False)
class Product(Network):
    """Pairs of nodes; a channel of either network moves its part of the pair."""

    factors: tuple[Network, ...] = ()

    def automorphisms(self) -> Generators:
        """Return those of each factor, which leave the other alone."""
        first, second = self.factors
        nodes = np.arange(self.node_count).reshape(first.node_count, second.node_count)
        found: Generators = {}
        for generator, image in first.automorphisms().items():
            found[Generator(generator.kind, (0, *generator.about))] = nodes[image].ravel()
        for generator, image in second.automorphisms().items():
            found[Generator(generator.kind, (1, *generator.about))] = nodes[:, image].ravel()
        return found


def _size(first: str, second: str) -> Size:
    one, other = made(first), made(second)
    nodes = product([one.node_count, other.node_count])
    channels = one.channel_count * other.node_count + other.channel_count * one.node_count
    return Size(nodes, channels)


@networks.register(
    "product",
    "Cartesian product of two networks",
    size=_size,
    examples=("product:first=ring:4,second=complete:3",),
    small=("product:first=ring:3,second=mesh:2",),
)
def cartesian(*, first: Factor, second: Factor) -> Product:
    """Return the Cartesian product: node (u, v) has number ``u * nodes of the second + v``.

    A pair injects and ejects the product of what its parts do, and is a terminal if both are.

    >>> grid = cartesian(first="ring:4", second="ring:3")
    >>> grid.node_count, grid.channel_count
    (12, 48)
    """
    one, other = made(first), made(second)
    count = other.node_count
    tail = np.concatenate(
        [
            (one.tail[:, None] * count + np.arange(count)).ravel(),
            (np.arange(one.node_count)[:, None] * count + other.tail).ravel(),
        ]
    )
    head = np.concatenate(
        [
            (one.head[:, None] * count + np.arange(count)).ravel(),
            (np.arange(one.node_count)[:, None] * count + other.head).ravel(),
        ]
    )
    widths = [
        one.bandwidth.take(np.repeat(np.arange(one.channel_count), count)),
        other.bandwidth.take(np.tile(np.arange(other.channel_count), one.node_count)),
    ]
    return Product(
        "product",
        one.node_count * count,
        tail,
        head,
        bandwidth=concatenate(widths),
        sources=_pairs(one.sources, other.sources, count),
        injection=_amounts(one.injection, other.injection),
        destinations=_pairs(one.destinations, other.destinations, count),
        ejection=_amounts(one.ejection, other.ejection),
        coordinates=np.stack(np.divmod(np.arange(one.node_count * count), count), axis=1),
        factors=(one, other),
    )


def _pairs(first: IntArray, second: IntArray, count: int) -> IntArray:
    return np.asarray((first[:, None] * count + second).ravel(), dtype=np.int64)


def _amounts(first: RationalArray, second: RationalArray) -> RationalArray:
    return first.take(np.repeat(np.arange(len(first)), len(second))).times(
        second.take(np.tile(np.arange(len(second)), len(first)))
    )
