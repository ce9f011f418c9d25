"""The interconnection network: nodes, channels and their bandwidths, terminals.

Units: every bandwidth is in packets per cycle, as a multiple of a terminal's unit injection
bandwidth. A network is immutable; the arrays in it are read-only.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from obroute.generators import Generators
from obroute.names import check_name
from obroute.presented import Presented
from obroute.rational import FloatArray, IntArray, RationalArray, multiply_sum
from obroute.registry import Member
from obroute.specs import InputError, shown

if TYPE_CHECKING:
    import networkx as nx


class DisconnectedError(InputError):
    """No path leads from some source to some destination."""


Path = tuple[int, ...]
"""A path: the channels taken, in order; empty from a node to itself."""


_FILLED_IN: Any = None
"""Default of a field that the constructor replaces by one entry for every node or channel."""


def _frozen(values: Any) -> IntArray:
    array = np.array(values, dtype=np.int64)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Network(Presented, Member):
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
        put(self, "tail", _frozen(self.tail))
        put(self, "head", _frozen(self.head))
        everyone = np.arange(self.node_count)
        for nodes, amount in (("sources", "injection"), ("destinations", "ejection")):
            given = getattr(self, nodes)
            put(self, nodes, _frozen(everyone if given is None else given))
            if getattr(self, amount) is None:
                put(self, amount, RationalArray.full(len(getattr(self, nodes)), 1))
        if self.bandwidth is None:
            put(self, "bandwidth", RationalArray.full(len(self.tail), 1))
        if self.coordinates is not None:
            put(self, "coordinates", _frozen(self.coordinates))
        self._check()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def _check(self) -> None:
        if len(self.tail) != len(self.head) or len(self.tail) != len(self.bandwidth):
            raise InputError(
                f"{self.name}: {len(self.tail)} tails, {len(self.head)} heads and "
                f"{len(self.bandwidth)} bandwidths; expected one of each for every channel"
            )
        for ends in (self.tail, self.head, self.sources, self.destinations):
            if ends.size and (ends.min() < 0 or ends.max() >= self.node_count):
                raise InputError(
                    f"{self.name}: node {int(ends.max() if ends.min() >= 0 else ends.min())} does "
                    f"not exist; nodes are 0 to {self.node_count - 1}"
                )
        loops = np.flatnonzero(self.tail == self.head)
        if loops.size:
            node = self.describe(int(self.tail[loops[0]]))
            raise InputError(
                f"{self.name}: a channel joins node {node} to itself; remove it, no path uses it"
            )
        for what, amounts in (
            ("channel bandwidth", self.bandwidth),
            ("injection bandwidth", self.injection),
            ("ejection bandwidth", self.ejection),
        ):
            if amounts.numerators.size and amounts.numerators.min() <= 0:
                place = int(np.argmin(amounts.numerators))
                raise InputError(
                    f"{self.name}: {what} {amounts.fraction(place)} is not positive; give every "
                    "channel and terminal a bandwidth above zero, or leave it out"
                )
        for what, names in (("node", self.labels), ("port", self.ports)):
            for name in names or ():
                check_name(name, f"{what} of {self.name}")
        if self.ports is not None:
            self._check_ports()
        if not self.sources.size or not self.destinations.size:
            raise InputError(f"{self.name}: no terminal injects or ejects; name at least one each")
        if np.array_equal(self.sources, self.destinations) and len(self.sources) == 1:
            only = self.describe(int(self.sources[0]))
            raise InputError(
                f"{self.name}: node {only} is the only terminal, and nothing that it sends to "
                "itself crosses a channel; name at least two terminals"
            )
        if not self.connected:
            self._check_connected()

    def _check_ports(self) -> None:
        for channel in range(self.channel_count):
            others = self.parallel_channels(int(self.tail[channel]), int(self.head[channel]))
            names = [self._port_name(other) for other in others]
            if len(set(names)) < len(names):
                raise InputError(
                    f"{self.name}: the parallel channels {self.describe(int(self.tail[channel]))} "
                    f"→ {self.describe(int(self.head[channel]))} have the ports "
                    f"{', '.join(names)}; give each a port of its own"
                )

    def _check_connected(self) -> None:
        _, component = connected_components(self.adjacency, directed=True, connection="strong")
        ends = np.concatenate([self.sources, self.destinations])
        if np.all(component[ends] == component[ends[0]]):
            return
        for row in range(len(self.sources)):
            reach = dijkstra(self.adjacency, indices=self.sources[row], unweighted=True)
            missing = np.flatnonzero(np.isinf(reach[self.destinations]))
            if missing.size:
                source = self.describe(int(self.sources[row]))
                destination = self.describe(int(self.destinations[missing[0]]))
                raise DisconnectedError(
                    f"{self.name} is disconnected: no path leads from node {source} to node "
                    f"{destination}; add a channel (channels go one way, from tail to head) or "
                    "list fewer terminals"
                )

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

    @property
    def channel_count(self) -> int:
        """Number of channels."""
        return len(self.tail)

    @cached_property
    def adjacency(self) -> csr_array:
        """Sparse nodes × nodes matrix with the number of channels from one to the other."""
        ones = np.ones(self.channel_count, dtype=np.int64)
        return csr_array((ones, (self.tail, self.head)), shape=(self.node_count, self.node_count))

    @cached_property
    def out_channels(self) -> tuple[IntArray, IntArray]:
        """Channels sorted by tail, and where each node's begin (compressed-row form)."""
        order = np.argsort(self.tail, kind="stable")
        starts = np.searchsorted(self.tail[order], np.arange(self.node_count + 1))
        return _frozen(order), _frozen(starts)

    @cached_property
    def in_channels(self) -> tuple[IntArray, IntArray]:
        """Channels sorted by head, and where each node's begin (compressed-row form)."""
        order = np.argsort(self.head, kind="stable")
        starts = np.searchsorted(self.head[order], np.arange(self.node_count + 1))
        return _frozen(order), _frozen(starts)

    @cached_property
    def _channels_by_ends(self) -> tuple[IntArray, IntArray]:
        keys = self.tail * self.node_count + self.head
        order = np.argsort(keys, kind="stable")
        return order.astype(np.int64), keys[order]

    def channels_between(self, tails: NDArray[Any], heads: NDArray[Any]) -> IntArray:
        """Return the first channel from each tail to each head, -1 where there is none."""
        order, keys = self._channels_by_ends
        wanted = np.asarray(tails) * self.node_count + np.asarray(heads)
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[places] == wanted, order[places], -1).astype(np.int64)

    def parallel_channels(self, tail: int, head: int) -> list[int]:
        """Return every channel from one node to another, in order."""
        order, keys = self._channels_by_ends
        key = tail * self.node_count + head
        first, last = np.searchsorted(keys, [key, key + 1])
        found: list[int] = order[first:last].tolist()
        return found

    def channel(self, tail: int, head: int, port: str | None = None) -> int:
        """Return the channel from one node to another.

        Parameters
        ----------
        tail, head
            The nodes.
        port
            Which one, where there are parallel channels: the name that the network gives it, or
            its number among them from 1.

        Raises
        ------
        InputError
            If there is none, none of that port, or several and no port.
        """
        found = self.parallel_channels(tail, head)
        if port is None and len(found) == 1:
            return found[0]
        ends = f"from node {self.describe(tail)} to node {self.describe(head)}"
        if not found:
            raise InputError(f"{self.name} has no channel {ends}")
        ports = [self._port_name(channel) for channel in found]
        if port is None:
            raise InputError(
                f"{self.name} has {len(found)} parallel channels {ends}; say which by its port: "
                + ", ".join(f"{self.node_name(head)}#{one}" for one in ports)
            )
        if port not in ports:
            raise InputError(
                f"{self.name} has no channel {ends} of port {shown(port)}; expected "
                + ", ".join(ports)
            )
        return found[ports.index(port)]

    def port(self, channel: int) -> str | None:
        """Return the port of a channel, None where no other is parallel to it."""
        others = self.parallel_channels(int(self.tail[channel]), int(self.head[channel]))
        return self._port_name(channel) if len(others) > 1 else None

    def _port_name(self, channel: int) -> str:
        if self.ports is not None and self.ports[channel]:
            return self.ports[channel]
        others = self.parallel_channels(int(self.tail[channel]), int(self.head[channel]))
        return str(others.index(channel) + 1)

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

    def describe_channel(self, channel: int) -> str:
        """Return the labels of a channel's ends, and its port where it has parallel ones.

        >>> Network("two cables", 2, [0, 0, 1, 1], [1, 1, 0, 0]).describe_channel(1)
        '0 → 1#2'
        """
        ends = (
            f"{self.describe(int(self.tail[channel]))} → {self.describe(int(self.head[channel]))}"
        )
        port = self.port(channel)
        return ends if port is None else f"{ends}#{port}"

    def describe(self, node: int) -> str:
        """Return the node's label, coordinates or number, for messages and drawings."""
        if self.labels is not None:
            return self.labels[node]
        if self.coordinates is not None:
            return "(" + ",".join(str(c) for c in self.coordinates[node]) + ")"
        return str(node)

    def node_name(self, node: int) -> str:
        """Return the node's label or number, which files and :meth:`node_named` know it by."""
        return str(node) if self.labels is None else self.labels[node]

    @cached_property
    def _node_by_name(self) -> dict[str, int]:
        names = {str(node): node for node in range(self.node_count)}
        if self.labels is not None:
            names = {label: node for node, label in enumerate(self.labels)}
        elif self.coordinates is not None:
            names.update({self.describe(node): node for node in range(self.node_count)})
        return names

    def has_node(self, name: str) -> bool:
        """Say whether :meth:`node_named` knows a name."""
        return self._find_node(name) is not None

    def node_named(self, name: str) -> int:
        """Return the node of that label, number or ``(coordinates)``."""
        node = self._find_node(name)
        if node is None:
            raise InputError(f"{self.name} has no node {shown(name)}")
        return node

    def _find_node(self, name: str) -> int | None:
        known = self._node_by_name
        node = known.get(name, known.get(name.strip()))
        if node is None and self.coordinates is not None:
            node = known.get(name.replace(" ", ""))
        return node

    def path_from_nodes(self, nodes: Sequence[int]) -> Path:
        """Return the path that visits the given nodes; no two channels on it may be parallel."""
        return tuple(self.channel(tail, head) for tail, head in itertools.pairwise(nodes))

    def path_nodes(self, source: int, path: Path) -> tuple[int, ...]:
        """Return the nodes that a path from ``source`` visits, both ends included."""
        nodes = [source]
        for channel in path:
            if self.tail[channel] != nodes[-1]:
                raise InputError(
                    f"{self.name}: channel {channel} leaves node "
                    f"{self.describe(int(self.tail[channel]))}, but the path is at node "
                    f"{self.describe(nodes[-1])}"
                )
            nodes.append(int(self.head[channel]))
        return tuple(nodes)

    @cached_property
    def source_index(self) -> IntArray:
        """Position of each node among the sources, -1 for a node that injects nothing."""
        index = np.full(self.node_count, -1, dtype=np.int64)
        index[self.sources] = np.arange(len(self.sources))
        return _frozen(index)

    @cached_property
    def destination_index(self) -> IntArray:
        """Position of each node among the destinations, -1 for one that ejects nothing."""
        index = np.full(self.node_count, -1, dtype=np.int64)
        index[self.destinations] = np.arange(len(self.destinations))
        return _frozen(index)

    @cached_property
    def is_host(self) -> NDArray[np.bool_]:
        """Whether each node is a host: a terminal that no channel joins to another terminal.

        >>> star = Network(
        ...     "star", 3, [0, 1, 0, 2], [1, 0, 2, 0], sources=[1, 2], destinations=[1, 2]
        ... )
        >>> star.is_host.tolist()
        [False, True, True]
        """
        terminal = (self.source_index >= 0) | (self.destination_index >= 0)
        joined = terminal[self.tail] & terminal[self.head]
        found = terminal.copy()
        found[np.concatenate([self.tail[joined], self.head[joined]])] = False
        return found

    @property
    def total_injection(self) -> Fraction:
        """Sum of the injection bandwidths (packets per cycle)."""
        return self.injection.sum()

    @property
    def has_unit_terminals(self) -> bool:
        """Whether all terminals inject and eject one packet per cycle, as many in as out."""
        return (
            len(self.sources) == len(self.destinations)
            and bool(np.all(self.injection.numerators == self.injection.denominator))
            and bool(np.all(self.ejection.numerators == self.ejection.denominator))
        )

    def uniform_weight(self) -> tuple[RationalArray, RationalArray]:
        """Return row and column factors of uniform traffic.

        Source s sends ``injection_s · ejection_d / Σ ejection`` to destination d; with N unit
        terminals that is 1/N, the pair (s, s) included.
        """
        return self.injection, self.ejection.scaled(1 / self.ejection.sum())

    @cached_property
    def distances(self) -> NDArray[np.float64]:
        """Hops from each source to every node (sources × nodes), infinite where unreachable."""
        hops = dijkstra(self.adjacency, indices=self.sources, unweighted=True)
        return np.asarray(hops, dtype=np.float64)

    def mean_shortest_path_length(self) -> Fraction:
        """Return the mean hops of shortest paths under uniform traffic, self pairs included."""
        hops = self.distances[:, self.destinations].astype(np.int64)
        rows, columns = self.uniform_weight()
        received = multiply_sum(hops, columns)
        return rows.times(received).sum() / self.total_injection

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

    def channel_image(self, node_image: NDArray[Any]) -> IntArray:
        """Return where an automorphism sends each channel, parallel ones of a bandwidth in order.

        Raises
        ------
        InputError
            If the map is no automorphism: a channel has no image of equal bandwidth.
        """
        order, keys = self._channels_by_ends
        images = node_image[self.tail] * self.node_count + node_image[self.head]
        image_order = np.argsort(images, kind="stable")
        if not np.array_equal(images[image_order], keys):
            raise InputError(f"{self.name}: a map of nodes does not map channels to channels")
        bandwidth = self.bandwidth.numerators
        if not np.array_equal(bandwidth[order], bandwidth[image_order]):
            # parallel channels are not listed in the same order of bandwidths everywhere
            order = np.lexsort((bandwidth, self.tail * self.node_count + self.head))
            image_order = np.lexsort((bandwidth, images))
        if not np.array_equal(bandwidth[order], bandwidth[image_order]):
            raise InputError(f"{self.name}: a map of nodes does not keep channel bandwidths")
        result = np.empty(self.channel_count, dtype=np.int64)
        result[image_order] = order
        return result
