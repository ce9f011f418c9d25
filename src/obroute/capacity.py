"""Capacity where it is known without a linear program, and what proves it.

The *capacity load* is the least largest load of uniform traffic over all routings (packets per
cycle over channel bandwidth). It is at most what a routing at hand has, and at least what any
lengths of the channels prove: with w_c ≥ 0, every routing has ``max_c γ_c / b_c ≥ Σ γ_c w_c /
Σ b_c w_c ≥ Σ r_s q_d dist_w(s, d) / Σ b_c w_c``, for a packet crosses at least the shortest
distance. Length one for each channel counts hops; one for the channels of a cut counts what has
to cross it. Where both meet, capacity is known, exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from obroute.loads import CLOSE, uniform_loads
from obroute.network import Network
from obroute.rational import FloatArray, IntArray, multiply_sum
from obroute.routing.minimal import SPLITS
from obroute.routing.shortest_path_loads import shortest_uniform_loads
from obroute.routing.shortest_paths import EqualCostMultipath

MOST_NODES_SEARCHED = 512
MOST_CHANNELS_NAMED = 3
MOST_CUTS_TRIED = 8
"""So many of the fullest channels are tried alone as well, each as a cut."""
FEW_CHANNELS = 64
"""So many channels are summed one by one, more all at once."""


@dataclass(frozen=True)
class Capacity:
    """The capacity load of a network (packets per cycle over bandwidth), and what proves it."""

    load: Fraction
    proof: str
    """In words: the closed form, or the routing that has this load and why none has less."""


def capacity_load(network: Network) -> Fraction | None:
    """Return the least largest load of uniform traffic over all routings, None where unknown.

    Examples
    --------
    >>> from obroute import make_network
    >>> capacity_load(make_network("torus:9x9"))
    Fraction(10, 9)
    """
    found = known_capacity(network)
    return None if found is None else found.load


def known_capacity(network: Network) -> Capacity | None:
    """Return the capacity of a network with its proof, None where none is found quickly.

    Grids, complete graphs and butterflies have closed forms. On another network of at most
    ``MOST_NODES_SEARCHED`` nodes the shortest-path routings are held against lower bounds.

    Examples
    --------
    >>> from obroute.rational import RationalArray
    >>> widths = RationalArray.from_fractions([2, 2, Fraction(1, 2), 2, 2, 2])
    >>> line = Network("line", 4, [0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2], widths)
    >>> found = known_capacity(line)
    >>> str(found.load), found.proof
    ('2', 'ecmp has this load, and no routing less: 1 packet has to cross 1 → 2')
    """
    closed = network.capacity_load()
    if closed is not None:
        return Capacity(closed, "closed form of the family")
    if network.node_count > MOST_NODES_SEARCHED:
        return None
    bounds = [_mean_hops(network), *_terminal_cuts(network)]
    for split in SPLITS:
        widths = network.bandwidth.numerators
        if split == "bandwidth" and widths.min() == widths.max():
            continue  # as by hops
        loads = _loads_in_floats(network, split)
        close = loads.max() * (1 - CLOSE)
        fullest = np.flatnonzero(loads >= close)
        exact = None
        for bound, why in itertools.chain(bounds, _bounds_of_fullest(network, fullest)):
            if float(bound) < close:
                continue
            exact = _exact_load(network, split, fullest) if exact is None else exact
            if bound == exact:
                name = EqualCostMultipath(split).name
                return Capacity(bound, f"{name} has this load, and no routing less: {why}")
    return None


def _exact_load(network: Network, split: str, fullest: IntArray) -> Fraction:
    """Return the largest load of uniform traffic over bandwidth, which is one of the fullest's."""
    routing = EqualCostMultipath(split)
    if len(fullest) <= FEW_CHANNELS:
        loads = uniform_loads(network, routing, fullest.tolist())
    else:
        loads = dict(enumerate(routing.uniform_loads(network)))
    return max(load / network.bandwidth.fraction(channel) for channel, load in loads.items())


def _loads_in_floats(network: Network, split: str) -> FloatArray:
    """Return what :func:`_exact_load` is the largest of, by channel and nearly, but at once.

    Whether the exact loads, which take long, can meet a bound at all.
    """
    nodes = network.node_count
    widths = network.bandwidth.to_float()
    _, shares = network.uniform_weight()
    loads = np.zeros(network.channel_count)
    shortest_uniform_loads(
        network,
        np.ones(len(widths)) if split == "hops" else widths,
        np.bincount(network.sources, network.injection.to_float(), nodes).astype(np.float64),
        shares.to_float(),
        loads,
        by_paths=split == "paths",
    )
    with np.errstate(over="ignore", invalid="ignore"):  # counts of paths may be too large
        return np.nan_to_num(loads / widths)


