"""Channel loads: of a permutation, of samples of permutations and matrices, of sampled paths."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.support.datasets import cell_dataset

import obroute
from obroute import InputError, Network, Routing, loads, make_network, make_routing
from obroute.loads import (
    PairLoadTensor,
    largest_load,
    largest_normalized_load,
    loads_of,
)
from obroute.rational import RationalArray
from obroute.routing import product_form
from obroute.routing.path_table import PathTable
from obroute.traffic import Traffic, random_doubly_stochastic, random_permutations

CASES = [
    ("torus:4x3", "dor"),
    ("torus:4x3", "romm"),
    ("torus:3x3,bandwidth=2/3", "valiant"),
    ("torus:4x4", "ival"),
    ("mesh:3x4", "o1turn"),
    ("mesh:2x2x3", "romm:order=fixed"),
    ("hypercube:3", "rlb"),
    ("complete:5", "ecmp"),
    ("torus:4x3", "1/3*dor+2/3*ival"),
    ("uneven", "ecmp"),
    ("uneven", "ecmp:split=hops"),
]
UNEVEN = """a,b,1/3
b,a,2
b,c,3
c,b,1
c,d,5/7
d,c,1
d,a,1/2
a,d,2
a,c,1
c,a,4
a,b,1/2
"""


@pytest.fixture
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Network, Routing]:
    """Make a network and a routing; one network has unequal bandwidths and no symmetry."""
    network, routing = request.param
    if network == "uneven":
        network = tmp_path / "uneven.csv"
        network.write_text(UNEVEN, encoding="utf-8")
    return make_network(str(network)), make_routing(routing)


in_every_case = pytest.mark.parametrize("case", CASES, indirect=True, ids="-".join)


def summed(network: Network, routing: Routing, destinations: np.ndarray) -> list[Fraction]:
    """Sum the pair loads of a permutation, channel by channel."""
    found = []
    for channel in range(network.channel_count):
        loads = routing.pair_loads(network, channel)
        entries = [loads.entry(row, int(column)) for row, column in enumerate(destinations)]
        found.append(sum(entries, Fraction(0)))
    return found


@in_every_case
def test_permutation_loads_are_sums_of_pair_loads(case: tuple[Network, Routing]) -> None:
    """Of every channel, exactly."""
    network, routing = case
    for destinations in random_permutations(3, len(network.sources), seed=1):
        loads = loads_of(routing, Traffic.of_permutation(network, destinations))
        expected = summed(network, routing, destinations)
        assert loads.fractions() == expected
        over_bandwidth = [
            load / width
            for load, width in zip(expected, network.bandwidth.fractions(), strict=True)
        ]
        largest = max(over_bandwidth)
        assert largest_normalized_load(network, loads) == (largest, over_bandwidth.index(largest))


@in_every_case
@pytest.mark.parametrize("at_once", [1, 100])
def test_loads_do_not_depend_on_how_many_are_held_at_a_time(
    monkeypatch: pytest.MonkeyPatch, case: tuple[Network, Routing], at_once: int
) -> None:
    """Pairs in blocks, and products added in parts, give the same loads."""
    network, routing = case
    (destinations,) = random_permutations(1, len(network.sources), seed=3)
    expected = loads_of(routing, Traffic.of_permutation(network, destinations))
    pair_loads = routing.pair_loads(network, 0)
    monkeypatch.setattr(loads, "LOADS_AT_ONCE", at_once)
    monkeypatch.setattr(product_form, "ENTRIES_AT_ONCE", at_once)
    found = loads_of(routing, Traffic.of_permutation(network, destinations))
    assert found.fractions() == expected.fractions()
    assert routing.pair_loads(network, 0).equals(pair_loads)


@in_every_case
def test_maxima_of_permutations_are_exact(case: tuple[Network, Routing]) -> None:
    """From the loads of canonical sources alone, the largest normalized load of each sample."""
    network, routing = case
    drawn = random_permutations(20, len(network.sources), seed=2)
    maxima = PairLoadTensor.build(network, routing).permutation_maxima(drawn)
    assert maxima == [
        largest_load(routing, Traffic.of_permutation(network, destinations))[0]
        for destinations in drawn
    ]


@in_every_case
def test_maxima_of_matrices_are_those_of_their_mean_of_pair_loads(
    case: tuple[Network, Routing],
) -> None:
    """To rounding; a single permutation as a matrix has the permutation's maximum."""
    network, routing = case
    terminals = len(network.sources)
    tensor = PairLoadTensor.build(network, routing)
    matrices = random_doubly_stochastic(4, terminals, 3, "mixture")
    width = network.bandwidth.to_float()
    expected = [
        max(
            float((routing.pair_loads(network, channel).to_dense() * matrix).sum())
            / width[channel]
            for channel in range(network.channel_count)
        )
        for matrix in matrices
    ]
    assert tensor.matrix_maxima(matrices).tolist() == pytest.approx(expected, rel=1e-12)
    drawn = random_permutations(4, terminals, seed=4)
    single = np.zeros((4, terminals, terminals))
    for sample, destinations in enumerate(drawn):
        single[sample, np.arange(terminals), destinations] = 1
    exact = [float(load) for load in tensor.permutation_maxima(drawn)]
    assert tensor.matrix_maxima(single).tolist() == pytest.approx(exact, rel=1e-12)


