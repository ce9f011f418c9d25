"""Designs are held against the full problem: no fault of a reduction ends in a proof."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.cases import network_of

import obroute
from obroute import Network, make_network, make_routing
from obroute.certificates import CertificateError
from obroute.design import design, formulation
from obroute.design.full_problem import full_bound
from obroute.design.integers import carried_over, from_limbs, least, limb_count, negative, to_limbs
from obroute.design.paths import allowed_paths
from obroute.design.prices import Prices, sample_prices, traffic_prices, worst_case_prices
from obroute.design.routing_check import CheckedFlows, check_copies, checked_worst_case
from obroute.design.triple_orbits import check_generators, triple_orbits
from obroute.loads import largest_normalized_load, loads_of
from obroute.rational import RationalArray
from obroute.routing.contract import Routing
from obroute.symmetry import CanonicalPair, Reduction, declared_group, preserving
from obroute.traffic import Traffic

CASES = Path(__file__).parents[1] / "inputs"


def case(name: str) -> Network:
    """Make the network of a case from its files."""
    folder = CASES / name
    return make_network(f"{folder / 'net.csv'}:terminals={folder / 'hosts.csv'}")


# ------------------------------------------------------------------------------ the fault


@pytest.mark.parametrize(
    ("name", "capacity", "worst"),
    [("design_symmetry", "2/3", "1"), ("design_symmetry_silent", "3/4", "1")],
)
@pytest.mark.parametrize("symmetry", ["auto", "found", "none"])
def test_the_order_of_hosts_does_not_matter(
    name: str, capacity: str, worst: str, symmetry: str
) -> None:
    """Listed backwards: reversal makes source and destination one orbit, the latter first."""
    for objective, value in (("capacity", capacity), ("worst_case", worst)):
        found = design(case(name), objective, then="locality", symmetry=symmetry)
        assert found.load is not None
        assert (found.load.lower, found.load.upper) == (Fraction(value), Fraction(value))
        assert found.normalized_path_length == 1


def _first_of_each_orbit(pair: CanonicalPair) -> Any:
    """Return what the program once conserved: not the source where the destination came first."""
    _, first = np.unique(pair.node_orbit, return_index=True)
    return first[first != pair.destination]


def test_a_reduction_that_loses_a_demand_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program was solved, its optimum exact and wrong; now nothing is said."""
    monkeypatch.setattr(formulation, "_conserved_nodes", _first_of_each_orbit)
    with pytest.raises(CertificateError):
        design(case("design_symmetry_silent"), "capacity")


