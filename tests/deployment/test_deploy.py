"""What is found obeys its restriction, and is what the evaluator says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obroute import InputError, evaluate, make_network
from obroute.certificates import CertificateError
from obroute.deadlock import check_deadlock
from obroute.deployment import KINDS, Restriction, deploy
from obroute.deployment.channel_order import Rising
from obroute.deployment.images import Images
from obroute.deployment.loads import SearchLoads
from obroute.deployment.restrictions import falls
from obroute.deployment.ways import Ways, without_loops
from obroute.routing.weighted_hops import WeightedHops
from obroute.worst_cases import worst_cases


@pytest.mark.parametrize("kind", KINDS)
def test_a_routing_found_obeys_its_restriction(kind):
    """Each pair by each path; and its load is the evaluator's."""
    network = make_network("mesh:2x3")
    restriction = Restriction(kind, weight=2, segments=1)
    found = deploy(network, restriction, moves=200, steps=200, without_best=True)
    assert evaluate(network, found.routing).worst_case_load == found.load
    assert found.lower <= found.load
    for source in range(6):
        for destination in set(range(6)) - {source}:
            paths = {path for _, path in found.routing.paths(network, source, destination)}
            if found.restriction.is_single:
                assert len(paths) == 1
            if kind in ("segments", "ecmp"):
                assert {len(path) for path in paths} == {network.distances[source, destination]}
    if found.restriction.by_destination:
        assert isinstance(found.routing, WeightedHops)
        weights = [w for each in found.routing.weights.values() for w in each.values()]
        assert max(weights) <= (2 if kind == "wcmp" else 1)


@pytest.mark.parametrize("virtual_channels", [1, 2])
@pytest.mark.parametrize("kind", ["single_path", "destination", "wcmp"])
def test_virtual_channels_suffice(kind, virtual_channels):
    """By the dependencies of channels, as obroute deadlock judges them."""
    network = make_network("torus:3x3")
    restriction = Restriction(kind, virtual_channels=virtual_channels)
    found = deploy(network, restriction, moves=60, steps=0, without_best=True)
    order = restriction.order(network)
    verdict = check_deadlock(network, found.routing, virtual_channels, Rising(order))
    assert verdict.deadlock_free
    for source in range(9):
        for destination in set(range(9)) - {source}:
            for _, path in found.routing.paths(network, source, destination):
                assert falls(order, path) < virtual_channels


@settings(max_examples=30)
@given(st.integers(0, 8), st.integers(0, 8), st.integers(1, 3), st.integers(0, 99))
def test_cheapest_paths_are_the_cheapest_of_those_allowed(source, destination, most, seed):
    """Beside every simple path, with as many segments as the path really has."""
    network = make_network("mesh:3x3")
    ways = Ways(network, Restriction("segments", segments=most, virtual_channels=2))
    cost = np.random.default_rng(seed).uniform(0.1, 5, network.channel_count)
    allowed = list(ways.simple_paths(source, destination))
    assert all(segments_of(network, source, path) <= most for path in allowed)
    assert all(ways.allows(source, path) for path in allowed)
    best = ways.cheapest(source, destination, cost)
    if not allowed:
        assert best is None
    else:
        assert best in allowed
        assert cost[list(best)].sum() == pytest.approx(
            min(cost[list(path)].sum() for path in allowed)
        )


def segments_of(network, source, path):
    """Return into how few shortest paths a path can be cut, by trying all cuts."""
    nodes = network.path_nodes(source, path)
    least = [0] + [99] * len(path)
    for end in range(1, len(nodes)):
        for begin in range(end):
            if network.distances[nodes[begin], nodes[end]] == end - begin:
                least[end] = min(least[end], least[begin] + 1)
    return least[-1]


def test_loops_are_cut_out():
    """A path that comes back to a node goes on from there."""
    ring = make_network("ring:4")
    there = ring.path_from_nodes([0, 1, 2, 1, 0, 3])
    assert without_loops(ring, list(there)) == ring.path_from_nodes([0, 3])
    assert without_loops(ring, []) == ()


