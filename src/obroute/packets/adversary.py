"""Adversaries: permutations that any deterministic oblivious routing takes long to route.

Theorem 2 (Borodin and Hopcroft; notes on routing permutations). Take a network of N nodes in
which no node has more than d links, and one path for every pair. Then some permutation sends k
packets over one link for every k with ``k·d·(1 + (k-1)(d-1)) ≤ N``; as ``1 + (k-1)(d-1) ≤ k·d``,
``k = ⌊√N / d⌋`` is such a k.

Proof, for N unit terminals among any number of nodes and L links. For a destination v let E(v) be
the links that at least k of the paths to v use, and V(v) their ends.

- v is in V(v): the N - 1 or more paths to v from other nodes end on at most d links, so one of
  the links carries at least ``⌈(N-1)/d⌉``, which is k or more if ``(k-1)·d < N-1``.
- A path from outside V(v) enters it over a link with one end inside and not in E(v), which at most
  k - 1 of the paths to v use. A node of V(v) has at most d - 1 such links, since one of its links
  is in E(v). So at most ``(k-1)(d-1)·|V(v)|`` sources lie outside V(v), and at most ``|V(v)|``
  inside: ``N ≤ |V(v)|·(1 + (k-1)(d-1))``.
- A link has two ends, so ``|E(v)| ≥ |V(v)|/2``. Summed over the N destinations, some link is in
  E(v) for at least ``N² / (2L·(1 + (k-1)(d-1)))`` of them; rounded up, that is k or more if
  ``2L·(k-1)·(1 + (k-1)(d-1)) < N²``. (Where every node is a terminal, ``2L ≤ N·d``.)
- Take k of these destinations and, one after the other, for each a source not taken before: at
  least k sources reach it over that link.

A link is a channel and the one that goes back. Over a link in E(v) at least ``⌈k/2⌉`` of the paths
to v go in one direction, and for at least ``⌈k/2⌉`` of k destinations it is the same one. So the
construction, made with channels in place of links, sends at least ``⌈k/2⌉`` packets over one
channel, which takes as many steps, whatever the queueing. It usually sends more;
:func:`borodin_hopcroft` looks for the most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.loads import largest_load
from obroute.network import Network
from obroute.packets.benes import complete_permutation
from obroute.packets.links import links
from obroute.rational import IntArray, SparseRationalMatrix
from obroute.routing import Routing
from obroute.routing.bit_fixing import BitFixing, is_hypercube
from obroute.specs import InputError
from obroute.symmetry import focus_channels
from obroute.traffic.addresses import transpose
from obroute.traffic.bits import bit_reverse


@dataclass(frozen=True, eq=False)
class Witness:
    """A permutation that Theorem 2 constructs, and what it proves.

    Parameters
    ----------
    channel
        The channel that all pairs of the construction cross.
    pairs
        Their number k: the packets that cross the channel.
    sources, destinations
        The k pairs, as positions among the network's sources and destinations.
    permutation
        The pairs completed: position of the destination of each source, as every command that
        takes a permutation reads it.
    load
        Packets of the whole permutation that cross the channel, at least k.
    steps
        What routing the permutation takes at least: ``⌈load / bandwidth⌉`` steps.
    guaranteed_pairs
        The k that the proof guarantees over some link, whatever the routing.
    guaranteed_steps
        The steps that the proof guarantees: ``⌈k/2⌉``, over the largest bandwidth, rounded up.
    """

    network: Network
    routing: Routing
    channel: int
    pairs: int
    sources: IntArray
    destinations: IntArray
    permutation: IntArray
    load: int
    steps: int
    guaranteed_pairs: int
    guaranteed_steps: int


def guaranteed_pairs(network: Network) -> int:
    """Return the largest k that the proof guarantees for every deterministic routing.

    The two conditions in the module's proof decide; ``⌊√N / d⌋`` or more where every node is a
    terminal.

    Examples
    --------
    >>> from obroute import make_network
    >>> [guaranteed_pairs(make_network(f"hypercube:{n}")) for n in (4, 8, 12)]
    [1, 3, 6]
    >>> guaranteed_pairs(make_network("ring:100"))
    7
    """
    terminals = len(network.sources)
    link = links(network)
    _, first = np.unique(link, return_index=True)
    ends = np.concatenate([network.tail[first], network.head[first]])
    degree = int(np.bincount(ends).max())
    k = 1
    while (
        k * degree < terminals - 1
        and 2 * len(first) * k * (1 + k * (degree - 1)) < terminals * terminals
    ):
        k += 1
    return k


def borodin_hopcroft(network: Network, routing: Routing) -> Witness:
    """Construct a bad permutation for a deterministic oblivious routing, as the proof does.

    The channel is the one for which the construction gives the most pairs over its bandwidth: the
    largest k for which at least k sources reach each of k destinations over the channel. Channels
    that the routing's symmetries map to one another count once.

    Raises
    ------
    InputError
        If the routing is not deterministic or not defined on the network, or a terminal does not
        inject and eject one packet per cycle.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> witness = borodin_hopcroft(make_network("hypercube:6"), make_routing("bit_fixing"))
    >>> witness.pairs, witness.steps, witness.guaranteed_pairs, witness.guaranteed_steps
    (4, 4, 2, 1)
    """
    if not network.has_unit_terminals:
        raise InputError(
            f"{network.name}: the Borodin–Hopcroft witness is a permutation; it needs terminals "
            "that each inject and eject one packet per cycle"
        )
    routing.check(network)
    best, channel = (Fraction(0), 0), 0
    for candidate in focus_channels(network, routing.symmetries(network)).channels.tolist():
        loads = routing.pair_loads(network, candidate)
        _check_deterministic(network, routing, candidate, loads)
        pairs = _most_pairs(_senders(loads))
        rank = (pairs / network.bandwidth.fraction(candidate), pairs)
        if rank > best:
            best, channel = rank, candidate
    loads = routing.pair_loads(network, channel)
    k = best[1]
    sources, destinations = _distinct_pairs(loads, int(k))
    permutation = np.full(len(network.sources), -1, dtype=np.int64)
    permutation[sources] = destinations
    permutation = complete_permutation(permutation)
    load = int(loads.sum_at(np.arange(len(permutation)), permutation))
    guaranteed = guaranteed_pairs(network)
    largest = max(network.bandwidth.fractions(), default=Fraction(1))
    return Witness(
        network=network,
        routing=routing,
        channel=channel,
        pairs=int(k),
        sources=sources,
        destinations=destinations,
        permutation=permutation,
        load=load,
        steps=math.ceil(load / network.bandwidth.fraction(channel)),
        guaranteed_pairs=guaranteed,
        guaranteed_steps=math.ceil(Fraction(-(-guaranteed // 2)) / largest),
    )


def _check_deterministic(
    network: Network, routing: Routing, channel: int, loads: SparseRationalMatrix
) -> None:
    split = np.flatnonzero(loads.values.numerators != loads.values.denominator)
    if split.size:
        place = int(split[0])
        source = network.describe(int(network.sources[loads.rows[place]]))
        destination = network.describe(int(network.destinations[loads.columns[place]]))
        raise InputError(
            f"routing {routing.name} is not deterministic on {network.name}: channel {channel} "
            f"carries {loads.values.fraction(place)} of the packets from node {source} to node "
            f"{destination}, and Theorem 2 needs one path a pair; use bit_fixing, "
            "dor:ties=positive or a table of single paths"
        )


def _senders(loads: SparseRationalMatrix) -> IntArray:
    """Return how many sources reach each destination over the channel."""
    return np.bincount(loads.columns, minlength=loads.shape[1])


def _most_pairs(senders: IntArray) -> int:
    """Return the largest k such that k destinations have at least k senders each."""
    descending = np.sort(senders)[::-1]
    return int(np.count_nonzero(descending >= np.arange(1, len(descending) + 1)))


def _distinct_pairs(loads: SparseRationalMatrix, k: int) -> tuple[IntArray, IntArray]:
    """Choose k destinations with k senders or more, and for each a sender not chosen before."""
    destinations = np.flatnonzero(_senders(loads) >= k)[:k]
    chosen: dict[int, int] = {}
    for destination in destinations.tolist():
        senders = loads.rows[loads.columns == destination].tolist()
        source = next(source for source in senders if source not in chosen)
        chosen[source] = destination
    return np.array(list(chosen), dtype=np.int64), destinations


@dataclass(frozen=True)
class GreedyBound:
    """What greedy routing needs at least for one pattern on a hypercube of N = 2ⁿ nodes.

    Parameters
    ----------
    pattern
        The permutation.
    through_zero
        Packets whose way leads through node 0…0: ``2^⌊n/2⌋``, which is √N for even n. One of them
        is at home there; the others leave it.
    averaging
        The notes' bound in whole steps, √N/n for even n, rounded up: the ``2^⌊n/2⌋ - 1`` packets
        that leave share the n channels out, and what they send in a step. (Where n is even, one
        packet less makes no difference to the number of steps.)
    load, channel
        The exact load of the heaviest channel, and the first that has it: a bound in steps too,
        and a better one.
    """

    pattern: str
    through_zero: int
    averaging: int
    load: Fraction
    channel: int


def greedy_lower_bounds(cube: Network) -> list[GreedyBound]:
    """Return the bounds for transpose (even n) and bit reversal under left-to-right bit fixing.

    The 2^⌊n/2⌋ packets from nodes whose second half of bits (and the middle one) is zero are all
    at node 0…0 once the first half is fixed. The notes average over the n channels there. In fact
    half of them need the next bit changed, and share its channel: for even n it carries √N/2
    packets, so greedy routing takes at least √N/2 steps. No permutation loads a channel more:
    √N/2 is then the exact worst case, 2^⌊(n-1)/2⌋.

    Raises
    ------
    InputError
        If the network is no hypercube.

    Examples
    --------
    >>> from obroute import make_network
    >>> for bound in greedy_lower_bounds(make_network("hypercube:8")):
    ...     print(bound.pattern, bound.through_zero, bound.averaging, bound.load)
    transpose 16 2 8
    bit_reverse 16 2 8
    """
    if not is_hypercube(cube):
        raise InputError(
            f"{cube.name} is no hypercube, and the bounds for greedy routing are for hypercubes; "
            "expected one, such as hypercube:8"
        )
    dimensions = cube.node_count.bit_length() - 1
    through = 2 ** (dimensions // 2)
    out = cube.bandwidth.take(np.flatnonzero(cube.tail == 0)).sum()
    averaging = math.ceil((through - 1) / out)
    greedy = BitFixing()
    bounds = []
    for pattern in (bit_reverse(),) if dimensions % 2 else (transpose(), bit_reverse()):
        load, channel = largest_load(greedy, pattern.traffic(cube))
        bounds.append(GreedyBound(pattern.name, through, averaging, load, channel))
    return bounds
