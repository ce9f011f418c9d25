"""The interconnection network: nodes, channels and their bandwidths, terminals.

Units: every bandwidth is in packets per cycle, as a multiple of a terminal's unit injection
bandwidth. A network is immutable; the arrays in it are read-only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from obroute.generators import Generators
from obroute.network.channels import Path, read_only
from obroute.network.checks import DisconnectedError, check
from obroute.network.terminals import Terminals
from obroute.presented import Presented
from obroute.rational import FloatArray, IntArray, RationalArray
from obroute.registry import Member

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["DisconnectedError", "Network", "Path"]


_FILLED_IN: Any = None
"""Default of a field that the constructor replaces by one entry for every node or channel."""


@dataclass(frozen=True, eq=False)
class Network(Terminals, Presented, Member):
    """A directed graph of nodes and channels in which some nodes are terminals.

    Parameters
    ----------
    name
        The name that makes it again, such as ``torus:8x8``; a family need not say it, for the
        registry does.
    node_count
        Number of nodes; nodes are ``0 … node_count - 1``.
    tail, head
        The node that each channel leaves and the node that it enters; parallel channels allowed.
    bandwidth
        Bandwidth of each channel (packets per cycle); 1 where not given.
    sources, injection
        The nodes that inject traffic and how much each may inject (packets per cycle); every
        node, one packet, where not given.
    destinations, ejection
        The nodes that eject traffic and how much each may eject.
    labels
        The user's name of each node, where it is not its number.
    coordinates
        Array nodes × dimensions of integers, where the nodes have a place.
    ports
        The user's name of each channel among its parallel channels, empty where it has none;
        numbered from 1 in their order where not given.

    Raises
    ------
    InputError
        If a channel joins a node to itself or names no node, a bandwidth is not positive, two
        parallel channels have one port, a destination cannot be reached from a source, or there
        is only one terminal, whose packets cross no channel.

    Examples
    --------
    >>> ring = Network("triangle", 3, tail=[0, 1, 2], head=[1, 2, 0])
    >>> ring.channel_count, ring.channel(1, 2)
    (3, 1)
    >>> ring.mean_shortest_path_length()
    Fraction(1, 1)
    """

    size_is: ClassVar[str] = "size n"
    """What :attr:`size` is, with its letter, as an axis has it."""

    name: str
    node_count: int
    tail: IntArray
    head: IntArray
    bandwidth: RationalArray = _FILLED_IN
    sources: IntArray = _FILLED_IN
    injection: RationalArray = _FILLED_IN
    destinations: IntArray = _FILLED_IN
    ejection: RationalArray = _FILLED_IN
    labels: tuple[str, ...] | None = None
    coordinates: IntArray | None = None
    ports: tuple[str, ...] | None = None
    files: tuple[str, ...] = ()
    """The files that it was read from."""
    read_as: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """What its file was understood to say, and what of it was left out: labels and words."""
    connected: bool = field(default=False, repr=False)
    """Set by a family that is connected by construction, to spare the search."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "tail", read_only(self.tail))
        put(self, "head", read_only(self.head))
        everyone = np.arange(self.node_count)
        for nodes, amount in (("sources", "injection"), ("destinations", "ejection")):
            given = getattr(self, nodes)
            put(self, nodes, read_only(everyone if given is None else given))
            if getattr(self, amount) is None:
                put(self, amount, RationalArray.full(len(getattr(self, nodes)), 1))
        if self.bandwidth is None:
            put(self, "bandwidth", RationalArray.full(len(self.tail), 1))
        if self.coordinates is not None:
            put(self, "coordinates", read_only(self.coordinates))
        check(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @classmethod
    def from_networkx(
        cls, graph: nx.Graph, bandwidth: str = "auto", name: str = "graph"
    ) -> Network:
        """Return the network of a graph of networkx.

        An undirected edge is a cable, that is a channel each way; the edges of a multigraph are
        parallel channels. Nodes are called as in the graph, or by their ``label`` where each has
        one of its own. Those that are hosts (``type`` is ``host``) or have some (``endpoints``)
        or say what they inject and eject (``injection``, ``ejection``) are the terminals; all, if
        none is.

        Parameters
        ----------
        graph
            A graph, directed or not, of single edges or several.
        bandwidth
            The attribute of edges that is their bandwidth: a number (packets per cycle) or a speed
            with a unit; ``none`` for none, ``auto`` for the first that is called ``bandwidth``,
            ``capacity`` or the like.
        name
            What to call it.

        Raises
        ------
        InputError
            If an attribute is not what it should be, a weight may be a bandwidth (say which), or
            the graph is no network.

        Examples
        --------
        >>> import networkx
        >>> Network.from_networkx(networkx.petersen_graph()).channel_count
        30
        """
        from obroute.graphs import cabling_of

        cabling, terminals = cabling_of(graph, "a graph of networkx", name, bandwidth)
        return Network(**cabling.fields(terminals))

    def to_networkx(self) -> nx.MultiDiGraph:
        """Return the network as a graph of networkx, a directed edge for every channel.

        Nodes are called by their labels, or numbers where they have none. A bandwidth other than
        a whole number is text (``1/2``), so that it stays exact. What a terminal injects and
        ejects stands at its node, the port of a parallel channel at its edge.
        :meth:`from_networkx` makes the same network again.

        Examples
        --------
        >>> graph = Network("ring", 3, [0, 1, 2], [1, 2, 0]).to_networkx()
        >>> graph.edges[0, 1, 0]
        {'bandwidth': 1}
        """
        from obroute.graphs import graph_of

        names: list[Any] = list(self.labels or range(self.node_count))
        ends = zip(self.tail.tolist(), self.head.tolist(), strict=True)
        alone = np.unique(self.tail * self.node_count + self.head).size == self.channel_count
        amounts = [
            (key, names[node], amount)
            for key, nodes, given in (
                ("injection", self.sources, self.injection),
                ("ejection", self.destinations, self.ejection),
            )
            for node, amount in zip(nodes.tolist(), given.fractions(), strict=True)
        ]
        return graph_of(
            names,
            [(names[tail], names[head]) for tail, head in ends],
            self.bandwidth.fractions(),
            [None if alone else self.port(channel) for channel in range(self.channel_count)],
            amounts,
        )

    def in_words(self) -> list[tuple[str, str]]:
        """Return what there is to say of it in words."""
        widths = sorted(set(self.bandwidth.fractions()))
        ends = [f"{len(self.sources)} send", f"{len(self.destinations)} receive"]
        everyone = len(self.sources) == len(self.destinations) == self.node_count
        bandwidth = " to ".join(dict.fromkeys(map(str, (widths[0], widths[-1]))))
        return [
            ("nodes", str(self.node_count)),
            ("channels", f"{self.channel_count}, of bandwidth {bandwidth}"),
            ("terminals", "every node" if everyone else ", ".join(ends)),
            *self.read_as,
        ]

    def capacity_load(self) -> Fraction | None:
        """Return the least largest load of uniform traffic over all routings, if in closed form.

        In packets per cycle over channel bandwidth; a family with a closed form overrides this.
        """
        return None

    @property
    def radix(self) -> int | None:
        """Nodes in each dimension, None where there are no dimensions, or unlike ones."""
        return None

    @property
    def dimensions(self) -> int | None:
        """Number of dimensions, None where there are none."""
        return None

    @property
    def size(self) -> int | None:
        """The number by which a series of the family rises, None where there is none.

        The k of k-ary n-cubes and meshes, the n of hypercubes and butterflies, the number of
        nodes of a complete graph.
        """
        return None

    def places(self) -> FloatArray | None:
        """Return where the nodes go on paper, None for a family without a drawing of its own.

        Array nodes × 2 of x and y (downwards); neighbours are about one apart.
        """
        return None

    def automorphisms(self) -> Generators:
        """Return generators of the automorphisms that the network knows of itself.

        Each is the image of every node. A family that knows its symmetry overrides this; an
        arbitrary network knows none.
        """
        return {}
