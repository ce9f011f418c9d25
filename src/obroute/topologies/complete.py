"""Complete graphs."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import numpy as np

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import RationalArray
from obroute.specs import Parameter, parse_integer
from obroute.topologies.registry import Bandwidth, Hosts, hosts_at, networks
from obroute.topologies.sizes import Size


class Complete(Network):
    """A channel from every node to every other."""

    size_is = "nodes N"

    def mean_shortest_path_length(self) -> Fraction:
        """Return the mean hops over all pairs, self pairs included."""
        return Fraction(self.node_count - 1, self.node_count)

    def capacity_load(self) -> Fraction:
        """Return the hosts of a node over N and the bandwidth: every pair over its own channel."""
        return self.injection.fraction(0) / (self.node_count * self.bandwidth.fraction(0))

    @property
    def size(self) -> int:
        """The number of nodes."""
        return self.node_count

    def automorphisms(self) -> Generators:
        """Return a cycle through all nodes and an exchange of two: every permutation."""
        nodes = np.arange(self.node_count)
        exchange = nodes.copy()
        exchange[[0, 1]] = [1, 0]
        return {
            Generator(Symmetry.CYCLE): np.roll(nodes, -1),
            Generator(Symmetry.EXCHANGE, (0, 1)): exchange,
        }


@networks.register(
    "complete",
    "complete graph: a channel from every node to every other",
    size=lambda nodes: Size(nodes, nodes * (nodes - 1)),
    examples=("complete:16",),
    small=("complete:4",),
)
def complete(
    nodes: Annotated[int, Parameter("number of nodes", parse_integer(2))],
    bandwidth: Bandwidth = Fraction(1),
    hosts: Hosts = 1,
) -> Complete:
    """Return a complete graph.

    >>> complete(5).channel_count
    20
    """
    tail, head = np.divmod(np.arange(nodes * nodes), nodes)
    apart = tail != head
    return Complete(
        "complete graph",
        nodes,
        tail[apart],
        head[apart],
        bandwidth=RationalArray.full(int(apart.sum()), bandwidth),
        connected=True,
        **hosts_at(np.arange(nodes), hosts),
    )
