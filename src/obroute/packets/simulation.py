"""Store-and-forward simulation: packets that queue for channels, step by step.

The model is that of the notes on routing permutations: in a step every node sends at most one
packet along each outgoing channel (or the channel's integer bandwidth), and the rest wait in a
queue per channel. With half-duplex links the two channels of a cable send as much together as one
of them otherwise. Queues are unbounded. Times are in steps; a packet that is injected in step t
and never waits arrives after as many steps as its path has hops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.choices.packets import QUEUE
from obroute.network import Network
from obroute.packets.links import shares
from obroute.packets.queue_kernel import FARTHEST, FIFO, LIFO, NEAREST, RANDOM, run_steps
from obroute.rational import IntArray
from obroute.routing import PathBatch, Routing
from obroute.specs import InputError, suggestion
from obroute.traffic import partial_permutation

DISCIPLINES: dict[str, int] = {
    "fifo": FIFO,
    "lifo": LIFO,
    "random": RANDOM,
    "farthest": FARTHEST,
    "nearest": NEAREST,
}
"""Which packet of a queue goes first, see :data:`~obroute.choices.packets.Queue`."""

BYTES_A_PACKET = 64
BYTES_A_HOP = 4
MOST_BYTES = 16e9


@dataclass(frozen=True, eq=False)
class Packets:
    """Packets to route: where from and to, when injected, and by which paths.

    Parameters
    ----------
    sources, destinations
        Nodes, one of each a packet; a node may send and receive any number of packets.
    injected
        The step in which each packet enters; not decreasing.
    paths
        The path of each packet.
    """

    sources: IntArray
    destinations: IntArray
    injected: IntArray
    paths: PathBatch

    def __post_init__(self) -> None:
        counts = {
            "sources": len(self.sources),
            "destinations": len(self.destinations),
            "injected": len(self.injected),
            "paths": len(self.paths),
        }
        if len(set(counts.values())) > 1:
            listed = ", ".join(f"{count} {what}" for what, count in counts.items())
            raise InputError(f"packets with {listed}; expected one of each for every packet")
        if len(self) and (self.injected[0] < 0 or np.any(np.diff(self.injected) < 0)):
            raise InputError(
                "packets are not in the order of injection, from step 0; sort them by injected"
            )

    def __len__(self) -> int:
        return len(self.sources)


def _check_seed(seed: int) -> None:
    if not 0 <= seed < 2**63:
        raise InputError(f"seed {seed} is out of range; expected 0 to 2^63 - 1")


def draw_packets(
    network: Network,
    routing: Routing,
    sources: NDArray[Any],
    destinations: NDArray[Any],
    seed: int,
    injected: NDArray[Any] | None = None,
) -> Packets:
    """Draw a path for every packet by the routing's distribution.

    Parameters
    ----------
    network, routing
        The routing must be defined on the network.
    sources, destinations
        Nodes, one of each a packet.
    seed
        Seed of the paths; equal seeds give equal packets.
    injected
        Steps of injection, not decreasing; all 0 where not given.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> cube = make_network("hypercube:3")
    >>> packets = draw_packets(cube, make_routing("dor"), [0, 1], [7, 1], seed=1)
    >>> packets.paths.lengths.tolist()
    [3, 0]
    """
    routing.check(network)
    _check_seed(seed)
    source_nodes = np.asarray(sources, dtype=np.int64)
    destination_nodes = np.asarray(destinations, dtype=np.int64)
    if len(source_nodes) != len(destination_nodes):
        raise InputError(
            f"{len(source_nodes)} sources and {len(destination_nodes)} destinations; expected one "
            "of each for every packet"
        )
    generator = np.random.default_rng(seed)
    times = np.zeros(len(source_nodes), dtype=np.int64)
    if injected is not None:
        times = np.asarray(injected, dtype=np.int64)
    paths = routing.sample_paths(network, source_nodes, destination_nodes, generator)
    return Packets(source_nodes, destination_nodes, times, paths)


def permutation_packets(
    network: Network,
    routing: Routing,
    destinations: NDArray[Any] | Sequence[NDArray[Any]],
    seed: int,
) -> Packets:
    """Draw one packet for each source of a permutation, or of each of several.

    ``destinations`` holds positions among ``network.destinations``, as patterns give them; -1
    leaves a source out (a partial permutation). h permutations make an h-relation: h packets from
    every source, and h to every destination.
    """
    given = np.atleast_2d(np.asarray(destinations))
    each = [partial_permutation(network, positions) for positions in given]
    hops = 2 * float(network.mean_shortest_path_length()) + 1
    check_memory(network, len(each) * len(network.sources), hops)
    positions = np.concatenate(each)
    sending = np.flatnonzero(positions >= 0)
    return draw_packets(
        network,
        routing,
        np.tile(network.sources, len(each))[sending],
        network.destinations[positions[sending]],
        seed,
    )


def relation_packets(network: Network, routing: Routing, h: int, seed: int) -> Packets:
    """Draw a random h-relation: h packets from every source, h to every destination."""
    if h < 1:
        raise InputError(f"an h-relation needs h of at least 1, not {h}")
    generator = np.random.default_rng([seed, h])
    drawn = [generator.permutation(len(network.sources)) for _ in range(h)]
    return permutation_packets(network, routing, drawn, seed)


@dataclass(frozen=True, eq=False)
class Run:
    """What a simulation showed.

    Parameters
    ----------
    packets
        What was routed.
    delivered
        The step at whose end each packet arrived, counted from 1 (its injection step if it was
        at its destination); -1 for packets still on the way.
    channel_packets
        Packets that crossed each channel.
    channel_longest_queue
        The longest queue of each channel, the packet about to be sent included.
    in_network
        Packets in the network at the end of each step.
    watched_crossings
        Packets that crossed watched channels in each step.
    """

    packets: Packets
    delivered: IntArray
    channel_packets: IntArray
    channel_longest_queue: IntArray
    in_network: IntArray
    watched_crossings: IntArray

    @property
    def steps(self) -> int:
        """Steps until the last packet arrived; -1 if some are still on the way."""
        if np.any(self.delivered < 0):
            return -1
        return int(self.delivered.max(initial=0))

    @cached_property
    def delays(self) -> IntArray:
        """Steps from injection to arrival of each delivered packet, in order."""
        arrived = self.delivered >= 0
        delays: IntArray = self.delivered[arrived] - self.packets.injected[arrived]
        return delays

    @property
    def largest_queue(self) -> int:
        """The longest queue of any channel at any time."""
        return int(self.channel_longest_queue.max(initial=0))


def simulate(
    network: Network,
    packets: Packets,
    discipline: str = QUEUE,
    seed: int = 0,
    step_limit: int | None = None,
    *,
    half_duplex: bool = False,
    watched: NDArray[np.bool_] | None = None,
) -> Run:
    """Route packets step by step until all have arrived, or until a limit.

    Parameters
    ----------
    network
        Its channel bandwidths must be whole numbers of packets per step.
    packets
        What to route.
    discipline
        ``fifo``, ``lifo``, ``random``, ``farthest`` or ``nearest``. Packets that join a queue in
        the same step do so in the order of their numbers.
    seed
        Seed of the ``random`` discipline.
    step_limit
        Stop after this many steps.
    half_duplex
        The two channels of a cable share one bandwidth; in even steps the one of lower number
        sends first, in odd steps the other.
    watched
        Marks the channels whose crossings are counted step by step.

    Returns
    -------
    Run
        Reproducible bit for bit: it depends on the arguments alone.

    Raises
    ------
    InputError
        If the discipline is unknown, a bandwidth is no whole number, the channels of a half-duplex
        cable differ in bandwidth, or memory would not do.

    Examples
    --------
    >>> from obroute import make_network, make_pattern, make_routing
    >>> cube = make_network("hypercube:4")
    >>> destinations = make_pattern("transpose").permutation(cube)
    >>> packets = permutation_packets(cube, make_routing("dor"), destinations, seed=0)
    >>> run = simulate(cube, packets)
    >>> run.steps, run.largest_queue
    (4, 1)
    """
    if discipline not in DISCIPLINES:
        raise InputError(f"unknown queue '{discipline}'" + suggestion(discipline, [*DISCIPLINES]))
    if network.bandwidth.denominator != 1:
        raise InputError(
            f"{network.name} has a channel bandwidth that is no whole number; a channel sends "
            "whole packets, so scale the bandwidths"
        )
    _check_seed(seed)
    if step_limit is not None and step_limit < 0:
        raise InputError(f"a limit of {step_limit} steps; expected at least 0")
    limit = step_limit if step_limit is not None else np.iinfo(np.int64).max
    if watched is None:
        watched = np.zeros(network.channel_count, dtype=np.bool_)
    delivered, crossings, longest, in_network, crossed = run_steps(
        packets.paths.starts,
        packets.paths.channels,
        packets.injected,
        network.bandwidth.numerators,
        DISCIPLINES[discipline],
        seed,
        limit,
        shares(network, half_duplex).mate,
        watched,
    )
    return Run(packets, delivered, crossings, longest.astype(np.int64), in_network, crossed)


def check_memory(network: Network, packets: int, hops: float) -> None:
    """Raise where that many packets of that many hops would not fit in memory."""
    bytes_needed = packets * (BYTES_A_PACKET + BYTES_A_HOP * hops) + 40.0 * network.channel_count
    if bytes_needed > MOST_BYTES:
        raise InputError(
            f"{packets} packets on {network.name} would take about {bytes_needed / 1e9:.0f} GB; "
            "take a smaller network, a lower rate or fewer steps"
        )


def valiant_phases(
    network: Network,
    routing: Routing,
    destinations: NDArray[Any],
    seed: int,
) -> tuple[Packets, Packets]:
    """Draw Valiant's two phases as two sets of packets, to be run one after the other.

    Every packet goes to a node drawn uniformly from all sources, by ``routing``, and from there
    to its destination by ``routing`` (notes, before Lemma 1). Run the first to its end, then the
    second; in the overlapped form a packet starts its second phase as soon as it can, which is
    the routing ``valiant`` (``two_phase`` on butterflies) in one run.
    """
    if not np.array_equal(network.sources, network.destinations):
        raise InputError(
            f"the phases of packets on {network.name} do not end where they begin; simulate "
            "routing two_phase in one run"
        )
    positions = partial_permutation(network, destinations)
    _check_seed(seed)
    sending = np.flatnonzero(positions >= 0)
    generator = np.random.default_rng([seed, 2])
    middles = network.sources[generator.integers(len(network.sources), size=len(sending))]
    ends = network.destinations[positions[sending]]
    first = draw_packets(network, routing, network.sources[sending], middles, seed)
    return first, draw_packets(network, routing, middles, ends, seed + 1)


def simulate_phases(
    network: Network,
    phases: Sequence[Packets],
    discipline: str = QUEUE,
    seed: int = 0,
    *,
    half_duplex: bool = False,
) -> list[Run]:
    """Run phases one after the other, each to its end; their steps add."""
    return [
        simulate(network, packets, discipline, seed, half_duplex=half_duplex) for packets in phases
    ]
