"""How much memory an evaluation or a simulation needs, said before it starts.

What takes memory in an evaluation are the pair loads: those of the channel that a task works on,
and those that are kept until the end for every channel solved. How many of them are not zero is
estimated from a few pairs, whose loads of all channels are quick to find. In a simulation it is
the packets and how their paths were drawn. The measured constants are such that the statement is
never below the peak and at most three times above it; ``tests/test_memory.py`` measures
again.
"""

from __future__ import annotations

import numpy as np

from obroute.loads import LOADS_AT_ONCE
from obroute.machine import MEGABYTE, PAIR_LOADS_SAVED
from obroute.matching import is_collapsed
from obroute.network import Network
from obroute.orbit_matching import additive_proposal
from obroute.product_matrix import ProductMatrix
from obroute.routing import Routing
from obroute.routing.pair_orbits import bytes_of_images
from obroute.sampling import SampledRouting
from obroute.symmetry import Reduction, declared_group, focus_channels, orbits
from obroute.worst_cases import MOST_SOLVED

BASE_MEGABYTES = 330
"""The interpreter with its libraries, and the compilation of the kernels."""
BYTES_A_SUMMED_LOAD = 100
"""For each load of a channel by a pair that is held where only the sums are wanted."""
BYTES_AN_ENTRY = 230
"""Of an evaluation: for each non-zero pair load of the channel that a task works on,"""
BYTES_A_CHANNEL = 500
"""for each channel of the network,"""
BYTES_A_KEPT_ENTRY = 24
"""for each non-zero pair load of each channel solved,"""
BYTES_A_KEPT_TERMINAL = 300
"""and for each terminal of each channel solved: its potentials are integers of Python."""
BYTES_A_COLLAPSED_TERMINAL = 900
BYTES_A_COLLAPSED_CHANNEL = 150
BYTES_A_FACTOR_ENTRY = 60
BYTES_AN_ORBIT_PAIR = 300
BYTES_A_SAVED_ENTRY = 140
"""Of an evaluation from factors: for each terminal, each channel, each entry of a factor, each
pair of orbits that load the channel, and each pair load where they are few enough to be saved."""
BYTES_A_PACKET = 190
BYTES_A_DIMENSION = 50
BYTES_A_HOP = 4
BYTES_A_QUEUE = 280
"""Of a simulation: for each packet, each dimension of a grid in which its path is drawn, each hop
of that, and each channel."""
BYTES_A_DRAWN_PATH = 60
BYTES_A_DRAWN_HOP = 8
BYTES_A_COUNT = 100
"""Of an estimate: for each path of the sample, besides its dimensions, each hop of it, and each
channel that the paths of a pair load."""
BYTES_A_TRIPLE = 8
BYTES_AN_IMAGE = 8
BYTES_A_FLOW = 8_000
BYTES_A_CHECKED_LOAD = 120
"""Of a design: for each triple of canonical source, destination and channel, each node and channel
that an element of the symmetry carries, each flow variable of the linear program, and each pair
and channel of a block of flows that is checked."""
LARGEST_ORBITS = 2**32
"""Bytes of orbits up to which they are found to count the flow variables."""
LARGEST_IMAGES = 2**28
"""Bytes of automorphisms that may be made to find out how much memory is needed."""
PAIRS_SAMPLED = 64
LOADS_SAMPLED = 2_000_000
PATHS_SAMPLED = 20_000


