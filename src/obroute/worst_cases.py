"""The worst case of a routing on a network: its focus channels, each solved and certified.

Every question about it is answered here, whoever asks: an evaluation, a design that is rounded, an
adversary that looks for a bad permutation. What checks designs on the full network
(:mod:`obroute.design.routing_check`) alone does it again, to share nothing with what it checks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from obroute.certificates import CertificateError, WorstCase
from obroute.channel_bounds import ChannelBounds, bound_channels, may_be_worst
from obroute.network import Network
from obroute.rational import IntArray, SparseRationalMatrix
from obroute.routing import Routing
from obroute.solved_channels import ChannelResult, solve_channels
from obroute.symmetry import (
    FocusChannels,
    can_find,
    focus_channels,
    found_group,
    orbits_of_channels,
)
from obroute.tasks import TaskRunner, run_serially, things_a_task
from obroute.traffic import Traffic

SECONDS_PER_PAIR = 3e-8
"""Measured time of one pair of one channel, loads and matching together, to size batches."""
MOST_SOLVED = 64
"""Channels that are all solved; of more, only those that may be the worst."""
FEW_ALIKE = 8
"""Channels that may be the worst, up to which each is solved exactly."""
LARGEST_GRAPH_SEARCHED = 200_000
"""Nodes, and channels counted twice, up to which symmetries are looked for."""
WORST_CASE = "worst_case"
"""What the traffic of a worst case is called."""


@dataclass(frozen=True)
class WorstCases:
    """The worst case of a channel of every orbit, and with them that of the network.

    ``channels`` has a result for each of ``focus.channels``, in that order. Where there are many
    (``MOST_SOLVED``) it has the critical one's alone, and ``bounds`` says of each that no traffic
    loads it more.
    """

    focus: FocusChannels
    channels: list[ChannelResult]
    bounds: ChannelBounds | None = None

    @property
    def labels(self) -> IntArray:
        """Position in ``channels`` of the one that stands for each channel; -1 for none."""
        if self.bounds is None:
            return self.focus.labels
        mine = self.focus.labels == self.focus.labels[self.critical.worst.channel]
        return np.where(mine, 0, -1)

    @property
    def critical(self) -> ChannelResult:
        """The first channel whose worst case is the worst of all."""
        return max(self.channels, key=lambda result: result.normalized_load)

    @property
    def load(self) -> Fraction:
        """Largest load over bandwidth that any traffic puts on any channel."""
        return self.critical.normalized_load


def worst_cases(
    network: Network,
    routing: Routing,
    *,
    all_channels: bool = False,
    estimated_by: Routing | None = None,
    run: TaskRunner = run_serially,
) -> WorstCases:
    """Solve and certify the worst case of a routing on every channel that symmetry leaves.

    Parameters
    ----------
    network, routing
        Whose worst case.
    all_channels
        Solve every channel in place of one of each orbit, or of those that may be the worst.
    estimated_by
        A sample of the routing's paths, whose pair loads to take for those of the routing: no
        result is then certified. The orbits are the routing's, which a sample need not respect.
    run
        Where the tasks run.

    Raises
    ------
    InputError
        If the routing is not defined on the network.
    CertificateError
        If a worst case found is not proved.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> found = worst_cases(make_network("torus:9x9"), make_routing("romm"))
    >>> str(found.load), found.critical.certified, found.critical.multiplicity
    ('32/5', True, 324)
    """
    routing.check(network)
    focus = focus_channels(network, {} if all_channels else routing.symmetries(network))
    channels = focus.channels.tolist()
    if estimated_by is None and solves_few(network, routing, focus, all_channels=all_channels):
        return _worst_of_many(network, routing, focus, run)
    taken = routing if estimated_by is None else estimated_by
    if len(channels) > MOST_SOLVED:  # channels that are alike go into one task
        like = taken.rounded_loads(network).alike(focus.channels)
        channels = focus.channels[np.argsort(like, kind="stable")].tolist()
    pairs = len(network.sources) * len(network.destinations)
    size = things_a_task(pairs * SECONDS_PER_PAIR)
    batches = [channels[at : at + size] for at in range(0, len(channels), size)]
    solved = run(
        solve_channels, (network, taken), batches, "channels", [len(batch) for batch in batches]
    )
    by_channel = {result.worst.channel: result for batch in solved for result in batch}
    results = [
        replace(by_channel[channel], multiplicity=multiplicity, certified=estimated_by is None)
        for channel, multiplicity in zip(
            focus.channels.tolist(), focus.multiplicity.tolist(), strict=True
        )
    ]
    return WorstCases(focus, results)


def worst_behind_hosts(
    network: Network, routing: Routing, worst: WorstCases, run: TaskRunner = run_serially
) -> ChannelResult | None:
    """Return the worst case of the channels of no host, where a host's link has that of all.

    A host's link carries what that host alone sends or gets, so that no routing can load it less:
    what a better routing or another cabling can change is what this returns.

    Returns
    -------
    ChannelResult | None
        Solved and certified. None where no link of a host
        (:attr:`~obroute.network.Network.is_host`) has the worst case, where it carries what is of
        others, and where there is no other channel.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> net, ecmp = make_network("leafspine:leaves=2,hosts=2,spines=2"), make_routing("ecmp")
    >>> found = worst_behind_hosts(net, ecmp, worst_cases(net, ecmp))
    >>> found.normalized_load, net.describe_channel(found.worst.channel)
    (Fraction(1, 1), 'leaf0 → spine0')
    """
    critical = worst.critical
    host = network.is_host
    if not critical.normalized_load or not host.any():
        return None
    if not _is_of_one_host(network, critical):
        link = fullest_host_link(network)
        return critical if link is not None and link[0] == critical.normalized_load else None
    inner = ~(host[network.tail] | host[network.head])
    places = np.flatnonzero(inner[worst.focus.channels])
    if not places.size:
        return None
    if worst.bounds is None:
        results = [worst.channels[place] for place in places.tolist()]
        return max(results, key=lambda result: result.normalized_load)
    labels = np.full(len(worst.focus.channels), -1, dtype=np.int64)
    labels[places] = np.arange(len(places))
    focus = FocusChannels(
        worst.focus.channels[places],
        worst.focus.multiplicity[places],
        labels[worst.focus.labels],
    )
    return _worst_of_many(network, routing, focus, run).critical


def fullest_host_link(network: Network) -> tuple[Fraction, int] | None:
    """Return the largest load of a host's only channel out or in, over bandwidth, and the channel.

    It is that of any routing: the host can send all that others take, and they all that it takes.
    None where no host has but one.

    Examples
    --------
    >>> from obroute import make_network
    >>> fullest_host_link(make_network("leafspine:leaves=2,hosts=2,spines=2"))
    (Fraction(1, 1), 0)
    """
    links = []
    both_ways = (
        (network.tail, network.sources, network.injection, network.destinations, network.ejection),
        (network.head, network.destinations, network.ejection, network.sources, network.injection),
    )
    for end, nodes, amounts, others, theirs in both_ways:
        channels = np.flatnonzero(network.is_host[end])
        alone = np.bincount(end, minlength=network.node_count) == 1
        own = dict(zip(nodes.tolist(), amounts.fractions(), strict=True))
        back = dict(zip(others.tolist(), theirs.fractions(), strict=True))
        total = sum(back.values(), Fraction(0))
        for channel in channels[alone[end[channels]]].tolist():
            host = int(end[channel])
            load = min(own.get(host, Fraction(0)), total - back.get(host, Fraction(0)))
            links.append((load / network.bandwidth.fraction(channel), -channel))
    if not links:
        return None
    load, channel = max(links)
    return load, -channel


def _is_of_one_host(network: Network, result: ChannelResult) -> bool:
    """Say whether a channel begins or ends at a host, and carries what is of that host alone."""
    channel = result.worst.channel
    tail, head = int(network.tail[channel]), int(network.head[channel])
    loads = result.pair_loads
    sends = network.is_host[tail] and np.all(network.sources[loads.rows] == tail)
    gets = network.is_host[head] and np.all(network.destinations[loads.columns] == head)
    return bool(sends or gets)


def solves_few(
    network: Network, routing: Routing, focus: FocusChannels, *, all_channels: bool
) -> bool:
    """Say whether channels are bounded, and only those solved that may be the worst."""
    many = len(focus.channels) > MOST_SOLVED and not all_channels
    return many and routing.rounded_loads(network).are_useful


def _worst_of_many(
    network: Network, routing: Routing, focus: FocusChannels, run: TaskRunner
) -> WorstCases:
    """Bound every focus channel, and solve exactly those that may be the worst."""
    bounds = bound_channels(network, routing, focus.channels, run)
    first, *others = _contenders(network, routing, focus, bounds)
    (worst,) = solve_channels(network, routing, [int(focus.channels[first])])
    for place in others:
        if bounds.bound(place) > worst.normalized_load:
            (found,) = solve_channels(network, routing, [int(focus.channels[place])])
            worst = max(worst, found, key=lambda result: result.normalized_load)
    place = int(focus.labels[worst.worst.channel])
    worst = replace(worst, multiplicity=int(focus.multiplicity[place]))
    return WorstCases(focus, [worst], bounds)


def _contenders(
    network: Network, routing: Routing, focus: FocusChannels, bounds: ChannelBounds
) -> list[int]:
    """Return places of the channels that may be the worst, the likeliest first."""
    places = {
        int(focus.channels[place]): place for place in may_be_worst(network, routing, bounds)
    }
    return [places[channel] for channel in unlike_channels(network, routing, list(places))]


def unlike_channels(network: Network, routing: Routing, channels: list[int]) -> list[int]:
    """Return the given channels, of many that a symmetry carries to one another the first.

    A network that does not know its symmetry has many channels that rounded loads cannot tell
    apart. Where a symmetry is found that the routing respects, one of each orbit is enough.
    """
    if len(channels) <= FEW_ALIKE or not (
        routing.on(network).respects_automorphisms and can_find()
    ):
        return channels
    if network.node_count + 2 * network.channel_count > LARGEST_GRAPH_SEARCHED:
        return channels

    def look() -> IntArray:
        found = found_group(network).generators
        return orbits_of_channels(network, [element.nodes for element in found])

    orbits = routing.remember(network, "orbits found", look)
    first: dict[int, int] = {}
    for channel in channels:
        first.setdefault(int(orbits[channel]), channel)
    return list(first.values())


def prove_bounds(
    network: Network, routing: Routing, focus: FocusChannels, worst: ChannelResult
) -> ChannelBounds:
    """Prove again that no channel is loaded more than one that was solved; return what bounds all.

    Raises
    ------
    CertificateError
        If some channel is.
    """
    bounds = bound_channels(network, routing, focus.channels, run_serially)
    for place in _contenders(network, routing, focus, bounds):
        if bounds.bound(place) > worst.normalized_load:
            (found,) = solve_channels(network, routing, [int(focus.channels[place])])
            if found.normalized_load > worst.normalized_load:
                raise CertificateError(
                    f"channel {found.worst.channel} can be loaded with {found.normalized_load}, "
                    f"more than channel {worst.worst.channel}"
                )
    return bounds


def worst_traffic(network: Network, worst: WorstCase) -> Traffic:
    """Return the traffic of a worst case.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> ring = make_network("ring:5")
    >>> worst_traffic(ring, worst_cases(ring, make_routing("dor")).critical.worst).fills_terminals
    True
    """
    shape = len(network.sources), len(network.destinations)
    amounts = SparseRationalMatrix.from_triplets(
        worst.sources, worst.destinations, worst.amounts, shape
    )
    return Traffic.of_amounts(network, amounts, WORST_CASE)