def test_a_relative_routing_needs_one_canonical_source() -> None:
    """O(N · channels) entries, not O(N² · channels); a mesh needs a quarter, or an eighth."""
    for network, routing, canonical in [
        ("torus:5x5", "romm", 1),
        ("mesh:4x4", "dor", 4),
        ("mesh:4x4", "romm", 3),
    ]:
        found = make_network(network)
        tensor = PairLoadTensor.build(found, make_routing(routing))
        assert tensor.loads.shape == (canonical * found.node_count, found.channel_count)


def test_a_tensor_survives_pickling() -> None:
    """As Dask sends it to a worker."""
    tensor = PairLoadTensor.build(make_network("torus:4x4"), make_routing("romm"))
    drawn = random_permutations(5, 16, seed=2)
    again = pickle.loads(pickle.dumps(tensor))
    assert again.permutation_maxima(drawn) == tensor.permutation_maxima(drawn)


def test_terminals_that_are_no_units_have_no_permutations() -> None:
    """They would send more than one packet per cycle to one place."""
    network = Network("two", 2, [0, 1], [1, 0], injection=RationalArray.full(2, 2))
    tensor = PairLoadTensor.build(network, make_routing("ecmp"))
    with pytest.raises(InputError, match="random permutations need terminals that each inject"):
        tensor.permutation_maxima(random_permutations(1, 2, 0))


def test_a_tensor_that_no_memory_holds_is_refused() -> None:
    """With the memory that it would take."""
    with pytest.raises(InputError, match=r"too large for sampled traffic: 16384 sources × 65536"):
        PairLoadTensor.build(make_network("torus:128x128"), make_routing("dor"))


def test_unit_terminals_over_another_denominator_are_units() -> None:
    """Two halves inject one packet, and the maxima do not change."""
    ring = make_network("ring:5")
    halves = RationalArray(np.full(5, 2), 2)
    network = Network("halves", 5, ring.tail, ring.head, injection=halves, ejection=halves)
    assert network.has_unit_terminals
    drawn = random_permutations(5, 5, seed=2)
    routing = make_routing("ecmp")
    expected = [largest_load(routing, Traffic.of_permutation(network, d))[0] for d in drawn]
    assert PairLoadTensor.build(network, routing).permutation_maxima(drawn) == expected


def fine_table(bits: int) -> tuple[Network, PathTable]:
    """Make a routing on a ring of three whose probabilities need so many bits."""
    ring = make_network("ring:3")
    part = Fraction(2**bits // 3, 2**bits)
    pairs = [(s, d) for s in range(3) for d in range(3) if s != d]
    return ring, PathTable(
        "fine",
        {
            (s, d): {
                ring.path_from_nodes([s, d]): part,
                ring.path_from_nodes([s, 3 - s - d, d]): 1 - part,
            }
            for s, d in pairs
        },
    )


@pytest.mark.parametrize("bits", [40, 57])
def test_maxima_are_exact_as_long_as_sums_fit_63_bits(bits: int) -> None:
    """To the last bit."""
    network, routing = fine_table(bits)
    drawn = random_permutations(6, 3, seed=2)
    assert PairLoadTensor.build(network, routing).permutation_maxima(drawn) == [
        largest_load(routing, Traffic.of_permutation(network, d))[0] for d in drawn
    ]


@pytest.mark.parametrize("bits", [200, 900])
def test_maxima_of_too_many_digits_are_refused(bits: int) -> None:
    """Never a float in place of an exact sum."""
    network, routing = fine_table(bits)
    with pytest.raises(InputError, match="too many digits"):
        PairLoadTensor.build(network, routing).permutation_maxima(random_permutations(6, 3, 2))


def test_the_worst_sampled_permutation_is_exact_beyond_63_bits() -> None:
    """A store holds it as exact: random_permutation_worst_exact."""
    network, routing = fine_table(70)
    found = obroute.evaluate(network, routing, random_permutation_samples=6, seed=2)
    cell = cell_dataset(found)
    assert Fraction(cell.random_permutation_worst_exact.item()) == max(
        largest_load(routing, Traffic.of_permutation(network, d))[0]
        for d in random_permutations(6, 3, seed=2)
    )