@pytest.mark.parametrize("name", ["torus:3x3", "mesh:2x4", "complete:5", "mesh:3x3"])
def test_images_leave_no_destination_where_it_is(name):
    """And carry channels to channels."""
    network = make_network(name)
    images = Images.free(network)
    assert images.is_trivial == (name == "mesh:3x3")
    itself = np.arange(network.node_count)
    assert not (images.nodes[1:] == itself).any()
    assert (np.sort(images.channels, axis=1) == np.arange(network.channel_count)).all()


def test_loads_of_a_search_are_those_of_its_routing():
    """After moves and moves undone; of terminals that are not units, too."""
    for name, kind in (("torus:3x3", "single_path"), ("mesh:2x3", "wcmp")):
        network = make_network(name)
        found = deploy(network, Restriction(kind), moves=80, steps=0, without_best=True)
        loads = SearchLoads(network, Images.identity(network))
        for source, destination in np.ndindex(loads.pair_loads.shape[1:]):
            for share, path in found.routing.paths(network, source, destination):
                loads.add(source, destination, np.array(path, dtype=np.int64), float(share))
        loads.refresh(list(range(network.channel_count)))
        assert loads.score()[0] == pytest.approx(float(found.load))
        loads.is_unit = False
        loads.refresh(list(range(network.channel_count)))
        assert loads.score()[0] == pytest.approx(float(found.load))


def test_a_search_repeats():
    """The same seed finds the same, and another one may not."""
    network = make_network("mesh:3x3")
    first, again = (
        deploy(network, Restriction("destination"), moves=150, steps=0, without_best=True)
        for _ in range(2)
    )
    assert first.load == again.load
    assert first.routing.weights == again.routing.weights


def test_wrong_words_are_said_in_a_line():
    """What was given, and what was expected."""
    with pytest.raises(InputError, match="'lft' is unknown; expected single_path, destination"):
        Restriction("lft")
    with pytest.raises(InputError, match="weight is 0; expected 1 or more"):
        Restriction("wcmp", weight=0)
    with pytest.raises(InputError, match="leave them out"):
        Restriction("ecmp", virtual_channels=1)
    one_way = Restriction("segments", segments=1, virtual_channels=1)
    with pytest.raises(InputError, match="that is allowed: one path for each pair"):
        deploy(make_network("ring:7"), one_way, moves=0, without_best=True)


def test_weights_that_lead_in_a_circle_are_refused():
    """And those that lead nowhere, or are none."""
    ring = make_network("ring:3")
    out = {node: int(ring.channel(node, (node + 1) % 3)) for node in range(3)}
    for weights, why in (
        ({0: {out[1]: 1, int(ring.channel(2, 1)): 1}}, "circle"),
        ({0: {out[1]: 1}}, "next hop"),
        ({0: {out[1]: 0}}, "weight 0"),
    ):
        with pytest.raises(InputError, match=why):
            WeightedHops("wrong", weights).check(ring)


def test_a_search_below_a_bound_would_be_seen(monkeypatch):
    """Virtual channels that do not suffice are an error, not a result."""
    monkeypatch.setattr(Ways, "step", lambda self, state, c: state._replace(node=self.head[c]))
    with pytest.raises(CertificateError, match="leave a cycle"):
        deploy(
            make_network("ring:7"),
            Restriction("single_path", virtual_channels=1),
            moves=0,
            steps=0,
            without_best=True,
        )


def test_prices_are_over_the_best_oblivious_routing():
    """An interval where the best is none."""
    found = deploy(make_network("ring:5"), Restriction("wcmp"), moves=20, steps=0)
    assert found.price.lower == found.lower / found.oblivious.upper
    assert found.price.upper == found.load / found.oblivious.lower
    assert Fraction(1) <= found.price.lower <= found.price.upper
    assert worst_cases(found.network, found.routing).load == found.load
