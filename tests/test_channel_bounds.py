"""Bounds on all channels before few are solved: never too low, and the worst is not missed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.cases import Named, all_cases, case_of, parameters
from tests.support.irregular_networks import digraphs, regular

import obroute.worst_cases
from obroute import Network, Routing, make_network, make_routing
from obroute.channel_bounds import bound_channels
from obroute.rational import SparseRationalMatrix
from obroute.routing.path_table import PathTable
from obroute.routing.rounded_loads import LoadsOfMatrices, RoundedLoads
from obroute.symmetry import focus_channels
from obroute.tasks import run_serially
from obroute.throughput import evaluate
from obroute.worst_cases import unlike_channels, worst_cases

SPLITS = ("ecmp", "ecmp:split=hops", "ecmp:split=bandwidth")
MANY = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bound channels where all would be solved, too."""
    monkeypatch.setattr(obroute.worst_cases, "MOST_SOLVED", 0)


def check_rounded(
    network: Network, routing: Routing, loads: RoundedLoads
) -> dict[int, SparseRationalMatrix]:
    """Hold rounded loads against exact ones: none is less, and none too much more."""
    excess = loads.rounding.excess(loads.ends.largest)
    exact = {c: routing.pair_loads(network, c) for c in range(network.channel_count)}
    alone = set(loads.alone().channels.tolist())
    seen = set()
    for block in loads.blocks(np.array([c for c in exact if c not in alone], dtype=np.int64)):
        for place, channel in enumerate(block.channels.tolist()):
            part = slice(int(block.starts[place]), int(block.starts[place + 1]))
            assert (np.diff(block.rows[part]) >= 0).all()
            found = dict(
                zip(
                    zip(block.rows[part].tolist(), block.columns[part].tolist(), strict=True),
                    block.weights[part].tolist(),
                    strict=True,
                )
            )
            for row, of_source in enumerate(loads.ends.row.tolist()):
                for column, of_destination in enumerate(loads.ends.column.tolist()):
                    load = exact[channel].entry(row, column) * loads.rounding.units
                    over = found.get((of_source, of_destination), 0) - load
                    assert 0 <= over <= excess
            seen.add(channel)
    assert seen | alone == set(exact)
    return exact


def check_bounds(network: Network, routing: Routing) -> None:
    """No bound is too low, and the channel that is found is the worst."""
    every = worst_cases(network, routing, all_channels=True)
    bounds = bound_channels(network, routing, np.arange(network.channel_count), run_serially)
    for place, result in enumerate(every.channels):
        assert bounds.bound(place) >= result.normalized_load
        assert bounds.uniform[place] == pytest.approx(float(result.uniform_load), rel=1e-8)
    found = worst_cases(network, routing)
    assert found.load == every.load
    assert found.bounds is not None
    assert all(
        found.bounds.bound(place) >= every.channels[int(channel)].normalized_load
        for place, channel in enumerate(found.focus.channels)
    )
    assert found.critical.certified
    assert found.labels[found.critical.worst.channel] == 0
    assert (found.labels == 0).sum() == found.critical.multiplicity


@pytest.mark.parametrize("case", parameters(all_cases()))
def test_every_routing_is_bounded_and_its_worst_case_found(case: Named) -> None:
    """Whatever its pair loads are made of."""
    made = case_of(case.network, case.routing)
    check_bounds(made.network, made.routing)


@MANY
@given(network=digraphs(), split=st.sampled_from(SPLITS))
def test_shortest_paths_from_counts_are_those_of_the_definition(
    network: Network, split: str
) -> None:
    """Pair loads, exact and rounded, and bounds, on networks without any order."""
    routing = make_routing(split)
    exact = check_rounded(network, routing, routing.rounded_loads(network))
    for channel, loads in exact.items():
        assert loads.equals(Routing.pair_loads(routing, network, channel))
    check_bounds(network, routing)


@MANY
@given(network=digraphs(), split=st.sampled_from(SPLITS))
def test_channel_loads_from_counts_are_those_of_the_definition(
    network: Network, split: str
) -> None:
    """Of all pairs of terminals, those of a node with itself and one many times among them."""
    routing = make_routing(split)
    sources = np.repeat(network.sources, len(network.destinations))
    destinations = np.tile(network.destinations, len(network.sources))
    pairs = (
        np.concatenate([sources, sources[:2]]),
        np.concatenate([destinations, destinations[:2]]),
    )
    found = routing.channel_loads(network, *pairs)
    assert found.equals(routing.listed_loads(network, *pairs))


@MANY
@given(network=digraphs(), split=st.sampled_from(SPLITS))
def test_an_evaluation_by_bounds_is_one_by_solving_all(network: Network, split: str) -> None:
    """Worst case, uniform load and path length."""
    routing = make_routing(split)
    few, every = evaluate(network, routing), evaluate(network, routing, all_channels=True)
    assert few.bounds is not None
    assert every.bounds is None
    assert few.worst_case_load == every.worst_case_load
    assert few.uniform.load == every.uniform.load
    assert few.mean_path_length == every.mean_path_length


@pytest.mark.parametrize("routing", ["valiant", "romm", "1/3*dor+2/3*valiant"])
def test_exact_loads_are_rounded_up(routing: str) -> None:
    """Of a routing that has no loads of its own to give."""
    network, made = make_network("torus:3x3"), make_routing(routing)
    loads = LoadsOfMatrices(network, lambda channel: made.pair_loads(network, channel), 2)
    check_rounded(network, made, loads)


@pytest.mark.parametrize(
    ("switches", "worst"), [(128, Fraction(613, 88)), (256, Fraction(9))], ids=["128", "256"]
)
def test_published_worst_cases_of_random_regular_networks(switches: int, worst: Fraction) -> None:
    """Values of an independent program, which solved every channel in floats and then exactly."""
    assert worst_cases(regular(switches, 8), make_routing("ecmp")).load == worst


@pytest.mark.parametrize("split", SPLITS)
def test_a_network_that_does_not_know_its_symmetry_is_found_out(split: str) -> None:
    """Channels that rounding cannot tell apart are solved once, as the network that knows it."""
    torus, routing = make_network("torus:5x4"), make_routing(split)
    drawn = Network("torus", torus.node_count, torus.tail, torus.head)
    alike = unlike_channels(drawn, routing, list(range(drawn.channel_count)))
    assert len(alike) == len(focus_channels(torus, routing.symmetries(torus)).channels) == 2
    found, known = evaluate(drawn, routing), evaluate(torus, routing)
    assert found.bounds is not None
    assert found.worst_case_load == known.worst_case_load
    assert found.uniform.load == known.uniform.load
    assert unlike_channels(drawn, PathTable("none", {}), list(range(9))) == list(range(9))
