"""Evaluations of random networks, against exact answers worked out plainly, path by path."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import design_twin
from tests.support.design_graphs import as_graph
from tests.support.exact import Answers
from tests.support.random_networks import demands, digraphs, fabrics, tables

import obroute
from obroute import Network, make_routing
from obroute.loads import largest_load
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.traffic import Traffic

NETWORKS = st.one_of(fabrics(), digraphs())
CLOSE = 1e-6


@given(network=NETWORKS, data=st.data())
def test_a_random_table_has_the_answers_worked_out_plainly(
    network: Network, data: st.DataObject
) -> None:
    """Worst case, uniform traffic, path length, with symmetry and without."""
    routing = data.draw(tables(network))
    plain = Answers.of(network, routing)
    plain.check_paths()
    for all_channels in (False, True):
        found = obroute.evaluate(network, routing, (), all_channels=all_channels)
        assert found.certified
        assert found.worst_case_load == plain.worst_case_load
        assert found.uniform.load == plain.uniform_load
        assert found.mean_path_length == plain.mean_path_length


@given(network=NETWORKS, split=st.sampled_from(["paths", "hops", "bandwidth"]))
def test_shortest_paths_have_the_answers_worked_out_plainly(network: Network, split: str) -> None:
    """Which are enumerated anew, with no table in between."""
    found = obroute.evaluate(network, make_routing(f"ecmp:split={split}"), ())
    graph = as_graph(network)
    edges = [(tail, head) for tail, head, _ in graph.channels]
    widths = [bandwidth for _, _, bandwidth in graph.channels]
    plain = Answers(
        graph,
        {
            (s, d): design_twin.reference.ecmp_paths(edges, s, d, split=split, widths=widths)
            for s in graph.injection
            for d in graph.ejection
        },
    )
    assert found.worst_case_load == plain.worst_case_load
    assert found.uniform.load == plain.uniform_load
    assert found.mean_path_length == plain.mean_path_length


@given(network=NETWORKS, data=st.data())
def test_any_demands_load_channels_as_worked_out_plainly(
    network: Network, data: st.DataObject
) -> None:
    """Of more than terminals may send, too: demands are taken as they are."""
    routing, sent = data.draw(tables(network)), data.draw(demands(network))
    rows, columns = np.indices((len(network.sources), len(network.destinations))).reshape(2, -1)
    amounts = RationalArray.from_fractions([amount for row in sent for amount in row])
    shape = len(network.sources), len(network.destinations)
    matrix = SparseRationalMatrix.from_triplets(rows, columns, amounts, shape)
    graph = as_graph(network)
    traffic = {
        (s, d): sent[i][j]
        for i, s in enumerate(graph.injection)
        for j, d in enumerate(graph.ejection)
    }
    found = largest_load(routing, Traffic.of_amounts(network, matrix))[0]
    assert found == Answers.of(network, routing).load(traffic)


@given(network=NETWORKS)
def test_capacity_is_the_least_load_of_uniform_traffic(network: Network) -> None:
    """Over all routings, wherever a proof of it is known."""
    found = obroute.evaluate(network, "ecmp", ())
    graph = as_graph(network)
    least = design_twin.least_load(graph, matrices=[design_twin.uniform_traffic(graph)])
    if found.capacity_load is not None:
        assert float(found.capacity_load) == pytest.approx(least, abs=CLOSE)
    assert float(found.uniform.load) >= least - CLOSE
    assert found.worst_case_load >= found.uniform.load or not _may_send_uniformly(network)


def _may_send_uniformly(network: Network) -> bool:
    """Say whether uniform traffic keeps within what terminals eject."""
    injected = sum(network.injection.fractions(), Fraction(0))
    return injected <= sum(network.ejection.fractions(), Fraction(0))
