"""Flattened butterflies: the rows of a butterfly, each one router (Kim, Dally and Abts 2007)."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from obroute.specs import Parameter, parse_integer
from obroute.topologies.hyperx import HyperX, hyperx_size
from obroute.topologies.registry import Bandwidth, networks
from obroute.topologies.sizes import MOST_COUNTED, Size, power


def _size(k: int, n: int) -> Size:
    nodes = power(k, n - 1)
    return Size(nodes, nodes) if nodes == MOST_COUNTED else hyperx_size((k,) * (n - 1))


@networks.register(
    "flattened_butterfly",
    "k-ary n-flat: a HyperX of n - 1 dimensions of k routers with k hosts each",
    size=_size,
    examples=("flattened_butterfly:k=4,n=3",),
    small=("flattened_butterfly:k=2,n=3,hosts=1,bandwidth=1/2",),
)
def flattened_butterfly(
    *,
    k: Annotated[int, Parameter("routers along a dimension", parse_integer(2))],
    n: Annotated[
        int, Parameter("levels of the butterfly, one more than dimensions", parse_integer(2))
    ],
    hosts: Annotated[
        int | None, Parameter("hosts of every router; k where not given", parse_integer(1))
    ] = None,
    bandwidth: Bandwidth = Fraction(1),
) -> HyperX:
    """Return a k-ary n-flat.

    >>> network = flattened_butterfly(k=4, n=3)
    >>> network.node_count, network.channel_count, network.hosts
    (16, 96, 4)
    """
    return HyperX.build((k,) * (n - 1), (1,), k if hosts is None else hosts, bandwidth)
