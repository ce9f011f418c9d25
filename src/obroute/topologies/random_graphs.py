"""Random regular graphs: Jellyfish, and Xpander's lifts of a complete graph."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.rational import RationalArray
from obroute.specs import LARGEST_SEED, InputError, Parameter, cut, parse_integer
from obroute.topologies.registry import Bandwidth, Hosts, both_ways, hosts_at, networks
from obroute.topologies.sizes import Size

Degree = Annotated[int, Parameter("cables of every router to others", parse_integer(2))]
Seed = Annotated[int, Parameter("seed of the draw", parse_integer(0, LARGEST_SEED))]


class RandomGraph(Network):
    """A graph that was drawn; it is known by its seed."""

    size_is = "routers n"

    @property
    def size(self) -> int:
        """The number of routers."""
        return self.node_count


def _drawn(
    name: str, nodes: int, ends: tuple[NDArray[Any], NDArray[Any]], hosts: int, bandwidth: Fraction
) -> RandomGraph:
    cables = both_ways(*ends)
    try:
        return RandomGraph(
            name,
            nodes,
            **cables,
            bandwidth=RationalArray.full(len(cables["tail"]), bandwidth),
            **hosts_at(np.arange(nodes), hosts),
        )
    except InputError:
        raise InputError(
            f"the {name} of this seed is not connected; take another seed, or a larger degree"
        ) from None


@networks.register(
    "jellyfish",
    "Jellyfish: a random regular graph",
    size=lambda n, d: Size(n, n * d),
    examples=("jellyfish:n=16,d=4",),
    small=("jellyfish:n=8,d=3,seed=2",),
)
def jellyfish(
    *,
    n: Annotated[int, Parameter("routers", parse_integer(3))],
    d: Degree,
    seed: Seed = 1,
    hosts: Hosts = 1,
    bandwidth: Bandwidth = Fraction(1),
) -> RandomGraph:
    """Return a random d-regular graph, as ``networkx.random_regular_graph(d, n, seed)`` draws it.

    (Singla, Hong, Popa and Godfrey, *Jellyfish*, NSDI 2012; the graph is that of the release of
    networkx that is installed.)

    Raises
    ------
    InputError
        If there is no such graph, or the one that was drawn is not connected.

    Examples
    --------
    >>> jellyfish(n=16, d=4).channel_count
    64
    """
    if d >= n or n * d % 2:
        raise InputError(
            f"there is no graph of {cut(str(n))} routers of degree {cut(str(d))}; expected a "
            "degree below the number of routers, and one of the two even"
        )
    import networkx  # takes long, and no other family needs it

    edges = np.array(list(networkx.random_regular_graph(d, n, seed=seed).edges), dtype=np.int64)
    return _drawn("Jellyfish", n, (edges[:, 0], edges[:, 1]), hosts, bandwidth)


@networks.register(
    "xpander",
    "Xpander: a random lift of a complete graph",
    size=lambda d, lift: Size((d + 1) * lift, (d + 1) * lift * d),
    examples=("xpander:d=5,lift=4",),
    small=("xpander:d=3,lift=2,hosts=2",),
)
def xpander(
    *,
    d: Degree,
    lift: Annotated[int, Parameter("copies of the complete graph", parse_integer(1))],
    seed: Seed = 1,
    hosts: Hosts = 1,
    bandwidth: Bandwidth = Fraction(1),
) -> RandomGraph:
    """Return a lift of the complete graph of d + 1 nodes: groups joined by random matchings.

    Router i of group g has number ``g * lift + i``. Any two groups are joined by ``lift`` cables,
    one at each of their routers, to a random one of the other (Valadarsky, Shahaf, Dinitz and
    Schapira, *Xpander*, CoNEXT 2016).

    Raises
    ------
    InputError
        If what was drawn is not connected.

    Examples
    --------
    >>> lifted = xpander(d=5, lift=4)
    >>> lifted.node_count, lifted.channel_count
    (24, 120)
    """
    generator = np.random.default_rng(seed)
    first, second = np.triu_indices(d + 1, 1)
    matched = generator.permuted(np.tile(np.arange(lift), (len(first), 1)), axis=1)
    tails = first[:, None] * lift + np.arange(lift)
    ends = tails.ravel(), (second[:, None] * lift + matched).ravel()
    return _drawn("Xpander", (d + 1) * lift, ends, hosts, bandwidth)
