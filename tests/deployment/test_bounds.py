"""Bounds of deployable routings, beside all routings of tiny networks and published values."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from tests.support.random_networks import digraphs, fabrics

from obroute import Network, make_network
from obroute.deployment import Restriction, deploy
from obroute.deployment.all_weights import no_weights_below
from obroute.deployment.bounds import Bound, cheap_bounds, check_counting
from obroute.deployment.counting import GRAIN, Places, counting_bound, next_load
from obroute.deployment.exhaustive import try_all
from obroute.rational import RationalArray

TINY = ("ring:3", *(pytest.param(name, marks=pytest.mark.slow) for name in ("ring:4", "mesh:2x2")))
Paths = dict[tuple[int, int], tuple[int, ...]]


def simple_paths(network: Network, source: int, destination: int) -> list[tuple[int, ...]]:
    """Return every path that comes to no node twice, by definition."""
    found = []
    for length in range(1, network.node_count):
        for path in itertools.product(range(network.channel_count), repeat=length):
            nodes = [source, *(int(network.head[channel]) for channel in path)]
            joined = all(network.tail[c] == node for c, node in zip(path, nodes, strict=False))
            if joined and nodes[-1] == destination and len(set(nodes)) == len(nodes):
                found.append(path)
    return found


def worst_load(network: Network, paths: Paths) -> Fraction:
    """Return the worst load of all permutations, one after the other."""
    worst = Fraction(0)
    ends = network.destinations.tolist()
    for order in itertools.permutations(ends):
        load = [0] * network.channel_count
        for pair in zip(network.sources.tolist(), order, strict=True):
            for channel in paths.get(pair, ()):
                load[channel] += 1
        worst = max(
            worst, *(Fraction(n) / b for n, b in zip(load, bandwidths(network), strict=True))
        )
    return worst


def bandwidths(network: Network) -> list[Fraction]:
    """Return the bandwidth of each channel."""
    return network.bandwidth.fractions()


def is_a_table(network: Network, paths: Paths) -> bool:
    """Say whether the next channel depends on the node and the destination alone."""
    onwards: dict[tuple[int, int], int] = {}
    return all(
        onwards.setdefault((int(network.tail[channel]), destination), channel) == channel
        for (_, destination), path in paths.items()
        for channel in path
    )


@pytest.mark.parametrize("kind", ["single_path", "destination"])
@pytest.mark.parametrize("name", TINY)
def test_bounds_and_search_meet_the_best_of_all_routings(name, kind):
    """Every choice of a path for every pair is tried, and every permutation of each."""
    network = make_network(name)
    pairs = [(s, d) for s in network.sources.tolist() for d in network.destinations.tolist()]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    candidates = [simple_paths(network, *pair) for pair in pairs]
    best = None
    for chosen in itertools.product(*candidates):
        paths = dict(zip(pairs, chosen, strict=True))
        if kind == "single_path" or is_a_table(network, paths):
            load = worst_load(network, paths)
            best = load if best is None else min(best, load)
    found = deploy(network, Restriction(kind), moves=100)
    assert (found.lower, found.load) == (best, best)
    assert try_all(network, Restriction(kind), best, 10**5)
    assert try_all(network, Restriction(kind), best / 2, 10**5) is False


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["single_path", "destination", "segments"])
def test_a_cube_has_no_single_paths_of_load_one(kind):
    """All choices are tried in few steps, though each channel has room for an antipodal pair."""
    cube = make_network("hypercube:3")
    assert try_all(cube, Restriction(kind), Fraction(1), 50_000) is False
    assert try_all(cube, Restriction(kind), Fraction(2), 50_000)


@pytest.mark.parametrize(
    ("name", "least"), [("ring:4", 1), ("complete:4", 1), ("dragonfly:p=1,a=2,h=1", 2)]
)
def test_weights_of_one_are_forwarding_tables(name, least):
    """What excludes weights, by destinations, agrees with what tries paths, pair by pair."""
    network, table = make_network(name), Restriction("destination")
    assert try_all(network, table, Fraction(least), 10**5)
    assert try_all(network, table, Fraction(least) - Fraction(1, 100), 10**5) is False
    weights = Restriction("wcmp", weight=1)
    assert no_weights_below(network, weights, Fraction(least), 10**5) is True
    assert no_weights_below(network, weights, Fraction(least) + Fraction(1, 100), 10**5) is False


def test_no_weights_are_better_than_the_best_of_all():
    """Every weight at every node of a triangle, and every permutation of each."""
    network = make_network("complete:3")
    ratios = [(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)]
    of_each = {}
    for end in range(3):
        first, second = (node for node in range(3) if node != end)
        shares = []
        for one, two in itertools.product(ratios, repeat=2):  # straight on, by the other
            if one[0] or two[0]:
                ahead, back = Fraction(one[0], sum(one)), Fraction(two[0], sum(two))
                if one[1] and two[1]:
                    continue  # a cycle
                shares.append(
                    {
                        (first, first, end): ahead + (1 - ahead) * 0,
                        (first, first, second): 1 - ahead,
                        (first, second, end): 1 - ahead,
                        (second, second, end): back,
                        (second, second, first): 1 - back,
                        (second, first, end): 1 - back,
                    }
                )
        of_each[end] = shares
    least = min(
        max(
            sum(chosen[end].get((order[end], *channel), Fraction(0)) for end in range(3))
            for order in itertools.permutations(range(3))
            for channel in itertools.permutations(range(3), 2)
        )
        for chosen in itertools.product(*of_each.values())
    )
    weights = Restriction("wcmp", weight=2)
    assert no_weights_below(network, weights, least, 10**4) is True
    assert no_weights_below(network, weights, least + Fraction(1, 100), 10**4) is False


@pytest.mark.slow
def test_weights_of_the_smallest_dragonfly_are_decided():
    """Nothing below two, where the best of all has 3/2; with few steps nothing is said."""
    network, weights = make_network("dragonfly:p=1,a=2,h=1"), Restriction("wcmp")
    assert no_weights_below(network, weights, Fraction(2), 10) is None
    assert no_weights_below(make_network("torus:4x4"), weights, Fraction(2), 5000) is None
    found = deploy(network, weights, moves=20)
    assert (found.lower, found.load, found.best_bound.name) == (2, 2, "exhaustive")


@pytest.mark.slow
def test_square_root_bound_of_leaves_and_spines():
    """Yuan, Nienaber, Duan and Melhem (2007): the root of the hosts of a leaf, detours or not."""
    network = make_network("leafspine:leaves=10,hosts=9,spines=9")
    found = deploy(network, Restriction("single_path"), moves=0)
    assert (str(found.lower), str(found.load), found.origin) == ("3", "3", "sqrt")
    assert found.best_bound.name == "counting"


@pytest.mark.slow
def test_forwarding_tables_of_leaves_and_spines_take_all_hosts_of_a_leaf():
    """D-mod-k has the worst case of the best of them."""
    network = make_network("leafspine:leaves=10,hosts=9,spines=9")
    found = deploy(network, Restriction("destination"), moves=0, without_best=True)
    assert (str(found.lower), str(found.load), found.origin) == ("9", "9", "d_mod_k")
    ecmp = deploy(network, Restriction("ecmp"), without_best=True)
    assert (ecmp.lower, ecmp.load) == (1, 1)


@pytest.mark.slow
@settings(max_examples=15)
@given(fabrics() | digraphs())
def test_bounds_hold_on_networks_that_nobody_drew(network):
    """No routing that is found is below a bound, and shares prove what they are said to."""
    for kind in ("single_path", "destination", "wcmp"):
        found = deploy(network, Restriction(kind), moves=40, steps=0, without_best=True)
        assert all(bound.load <= found.load for bound in found.bounds)
    for bound in cheap_bounds(network, Restriction("single_path"), Fraction(0)):
        if bound.name == "counting":
            load, shares = counting_bound(network, Fraction(0), Fraction(99))
            scaled = tuple(int(share * GRAIN) for share in shares)
            assert check_counting(network, Fraction(0), Bound("counting", load, scaled))


@pytest.mark.parametrize("kind", ["single_path", "destination", "ecmp"])
def test_uniform_traffic_that_nobody_can_take_bounds_nothing(kind):
    """Two sources of two packets and two destinations of one: no traffic has more than two."""
    network = Network(
        "funnel",
        6,
        [0, 1, 2, 3, 3],
        [2, 2, 3, 4, 5],
        sources=[0, 1],
        injection=RationalArray.full(2, 2),
        destinations=[4, 5],
        ejection=RationalArray.full(2, 1),
    )
    found = deploy(network, Restriction(kind), moves=0, without_best=True)
    assert (found.lower, found.load) == (2, 2)


@pytest.mark.parametrize(("kind", "load"), [("single_path", 2), ("destination", 4), ("ecmp", 1)])
def test_small_leaves_and_spines(kind, load):
    """The same with 16 hosts and more leaves."""
    network = make_network("leafspine:leaves=6,hosts=4,spines=4")
    found = deploy(network, Restriction(kind), moves=0, without_best=True)
    assert (found.lower, found.load) == (load, load)


def test_shares_prove_what_they_do_and_no_more():
    """Shares of another load, too few and too many are none."""
    network = make_network("torus:4x4")
    load, shares = counting_bound(network, Fraction(1), Fraction(9))
    scaled = tuple(int(share * GRAIN) for share in shares)
    assert load == 2
    assert check_counting(network, Fraction(1), Bound("counting", load, scaled))
    assert not check_counting(network, Fraction(1), Bound("counting", load + 1, scaled))
    assert not check_counting(network, Fraction(1), Bound("counting", load))
    assert not check_counting(network, Fraction(1), Bound("counting", Fraction(3, 2), scaled))
    for wrong in (shares[1:], [*shares, shares[0]], [*shares[:-1], Fraction(2)]):
        with pytest.raises(ValueError, match="share"):
            Places.of(network).covered(load, wrong)


def test_loads_of_single_paths_are_whole_units():
    """Of the smallest bandwidth, and of the unit of terminals."""
    network = make_network("torus:4x4")
    assert next_load(network, Fraction(6, 5)) == next_load(network, Fraction(1), above=True) == 2
    assert next_load(network, Fraction(2)) == 2


@pytest.mark.parametrize("name", ["complete:5", "complete:7"])
def test_next_hops_by_destination_cost_half_the_nodes_on_complete_graphs(name):
    """The last node on all ways to a destination sends straight to it: 1, not 2/n."""
    network = make_network(name)
    found = deploy(network, Restriction("wcmp"), moves=0)
    assert found.is_best
    assert found.price.lower == Fraction(network.node_count, 2)