def evaluation_megabytes(
    network: Network, routing: Routing, *, all_channels: bool = False, threads: int = 1
) -> int:
    """Return the megabytes of memory that an evaluation needs at the most.

    A routing that is designed is not, to say this: it takes what a design takes, beside what the
    other parts of a combination do.

    Parameters
    ----------
    network, routing, all_channels
        What is evaluated.
    threads
        How many channels are worked on at the same time.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:32x32")
    >>> [evaluation_megabytes(torus, make_routing(name)) for name in ("dor", "valiant")]
    [333, 403]
    """
    routing = routing.on(network)
    parts = list(routing.components())
    if any(part.designs for part in parts):
        each = [
            design_megabytes(network)
            if part.designs
            else evaluation_megabytes(network, part, all_channels=all_channels, threads=threads)
            for part in parts
        ]
        return BASE_MEGABYTES + sum(needed - BASE_MEGABYTES for needed in each)
    if is_collapsed(network) and not all_channels and routing.on(network).has_factors:
        focus = focus_channels(network, routing.symmetries(network)).channels.tolist()
        loads = routing.pair_loads(network, focus[0])
        if isinstance(loads, ProductMatrix):
            return _megabytes_of_factors(network, loads, len(focus), threads)
        density = loads.nonzeros / len(network.sources) ** 2
        return _megabytes(network, routing, density, 0, all_channels, threads)
    images = _image_bytes(network, routing)
    lists = images > LARGEST_IMAGES and type(routing).channel_loads is Routing.channel_loads
    density = _density(network, routing, lists)
    return _megabytes(network, routing, density, images, all_channels, threads)