def _mean_hops(network: Network) -> tuple[Fraction, str]:
    hops = network.mean_shortest_path_length() * network.total_injection
    width = network.bandwidth.sum()
    return hops / width, f"shortest paths take {hops} hops a cycle, over a bandwidth of {width}"


def _terminal_cuts(network: Network) -> Iterator[tuple[Fraction, str]]:
    """Yield what a terminal sends to others, or gets from them, over its channels, at the most."""
    for word, terminals, amounts, ends, others, index in (
        (
            "send",
            network.sources,
            network.injection,
            network.tail,
            network.ejection,
            network.destination_index,
        ),
        (
            "receive",
            network.destinations,
            network.ejection,
            network.head,
            network.injection,
            network.source_index,
        ),
    ):
        # Uniform traffic sends r q / Σ q from s to d, to a node in all Σ r of its share.
        share = network.total_injection / network.ejection.sum() if word == "receive" else 1
        width = np.bincount(ends, network.bandwidth.to_float(), network.node_count)[terminals]
        own = np.where(index[terminals] < 0, 0, others.to_float()[index[terminals]])
        nearly = amounts.to_float() * (1 - own / float(others.sum())) / width
        for place in np.flatnonzero(nearly >= nearly.max() * (1 - CLOSE))[:1].tolist():
            node = int(terminals[place])
            mine = Fraction(0) if index[node] < 0 else others.fraction(int(index[node]))
            crossing = amounts.fraction(place) * share * (1 - mine / others.sum())
            total = network.bandwidth.take(ends == node).sum()
            why = f"node {network.describe(node)} has to {word} {crossing} over {total}"
            yield crossing / total, why


def _bounds_of_fullest(network: Network, fullest: IntArray) -> Iterator[tuple[Fraction, str]]:
    """Yield what the lengths of the fullest channels prove: all of them, then single ones."""
    names = [network.describe_channel(c) for c in fullest[:MOST_CHANNELS_NAMED].tolist()]
    more = f" and {len(fullest) - len(names)} more" if len(fullest) > len(names) else ""
    few = len(fullest) if 1 < len(fullest) <= MOST_CUTS_TRIED else 0
    for channels in (fullest, *(fullest[n : n + 1] for n in range(few))):
        if _can_be_avoided(network, channels):
            continue
        crossings = _least_crossings(network, channels)
        if len(channels) > 1:
            why = f"{crossings} crossings a cycle of {', '.join(names)}{more} cannot be avoided"
        else:
            name = network.describe_channel(int(channels[0]))
            some = "of a packet has" if crossings < 1 else "packet has"
            some = "packets have" if crossings > 1 else some
            why = f"{crossings} {some} to cross {name}"
        yield crossings / network.bandwidth.take(channels).sum(), why


def _can_be_avoided(network: Network, channels: IntArray) -> bool:
    """Say whether all nodes reach each other without the given channels, to waste no search."""
    kept = np.ones(network.channel_count, dtype=np.bool_)
    kept[channels] = False
    graph = csr_array(
        (kept[kept], (network.tail[kept], network.head[kept])),
        shape=(network.node_count, network.node_count),
    )
    parts, _ = connected_components(graph, directed=True, connection="strong")
    return bool(parts == 1)


def terminal_distances(network: Network, lengths: IntArray) -> FloatArray:
    """Return the distance of every source from every destination by lengths of channels."""
    ends = network.tail * network.node_count + network.head
    order = np.lexsort((lengths, ends))
    shortest = order[np.unique(ends[order], return_index=True)[1]]  # of parallel channels
    graph = csr_array(
        (lengths[shortest], (network.tail[shortest], network.head[shortest])),
        shape=(network.node_count, network.node_count),
    )
    found: FloatArray = dijkstra(graph, indices=network.sources)[:, network.destinations]
    return found


def _least_crossings(network: Network, channels: IntArray) -> Fraction:
    """Return how often uniform traffic crosses the given channels at least (per cycle)."""
    many = network.node_count + 1
    lengths = np.ones(network.channel_count, dtype=np.int64)
    lengths[channels] += many  # the fewest of these channels first, then the fewest hops
    crossed = (terminal_distances(network, lengths) // many).astype(np.int64)
    rows, columns = network.uniform_weight()
    return rows.times(multiply_sum(crossed, columns)).sum()
