"""Oblivious ratios: published values, twins by the definition, and proofs that hold alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import ratio_twin
from tests.support.effort import few
from tests.support.random_networks import digraphs

from obroute import InputError, make_network, make_routing
from obroute.network import Network
from obroute.rational import RationalArray
from obroute.ratios import ChannelProof, Ratio, checked_ratio, least_ratio, oblivious_ratio
from obroute.ratios.checks import carried_traffic, distances
from obroute.ratios.repairs import repaired_flows, rounded
from obroute.specs import CertificateError

EXAMPLES = Path(__file__).parents[2] / "examples"


def graph(made: nx.Graph, name: str) -> Network:
    """Return the network of a graph, a channel each way for every edge."""
    return Network.from_networkx(nx.convert_node_labels_to_integers(made), name=name)


PUBLISHED = [
    *((f"ring:{n}", 2 - Fraction(2, n)) for n in (3, 4, 5, 8)),
    *((f"complete:{n}", 2 - Fraction(2, n)) for n in (3, 5)),
    ("hypercube:3", Fraction(2)),
    ("mesh:3x3", Fraction(29, 15)),
    ("K33", Fraction(17, 9)),
    ("Petersen", Fraction(11, 5)),
    ("tree", Fraction(1)),
]
GRAPHS = {
    "K33": nx.complete_bipartite_graph(3, 3),
    "Petersen": nx.petersen_graph(),
    "tree": nx.balanced_tree(2, 2),
}
QUICK = [("ring:4", Fraction(3, 2)), ("complete:5", Fraction(8, 5)), ("tree", Fraction(1))]


@pytest.mark.parametrize(("name", "value"), few(PUBLISHED, QUICK))
def test_the_least_ratio_is_what_is_known(name: str, value: Fraction) -> None:
    """Exactly, with the whole group and, where it is small, with none."""
    network = graph(GRAPHS[name], name) if name in GRAPHS else make_network(name)
    assert least_ratio(network).bounds.lower == value
    assert least_ratio(network).bounds.upper == value
    if network.channel_count <= 12:
        assert least_ratio(network, symmetry="none").bounds.upper == value


@pytest.mark.slow
@settings(max_examples=12)
@given(digraphs())
def test_the_least_ratio_is_that_of_the_program_as_it_is_written(network: Network) -> None:
    """On networks without symmetry, to the digits of floats; the routing found has it."""
    found = least_ratio(network)
    assert found.bounds.exact
    assert float(found.bounds.upper) == pytest.approx(ratio_twin.least_ratio(network), abs=1e-6)
    again = oblivious_ratio(network, found.routing)
    assert again.bounds == found.bounds


@pytest.mark.slow
@settings(max_examples=12)
@given(digraphs(), st.sampled_from(["ecmp", "ecmp:split=hops", "inverse_capacity"]))
def test_the_ratio_of_a_routing_is_by_traffic_that_a_flow_carries(
    network: Network, name: str
) -> None:
    """Held against one program a channel, with a flow of its own for every pair."""
    routing = make_routing(name)
    found = oblivious_ratio(network, routing)
    assert found.bounds.exact
    assert float(found.bounds.upper) == pytest.approx(
        ratio_twin.routing_ratio(network, routing), abs=1e-6
    )
    assert found.bounds.upper >= least_ratio(network).bounds.upper


def test_the_worst_traffic_loads_its_channel_by_the_ratio() -> None:
    """It is what the routing makes of the traffic that is carried with a utilization of 1."""
    network, routing = make_network("hypercube:3"), make_routing("dor")
    found = oblivious_ratio(network, routing)
    loads = routing.pair_loads(network, found.proofs[found.worst].channel)
    amounts = found.traffic.take((loads.rows, loads.columns))
    assert amounts.times(loads.values).sum() == found.bounds.upper == 4


CITIES = {
    "abilene.xml": (Fraction(9), Fraction(13, 4), Fraction(38051, 20537)),
    "polska.sndlib": (Fraction(4), Fraction(4), Fraction(157993, 78129)),
    "nobel-us.sndlib": (Fraction(5), Fraction(5), Fraction(8354001, 3709031)),
}
"""Of ECMP, of weights inverse to capacity, and the least."""


@pytest.mark.slow
@pytest.mark.parametrize("file", CITIES)
def test_ratios_of_networks_between_cities(file: str) -> None:
    """As the page has them, of the networks of SNDlib."""
    network = make_network(str(EXAMPLES / file))
    every = [oblivious_ratio(network, make_routing(n)) for n in ("ecmp", "inverse_capacity")]
    every.append(least_ratio(network))
    for found, value in zip(every, CITIES[file], strict=True):
        assert (found.bounds.lower, found.bounds.upper) == (value, value)
    page = (EXAMPLES.parent / "docs/how-to/ratio.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{file}`"))
    assert [Fraction(cell.split()[0]) for cell in row.split("|")[3:6]] == list(CITIES[file])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "cities", "links", "named"),
    [("polska.sndlib", 12, 18, "Gdansk"), ("nobel-us.sndlib", 14, 21, "PaloAlto")],
)
def test_networks_of_sndlib_have_its_cities_and_links(
    file: str, cities: int, links: int, named: str
) -> None:
    """Each link once, a channel each way."""
    network = make_network(str(EXAMPLES / file))
    assert (network.node_count, network.channel_count) == (cities, 2 * links)
    assert network.describe(0) == named


@pytest.fixture(scope="module")
def ring() -> Ratio:
    """Return the least ratio of a ring of four nodes."""
    return least_ratio(make_network("ring:4"))


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_whatever_floats_are_repaired_to_proves_something_true(seed: int) -> None:
    """Noise in place of a solver's answer: the interval is wide, and holds the ratio."""
    network = make_network("ring:4")
    found = least_ratio(network)
    generator = np.random.default_rng(seed)
    flows = generator.random((4, network.channel_count)) - 0.3
    proof = replace(
        found.proofs[0],
        prices=rounded(generator.random(network.channel_count) - 0.3),
        flows=repaired_flows(network, flows),
    )
    for of_all in (True, False):
        loose = checked_ratio(network, found.routing, (proof,), of_all=of_all, solver="noise")
        assert loose.bounds.lower <= Fraction(3, 2) <= loose.bounds.upper


