"""Lower bounds on the worst-case load of every routing of a restriction, each proved exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from obroute.capacity import capacity_load
from obroute.choices.designs import PATHS
from obroute.deployment.all_weights import no_weights_below
from obroute.deployment.counting import GRAIN, Places, counting_bound, next_load
from obroute.deployment.exhaustive import try_all
from obroute.deployment.restrictions import Restriction
from obroute.design import design
from obroute.design.proofs import Bounds
from obroute.network import Network
from obroute.worst_cases import fullest_host_link

WORDS = {
    "capacity": "uniform traffic, as much of it as terminals can take",
    "hosts": "the only channel of a host",
    "oblivious": "the linear program of the best oblivious routing, its duals checked exactly",
    "shortest": "the linear program of the best routing on shortest paths, checked exactly",
    "counting": "counting pairs by the owners of channels, with a share at every node",
    "last_hop": "the last node on all ways to a destination, which sends straight to it",
    "next_hops": "the hosts of a switch, all of which take one next hop to a destination",
    "exhaustive": "all choices of paths or weights tried",
    "nothing_to_choose": "there is nothing to choose",
}
"""What proves each bound."""


@dataclass(frozen=True)
class Bound:
    """A load that no routing of a restriction goes below, and what proves it (:data:`WORDS`).

    ``shares`` are those of a bound by counting, in parts of
    :data:`~obroute.deployment.counting.GRAIN`.
    """

    name: str
    load: Fraction
    shares: tuple[int, ...] = ()


def best_oblivious(network: Network, paths: str = PATHS) -> Bounds:
    """Return bounds of the best worst case of any oblivious routing, on all paths or shortest."""
    found = design(network, paths=paths).load
    assert found is not None
    return found


def cheap_bounds(network: Network, restriction: Restriction, at_least: Fraction) -> list[Bound]:
    """Return the bounds that take no program and no search.

    Parameters
    ----------
    network, restriction
        Of what.
    at_least
        A lower bound that is known.
    """
    found = []
    capacity, link = capacity_load(network), fullest_host_link(network)
    if capacity is not None:
        found.append(Bound("capacity", capacity * _taken_of_uniform(network)))
    if link is not None:
        found.append(Bound("hosts", link[0]))
    if restriction.is_single:
        known = max([at_least, *(bound.load for bound in found)])
        most = sum(network.injection.fractions(), Fraction(0)) / min(network.bandwidth.fractions())
        load, shares = counting_bound(network, known, most)
        found.append(Bound("counting", load, tuple(int(share * GRAIN) for share in shares)))
    if restriction.by_destination:
        found.append(Bound("last_hop", last_hop_bound(network)))
    if restriction.kind == "destination":
        found.append(Bound("next_hops", next_hop_bound(network)))
    return found


def _taken_of_uniform(network: Network) -> Fraction:
    """Return what share of uniform traffic terminals can take: 1 where they eject what all inject.

    That is traffic like any other, so that its load is a lower bound of the worst case.
    """
    return min(Fraction(1), network.ejection.sum() / network.injection.sum())


def check_counting(network: Network, at_least: Fraction, bound: Bound) -> bool:
    """Say whether the shares of a bound by counting prove it, beside a bound that is known."""
    below = next_load(network, at_least)
    if not bound.shares or bound.load <= below:
        return bound.load <= below
    places = Places.of(network)
    shares = [Fraction(share, GRAIN) for share in bound.shares]
    while (after := next_load(network, below, above=True)) < bound.load:
        below = after
    return after == bound.load and places.covered(below, shares) < places.pairs


def next_hop_bound(network: Network) -> Fraction:
    """Return a bound for forwarding tables: what the hosts of a switch send by one channel of it.

    The hosts of a switch all take one of its c channels to a destination elsewhere. Of m such
    destinations some channel is taken to m / c or more, and as many of the hosts can send to them
    at a time.

    Examples
    --------
    >>> from obroute import make_network
    >>> str(next_hop_bound(make_network("leafspine:leaves=10,hosts=9,spines=9")))
    '9'
    """
    if not network.has_unit_terminals:
        return Fraction(0)
    places, best = Places.of(network), Fraction(0)
    total = sum(places.ejected, Fraction(0))
    bandwidth = [
        [b for tail, _, b in places.channels if tail == node] for node in range(network.node_count)
    ]
    for node, of_channels in enumerate(bandwidth):
        hosts, others = int(places.injected[node]), int(total - places.ejected[node])
        if hosts and others and of_channels:
            best = max(best, _least_shared(of_channels, others, hosts))
    return best


def last_hop_bound(network: Network) -> Fraction:
    """Return a bound for next hops by destination: what some node sends straight to its end.

    Of the nodes whose packets to a destination go through others some is the last: next hops make
    no circle. All that it sends there crosses its channels to the destination.

    Examples
    --------
    >>> from obroute import make_network
    >>> str(last_hop_bound(make_network("complete:6")))
    '1'
    """
    sent = dict(zip(network.sources.tolist(), network.injection.fractions(), strict=True))
    bandwidth: dict[tuple[int, int], Fraction] = {}
    ends = zip(network.head.tolist(), network.tail.tolist(), strict=True)
    for each, amount in zip(ends, network.bandwidth.fractions(), strict=True):
        bandwidth[each] = bandwidth.get(each, Fraction(0)) + amount
    ejected = dict(zip(network.destinations.tolist(), network.ejection.fractions(), strict=True))
    least: dict[int, Fraction] = {}
    for (node, before), amount in bandwidth.items():
        if node in ejected:
            load = min(sent.get(before, Fraction(0)), ejected[node]) / amount
            least[node] = min(load, least.get(node, load))
    return max(least.values(), default=Fraction(0))


def _least_shared(bandwidths: Sequence[Fraction], others: int, hosts: int) -> Fraction:
    """Return the least load at which channels can share destinations among them."""
    loads = sorted({Fraction(k) / b for b in set(bandwidths) for k in range(1, hosts + 1)})
    for load in loads:
        rooms = [int(load * b) for b in bandwidths]
        if any(room >= hosts for room in rooms) or sum(rooms) >= others:
            return load
    return loads[-1]


def exhaustive_bound(
    network: Network, restriction: Restriction, lower: Fraction, upper: Fraction, steps: int
) -> Bound | None:
    """Return a bound by trying all routings below an upper bound; None if it takes too long.

    Loads of single paths are tried from the least: what there is no routing for is excluded. Of
    weights all that is below the upper bound is excluded, or nothing.
    """
    if not network.has_unit_terminals:
        return None
    if restriction.kind == "wcmp":
        excluded = no_weights_below(network, restriction, upper, steps)
        return Bound("exhaustive", upper) if excluded else None
    if not restriction.is_single:
        return None
    proved, load = None, next_load(network, lower)
    while load < upper and try_all(network, restriction, load, steps) is False:
        load = next_load(network, load, above=True)
        proved = Bound("exhaustive", load)
    return proved