@pytest.mark.parametrize("place", ["multiplicity", "flow"])
def test_a_wrong_reduction_is_found(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A channel that no focus channel stands for, or flows that are taken for others."""
    build = Reduction.build

    def wrong(*arguments: Any) -> Reduction:
        reduction = build(*arguments)
        if place == "multiplicity":
            reduction.focus.pop()
        else:
            reduction.flow_of[..., [0, 1]] = reduction.flow_of[..., [1, 0]]
        return reduction

    monkeypatch.setattr(Reduction, "build", wrong)
    with pytest.raises((CertificateError, obroute.InputError)):
        design(make_network("mesh:2x3"))


# ------------------------------------------------------------------------------ the checker


def cheapest(network: Network, price: Callable[[int, int, int], Fraction]) -> Fraction:
    """Return the cheapest path of every pair, added up, by Dijkstra's method in fractions."""
    total = Fraction(0)
    for s, source in enumerate(network.sources.tolist()):
        for d, destination in enumerate(network.destinations.tolist()):
            queue, done = [(Fraction(0), source)], set()
            while queue:
                cost, node = heapq.heappop(queue)
                if node == destination:
                    total += cost
                    break
                if node in done:
                    continue
                done.add(node)
                for channel in np.flatnonzero(network.tail == node).tolist():
                    heapq.heappush(
                        queue, (cost + price(s, d, channel), int(network.head[channel]))
                    )
    return total


@pytest.mark.parametrize("name", ["mesh:2x3", "fabric", "lopsided"])
@pytest.mark.parametrize("bits", [3, 200])
def test_the_cheapest_paths_are_those_of_a_search_in_fractions(name: str, bits: int) -> None:
    """Any prices, of any size, with and without a price of hops."""
    network = network_of(name)
    draw = np.random.default_rng(bits)
    count = 7
    values = [int(v) << (bits - 3) | 1 for v in draw.integers(0, 8, count)]
    shape = (len(network.sources), len(network.destinations), network.channel_count)
    index = draw.integers(-1, count, shape).astype(np.int32)
    prices = Prices(RationalArray(np.array(values, dtype=object), 2**bits), index.__getitem__, 1)
    sent, received = network.injection.fractions(), network.ejection.fractions()
    for hops in (Fraction(0), Fraction(5, 7)):
        unit = hops / (sum(sent) * sum(received))

        def price(s: int, d: int, channel: int, unit: Fraction = unit) -> Fraction:
            number = int(index[s, d, channel])
            own = Fraction(values[number], 2**bits) if number >= 0 else Fraction(0)
            return own + unit * sent[s] * received[d]

        assert full_bound(network, prices, hops).cheapest == cheapest(network, price)


def test_the_bound_on_paths_of_at_most_two_turns_is_over_the_listed_paths() -> None:
    """The lists of every source of a torus, and of a mesh, are those of the definition."""
    for name in ("torus:4x3", "mesh:2x3"):
        network = make_network(name)
        paths = allowed_paths(network, "two_turn")
        listed = paths.by_source
        assert listed is not None
        assert paths.listed is not None
        for place, source in enumerate(network.sources.tolist()):
            found = listed(place)
            lasts = np.cumsum(found.hops)
            mine = {
                (end, tuple(found.channels[last - hops : last].tolist()))
                for end, hops, last in zip(found.ends, found.hops, lasts, strict=True)
            }
            assert mine == {
                (end, path)
                for end in range(network.node_count)
                if end != source
                for path in paths.listed(source, end)
            }


def test_prices_that_are_more_traffic_than_terminals_send_are_refused() -> None:
    """A row too large, a column too large, a negative price: each is named."""
    network = network_of("fabric")
    shape = (len(network.sources), len(network.destinations), network.channel_count)
    one = RationalArray.full(1, 1)
    charges = RationalArray.full(network.channel_count, 1)

    def with_prices(places: list[tuple[int, int]]) -> Prices:
        index = np.full(shape, -1, dtype=np.int32)
        for s, d in places:
            index[s, d, 2] = 0
        return worst_case_prices(network, one, index.__getitem__, charges)

    # Source 0 injects two packets, destination 2 ejects two.
    with_prices([(0, 1), (0, 2), (1, 2)])
    with pytest.raises(CertificateError, match="source number 1"):
        with_prices([(1, 1), (1, 2)])
    with pytest.raises(CertificateError, match="destination number 1"):
        with_prices([(0, 1), (1, 1)])
    with pytest.raises(CertificateError, match="below zero"):
        worst_case_prices(
            network, RationalArray.full(1, -1), np.full(shape, 0, np.int32).__getitem__, charges
        )
    with pytest.raises(CertificateError, match="below zero"):
        traffic_prices(network, RationalArray.full(1, 1), RationalArray.full(1, -1))


def test_orbits_of_triples_are_those_of_the_group() -> None:
    """Listed by applying generators again and again."""
    network = make_network("mesh:2x3")
    generators = [(g.nodes, g.channels, g.reverses) for g in declared_group(network).generators]
    sizes, labels = triple_orbits(network, generators)
    shape = (network.node_count, network.node_count, network.channel_count)
    label = labels.reshape(shape)
    for s, d, c in itertools.product(*map(range, shape)):
        orbit, reached = {(s, d, c)}, [(s, d, c)]
        for a, b, e in reached:
            for nodes, channels, reverses in generators:
                ends = (nodes[b], nodes[a]) if reverses else (nodes[a], nodes[b])
                image = (int(ends[0]), int(ends[1]), int(channels[e]))
                if image not in orbit:
                    orbit.add(image)
                    reached.append(image)
        assert len(orbit) == sizes[label[s, d, c]]
        assert {int(label[triple]) for triple in orbit} == {int(label[s, d, c])}


def test_a_generator_that_is_no_symmetry_is_refused() -> None:
    """Nodes exchanged that are not alike."""
    network = make_network("mesh:2x3")
    nodes = np.arange(6)
    nodes[[0, 1]] = [1, 0]
    with pytest.raises(CertificateError, match="no symmetry"):
        check_generators(network, [(nodes, np.arange(network.channel_count), False)])
    matrix = (np.arange(6), np.arange(6), RationalArray.full(6, 1))
    with pytest.raises(CertificateError, match="no symmetry"):
        sample_prices(
            network,
            [matrix],
            [(0, 0)],
            RationalArray.full(1, 1),
            [(nodes, np.arange(network.channel_count), False)],
        )


# ------------------------------------------------------------------------------ routings


class _Broken(Routing):
    """Dimension order that forgets one hop of one pair, or takes it twice."""

    name = "broken"

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times
        self.right = make_routing("dor")

    def paths(self, network: Network, source: int, destination: int) -> Any:
        for probability, path in self.right.paths(network, source, destination):
            broken = (source, destination) == (0, 5)
            yield probability, path[:-1] + path[-1:] * self.times if broken else path


@pytest.mark.parametrize("times", [0, 2])
def test_a_flow_that_is_none_is_named(times: int) -> None:
    """One pair of a torus."""
    network = make_network("torus:3x3")
    with pytest.raises(CertificateError, match="no unit of flow"):
        CheckedFlows.of(network, _Broken(times))
    right = CheckedFlows.of(network, _Broken(1), keep=True)
    assert right.path_length == network.mean_shortest_path_length()
    everyone = np.arange(9)
    destinations = np.roll(everyone, 4)
    amounts = RationalArray.full(9, Fraction(2**40, 3))
    (load,) = right.largest_loads([(everyone, destinations, amounts)])
    loads = loads_of(make_routing("dor"), Traffic.of_permutation(network, destinations))
    assert load == Fraction(2**40, 3) * largest_normalized_load(network, loads)[0]


def test_a_symmetry_that_the_routing_has_not_is_refused() -> None:
    """Dimension order is another one when the dimensions are exchanged."""
    network = make_network("torus:4x4")
    exchange = preserving(network, np.arange(16).reshape(4, 4).T.ravel())
    turn = (exchange.nodes, exchange.channels, False)
    shifts = [
        preserving(network, image)
        for generator, image in network.automorphisms().items()
        if generator.is_translation
    ]
    assert len(shifts) == 2
    with pytest.raises(CertificateError, match="not loaded as channel"):
        check_copies(network, make_routing("dor"), [(0, [turn])])
    with pytest.raises(CertificateError, match="was not looked at"):
        check_copies(network, make_routing("dor"), [(0, [])])
    everything = range(network.channel_count)
    check_copies(network, make_routing("dor"), [(channel, []) for channel in everything])
    assert checked_worst_case(network, make_routing("dor"), everything) == Fraction(3, 2)


# ------------------------------------------------------------------------------ integers

INTEGERS = st.integers(0, 2**300)


@given(st.lists(INTEGERS, min_size=1, max_size=6), st.lists(INTEGERS, min_size=1, max_size=6))
def test_limbs_add_and_compare_as_integers_do(left: list[int], right: list[int]) -> None:
    """Sums, differences, their signs, and the least."""
    limbs = limb_count(sum(left) + sum(right))
    sums = to_limbs(left, limbs).sum(axis=0) - to_limbs(right, limbs).sum(axis=0)
    assert from_limbs(carried_over(sums[None]))[0] == sum(left) - sum(right)
    assert bool(negative(sums)) == (sum(left) < sum(right))
    assert from_limbs(least(to_limbs(left, limbs))[None])[0] == min(left)