def sampled_megabytes(
    network: Network, sampled: SampledRouting, *, all_channels: bool = False, threads: int = 1
) -> int:
    """Return the megabytes of memory that an estimate from sampled paths needs at the most.

    The paths of a few pairs are drawn to find how long they are and how many channels they load;
    none is listed. Of a routing that is still to be designed, none is drawn either.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:9x9")
    >>> few, many = (SampledRouting(make_routing("romm"), n, seed=0) for n in (10, 10_000))
    >>> sampled_megabytes(torus, few) < sampled_megabytes(torus, many)
    True
    """
    routing, each = sampled.routing.on(network), sampled.paths_per_pair
    if any(part.designs for part in routing.components()):
        designed = evaluation_megabytes(
            network, routing, all_channels=all_channels, threads=threads
        )
        paths = len(network.sources) * len(network.destinations) * each
        hops = 2 * float(network.mean_shortest_path_length()) + 1
        return designed + int(paths * _path_bytes(network, hops) / MEGABYTE)
    units = len(sampled.drawn_sources(network)) * len(network.destinations)
    few = max(1, min(PAIRS_SAMPLED, units, PATHS_SAMPLED // each))
    drawn = sampled.draw(network, np.random.default_rng(0).choice(units, few, replace=False))
    crossed = np.repeat(np.arange(len(drawn)) // each, drawn.lengths)
    loaded = len(np.unique(crossed * network.channel_count + drawn.channels)) / few
    held = sampled.drawn_paths(network) * _path_bytes(network, float(drawn.lengths.mean()))
    held += units * loaded * BYTES_A_COUNT
    held += bytes_of_images(network) if sampled.canonical(network) else 0
    density = loaded / network.channel_count
    return _megabytes(network, routing, density, held, all_channels, threads)


def _path_bytes(network: Network, hops: float) -> float:
    """Return what a drawn path takes."""
    dimensions = 2 if network.dimensions is None else network.dimensions
    return BYTES_A_DRAWN_PATH + BYTES_A_DIMENSION * dimensions + BYTES_A_DRAWN_HOP * hops


def _megabytes(
    network: Network,
    routing: Routing,
    density: float,
    held: float,
    all_channels: bool,
    threads: int,
) -> int:
    """Return what an evaluation needs beside bytes that it holds from beginning to end."""
    terminals = len(network.sources) + len(network.destinations)
    entries = len(network.sources) * len(network.destinations) * density
    symmetries = {} if all_channels else routing.symmetries(network)
    channels = len(focus_channels(network, symmetries).channels)
    working = held + entries * BYTES_AN_ENTRY * min(threads, channels)
    if channels > MOST_SOLVED and not all_channels:
        working += routing.bytes_to_bound(network, entries * channels)
        channels = 1
    working += network.channel_count * BYTES_A_CHANNEL + _summed_bytes(network)
    kept = channels * (entries * BYTES_A_KEPT_ENTRY + terminals * BYTES_A_KEPT_TERMINAL / 2)
    return BASE_MEGABYTES + int((working + kept) / MEGABYTE)


def _megabytes_of_factors(
    network: Network, loads: ProductMatrix, channels: int, threads: int
) -> int:
    """Return what an evaluation needs whose pair loads are solved from their factors.

    Where no closed form of the worst traffic is proposed, the pairs between orbits are listed.
    """
    proposal = None if loads.propose is None else loads.propose()
    working = channels * network.node_count * BYTES_A_COLLAPSED_TERMINAL
    working += network.channel_count * BYTES_A_COLLAPSED_CHANNEL
    working += sum(factor.numerators.size for term in loads.terms for factor in term) * (
        channels * BYTES_A_FACTOR_ENTRY
    )
    if proposal is None and additive_proposal(loads) is None:
        pairs = loads.nonzeros / 2 ** len(loads.sizes)
        working += min(threads, channels) * pairs * BYTES_AN_ORBIT_PAIR
    if loads.nonzeros <= PAIR_LOADS_SAVED:
        working += loads.nonzeros * BYTES_A_SAVED_ENTRY
    return BASE_MEGABYTES + int(working / MEGABYTE)


def _summed_bytes(network: Network) -> float:
    """Return what the loads of every channel under a permutation take while they are added."""
    loads = len(network.sources) * network.channel_count
    return min(loads, LOADS_AT_ONCE) * BYTES_A_SUMMED_LOAD


def _image_bytes(network: Network, routing: Routing) -> int:
    """Return what the automorphisms take by which a plain routing's loads are carried."""
    plain = type(routing).pair_loads is Routing.pair_loads and routing.symmetries(network)
    return bytes_of_images(network) if plain else 0


def _density(network: Network, routing: Routing, lists: bool) -> float:
    """Return the share of pairs that load a channel, in the mean over channels.

    If it ``lists`` the paths of each pair, it needs no room for automorphisms.
    """
    drawn = np.random.default_rng(0)
    count = max(1, min(PAIRS_SAMPLED, LOADS_SAMPLED // network.channel_count))
    sources = drawn.choice(network.sources, count)
    destinations = drawn.choice(network.destinations, count)
    loads_of = routing.listed_loads if lists else routing.channel_loads
    return loads_of(network, sources, destinations).nonzeros / (count * network.channel_count)


def simulation_megabytes(network: Network, packets: int) -> int:
    """Return the megabytes of memory that routing a number of packets at the same time needs.

    Examples
    --------
    >>> from obroute import make_network
    >>> simulation_megabytes(make_network("hypercube:10"), packets=1024)
    433
    """
    hops = 2 * float(network.mean_shortest_path_length()) + 1
    dimensions = network.dimensions or 0
    each = BYTES_A_PACKET + BYTES_A_DIMENSION * dimensions + BYTES_A_HOP * hops
    needed = packets * each + network.channel_count * BYTES_A_QUEUE + _summed_bytes(network)
    return BASE_MEGABYTES + int(needed / MEGABYTE)


def design_megabytes(network: Network) -> int:
    """Return the megabytes of memory that designing a routing, or reading a design, needs.

    Of a network so large that its orbits alone take gigabytes, what those take: less than is
    needed, and too much already.

    Examples
    --------
    >>> from obroute import make_network
    >>> design_megabytes(make_network("torus:4x4"))
    332
    """
    labels = orbits(network.node_count, network.automorphisms().values())
    frames = len(np.unique(labels[network.sources])) * len(network.destinations)
    ends = network.node_count + network.channel_count
    needed = frames * network.channel_count * BYTES_A_TRIPLE
    needed += (frames + len(network.sources)) * ends * BYTES_AN_IMAGE
    loads = len(network.sources) * len(network.destinations) * network.channel_count
    needed += min(loads, LOADS_AT_ONCE) * BYTES_A_CHECKED_LOAD
    if needed < LARGEST_ORBITS:
        needed += Reduction.build(declared_group(network)).flow_count * BYTES_A_FLOW
    return BASE_MEGABYTES + int(needed / MEGABYTE)