def test_proofs_that_are_none_are_refused(ring: Ratio) -> None:
    """Each in a line that says what is wrong."""
    network, (proof,) = ring.network, ring.proofs

    def check(changed: ChannelProof) -> None:
        checked_ratio(network, ring.routing, (changed,), of_all=True, solver="")

    some = proof.flows.numerators
    assert proof.prices is not None
    with pytest.raises(CertificateError, match="a flow is below zero"):
        check(replace(proof, flows=RationalArray(some - 1, 1)))
    with pytest.raises(CertificateError, match="a node passes on what it did not get"):
        check(replace(proof, flows=RationalArray(np.eye(*some.shape, 1, dtype=np.int64), 1)))
    with pytest.raises(CertificateError, match="a price is below zero"):
        check(replace(proof, prices=RationalArray(proof.prices.numerators - 10**6, 1)))
    with pytest.raises(CertificateError, match="has a path that costs nothing"):
        check(replace(proof, prices=RationalArray.full(network.channel_count, 0)))
    with pytest.raises(CertificateError, match="is loaded, and has no prices"):
        check(replace(proof, prices=None))
    with pytest.raises(CertificateError, match="not every channel has a proof"):
        check(replace(proof, copies=proof.copies[:3]))
    nodes, channels, reverses = proof.copies[0]
    with pytest.raises(CertificateError, match="is no symmetry of ring:4"):
        check(replace(proof, copies=[(nodes, channels[::-1], reverses), *proof.copies[1:]]))


def test_traffic_ends_at_destinations() -> None:
    """What a switch keeps is left out of it."""
    fabric = make_network("leafspine:leaves=2,hosts=2,spines=2")
    noise = np.random.default_rng(0).random((4, fabric.channel_count))
    carried = carried_traffic(fabric, repaired_flows(fabric, noise))
    assert carried.utilization > 0
    assert carried.amounts.numerators.any()
    keeps = np.zeros((4, fabric.channel_count), dtype=np.int64)
    keeps[0, np.flatnonzero(fabric.tail == fabric.sources[0])[0]] = 1
    carried = carried_traffic(fabric, RationalArray(keeps, 1))
    assert (carried.amounts.sum(), carried.utilization) == (0, 1)


def test_distances_of_large_prices_are_exact() -> None:
    """Where sums would leave 64 bits they are Python integers."""
    ring = make_network("ring:5")
    assert distances(ring, RationalArray.full(10, 2**62))[0, 2] == 2**63
    assert distances(ring, RationalArray.full(10, 3))[0, 3] == 6


@pytest.mark.slow
def test_a_solver_without_time_says_so() -> None:
    """And what to do."""
    with pytest.raises(InputError, match="allow it more time"):
        least_ratio(make_network("mesh:4x4"), symmetry="none", seconds=1e-6)
