"""What obroute costs beside what a user would otherwise do, as ratios from one run.

``make bench`` prints one table a group; the fastest row is 1.0 and the others are multiples of
it. All rows of a group compute the same thing.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

import obroute
from obroute.loads import PairLoadTensor, loads_of
from obroute.matching import worst_case
from obroute.routing import Routing
from obroute.traffic import Traffic, random_permutations


class _FromPaths(Routing):
    """A routing that answers by enumerating the paths of another, without its closed forms."""

    def __init__(self, routing: Routing) -> None:
        super().__init__()
        self.paths = routing.paths
        self.name = routing.name

    def paths(self, network, source, destination):
        """Replaced for each object by the other routing's."""
        raise AssertionError


def _pair_loads(radix: int):
    network = obroute.make_network(f"torus:{radix}x{radix}")
    routing = obroute.make_routing("romm")
    return network, routing.pair_loads(network, 0)


def _exact(network, loads):
    return float(worst_case(loads, network.injection, network.ejection).load)


def _scipy_dense(_network, loads):
    dense = loads.to_dense()
    rows, columns = linear_sum_assignment(dense, maximize=True)
    return dense[rows, columns].sum()


def _scipy_sparse(_network, loads):
    # A full matching needs an entry everywhere it may go: zeros become a small weight.
    dense = loads.to_dense() + 1
    rows, columns = min_weight_full_bipartite_matching(csr_array(dense), maximize=True)
    return dense[rows, columns].sum() - len(rows)


def _networkx(_network, loads):
    graph = nx.Graph()
    for row, column, weight in zip(
        loads.rows.tolist(), loads.columns.tolist(), loads.values.to_float().tolist(), strict=True
    ):
        graph.add_edge(("s", row), ("d", column), weight=weight)
    matching = nx.max_weight_matching(graph)
    return sum(graph.edges[pair]["weight"] for pair in matching)


@pytest.mark.parametrize(
    "solve", [_exact, _scipy_dense, _scipy_sparse, _networkx], ids=lambda f: f.__name__[1:]
)
@pytest.mark.parametrize("radix", [9, 16, 25, 49])
def test_matching_of_one_channel(benchmark, radix, solve):
    """The worst permutation of one channel, ROMM on a k-ary 2-cube."""
    if radix > {_networkx: 9, _scipy_sparse: 25}.get(solve, 99):
        pytest.skip("takes minutes")
    benchmark.group = f"matching, torus:{radix}x{radix} romm"
    network, loads = _pair_loads(radix)
    expected = _exact(network, loads)
    assert benchmark(solve, network, loads) == pytest.approx(expected)


@pytest.mark.parametrize("method", ["closed form", "path enumeration"])
@pytest.mark.parametrize("routing", ["dor", "romm", "valiant"])
def test_pair_loads_of_one_channel(benchmark, routing, method):
    """The pair loads of one channel of an 8-ary 2-cube."""
    benchmark.group = f"pair loads, torus:5x5 {routing}"
    network = obroute.make_network("torus:5x5")

    def compute():
        made = obroute.make_routing(routing)
        if method == "closed form":
            return made.pair_loads(network, 0)
        return _FromPaths(made).pair_loads(network, 0)

    benchmark.pedantic(compute, rounds=1 if method == "path enumeration" else 20, warmup_rounds=1)


@pytest.mark.parametrize("channels", ["focus channels", "all channels"])
def test_whole_evaluation(benchmark, channels):
    """ROMM on a 16-ary 2-cube with and without symmetry."""
    benchmark.group = "evaluation, torus:16x16 romm"
    everything = channels == "all channels"
    benchmark.pedantic(
        lambda: obroute.evaluate("torus:16x16", "romm", all_channels=everything), rounds=1
    )


@pytest.mark.parametrize("method", ["one tensor of the canonical source", "one at a time"])
def test_thousand_random_permutations(benchmark, method):
    """The largest channel load of 1,000 random permutations, ROMM on a 9-ary 2-cube."""
    benchmark.group = "1,000 random permutations, torus:9x9 romm"
    network = obroute.make_network("torus:9x9")
    routing = obroute.make_routing("romm")
    drawn = random_permutations(1000, 81, seed=1)

    def by_tensor():
        return PairLoadTensor.build(network, routing).permutation_maxima(drawn)

    def one_at_a_time():
        return [
            loads_of(routing, Traffic.of_permutation(network, destinations)).to_float().max()
            for destinations in drawn
        ]

    found = benchmark.pedantic(
        by_tensor if method.startswith("one tensor") else one_at_a_time, rounds=1, warmup_rounds=1
    )
    assert np.max([float(load) for load in found]) == pytest.approx(4.6, abs=1)
