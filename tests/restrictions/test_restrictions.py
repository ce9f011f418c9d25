"""Worst cases over sets of traffic: held against linear programs, symmetry and what is proved."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.support.random_networks import digraphs, fabrics

import obroute
from obroute.network import Network
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.restrictions import check_restricted, restricted_cases, restricted_worst
from obroute.specs import CertificateError, InputError
from obroute.traffic_sets import Limits, PairLimits, TrafficSet, make_traffic_set, traffic_sets

SMALL = [name for entry in traffic_sets for name in entry.small]
FAMILIES = [
    (network, routing)
    for network, routing in (
        ("torus:3x3", "dor"),
        ("torus:4x2", "romm"),
        ("leafspine:leaves=2,hosts=2,spines=2", "ecmp"),
        ("cmesh:2x2,hosts=2", "dor"),
        ("kautz:d=2,D=2", "ecmp"),
    )
]


class Drawn(PairLimits):
    """Limits of pairs as an array says."""

    def __init__(self, units: np.ndarray, denominator: int) -> None:
        self.array, self.denominator = units, denominator

    def units(self, sources: np.ndarray, destinations: np.ndarray) -> np.ndarray:
        """Return the entries."""
        return self.array[sources, destinations]


def twin(matrix: SparseRationalMatrix, limits: Limits) -> float:
    """Return the largest load as a linear program in floats has it."""
    unit = float(matrix.to_dense().max(initial=1.0))
    shape = matrix.shape
    sources, destinations = np.indices(shape).reshape(2, -1)
    rows = [sources == place for place in range(shape[0])]
    rows += [destinations == place for place in range(shape[1])]
    most = [*limits.injection.fractions(), *limits.ejection.fractions()]
    if limits.total is not None:
        rows.append(np.ones(len(sources), dtype=bool))
        most.append(limits.total)
    bounds: list[tuple[float, float | None]] = [(0, None)] * len(sources)
    if limits.pairs is not None:
        units = limits.pairs.units(sources, destinations)
        bounds = [(0, None if u < 0 else u / limits.pairs.denominator) for u in units.tolist()]
    found = linprog(
        -matrix.to_dense().ravel() / unit,
        A_ub=np.array(rows, dtype=float),
        b_ub=[float(one) for one in most],
        bounds=bounds,
    )
    return float(-found.fun) * unit


@st.composite
def problems(draw: st.DrawFn) -> tuple[SparseRationalMatrix, Limits]:
    """Draw pair loads and limits of every sort."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    seed = np.random.default_rng(draw(st.integers(0, 2**20)))
    loads = seed.integers(0, 6, (rows, columns)) * seed.integers(0, 2, (rows, columns))
    places = np.nonzero(loads)
    scale = draw(st.sampled_from([1, 1, 2**70 + 1]))  # one that no 63 bits hold
    values = RationalArray.from_fractions(Fraction(int(w) * scale, 7) for w in loads[places])
    amounts = [RationalArray(seed.integers(0, 4, n), d) for n, d in ((rows, 2), (columns, 3))]
    total = draw(st.none() | st.fractions(Fraction(1, 4), 9, max_denominator=5))
    drawn = scale == 1 and draw(st.booleans())
    pairs = Drawn(seed.integers(-1, 4, (rows, columns)), 4) if drawn else None
    matrix = SparseRationalMatrix.from_triplets(*places, values, (rows, columns))
    return matrix, Limits(*amounts, total, pairs)


@settings(max_examples=60)
@given(problems())
def test_the_worst_traffic_is_that_of_a_linear_program(problem):
    """Of terminals, all traffic and pairs together; and its proof holds."""
    matrix, limits = problem
    found = restricted_worst(matrix, limits)
    check_restricted(found, matrix, limits)
    assert float(found.load) == pytest.approx(twin(matrix, limits), rel=1e-7, abs=1e-7)


def test_pair_loads_of_many_digits_whose_terminals_are_silent():
    """What is left of them has few digits."""
    loads = RationalArray(np.array([2**70 + 1], dtype=object), 7)
    matrix = SparseRationalMatrix.from_triplets(np.array([0]), np.array([1]), loads, (1, 2))
    limits = Limits(RationalArray.full(1, 1), RationalArray(np.array([1, 0]), 1), Fraction(1, 4))
    found = restricted_worst(matrix, limits)
    check_restricted(found, matrix, limits)
    assert found.load == 0


@pytest.mark.parametrize("name", SMALL)
def test_every_set_is_solved_with_and_without_symmetry(name):
    """As a linear program has it, channel by channel, on networks of several families."""
    one = make_traffic_set(name)
    for network_name, routing_name in FAMILIES:
        network = obroute.make_network(network_name)
        routing = obroute.make_routing(routing_name)
        (case,) = restricted_cases(network, routing, [one]).cases
        (every,) = restricted_cases(network, routing, [one], all_channels=True).cases
        assert case.normalized_load == every.normalized_load, (network_name, routing_name)
        limits, matrix = one.limits(network), routing.pair_loads(network, case.worst.channel)
        width = float(network.bandwidth.fraction(case.worst.channel))
        assert float(case.normalized_load) == pytest.approx(twin(matrix, limits) / width)


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=8)
@given(network=fabrics(units=False) | digraphs())
def test_every_set_on_networks_that_nobody_drew(name, network):
    """No set allows more than any traffic does, and the worst of it is in the set."""
    routing = obroute.make_routing("ecmp")
    one = make_traffic_set(name)
    try:
        found = restricted_cases(network, routing, [one, make_traffic_set("any")]).cases
    except InputError:
        assert name.startswith(("pairs", "both"))  # terminals of half a packet
        return
    assert found[0].normalized_load <= found[1].normalized_load
    assert found[1].normalized_load == obroute.evaluate(network, routing).worst_case_load
    largest = max(
        twin(routing.pair_loads(network, channel), one.limits(network))
        / float(network.bandwidth.fraction(channel))
        for channel in range(network.channel_count)
    )
    assert float(found[0].normalized_load) == pytest.approx(largest, abs=1e-9)


def test_pairs_are_a_matching_of_whole_packets():
    """With unit terminals the worst of k pairs is k pairs, no terminal in two of them."""
    network = obroute.make_network("torus:4x4")
    for count in (1, 3, 7):
        (case,) = obroute.evaluate_over(network, "valiant", f"pairs:{count}").cases
        worst = case.worst
        assert set(worst.amounts.fractions()) == {Fraction(1)}
        assert len(worst.sources) <= count
        for ends in (worst.sources, worst.destinations):
            assert len(set(ends.tolist())) == len(ends)


@pytest.mark.parametrize("routing", ["dor", "o1turn", "romm", "valiant", "ival"])
def test_no_routing_of_a_torus_loads_less_than_the_square_root_of_its_pairs(routing):
    """At least √(2k)/4 for k = 2r², r ≤ N/2, as docs/methods/restricted.md proves."""
    sets = [f"pairs:{2 * r * r}" for r in (1, 2, 3, 4)]
    found = obroute.evaluate_over("torus:8x8", routing, sets)
    for r, case in enumerate(found.cases, start=1):
        assert case.normalized_load >= Fraction(r, 2)


@pytest.mark.slow
def test_valiants_routing_over_shortest_paths_comes_near_the_square_root():
    """Within 1.6 times √(2k)/4, and nearer from step to step."""
    sets = [f"pairs:{2 * r * r}" for r in (1, 2, 3, 4)]
    found = obroute.evaluate_over("torus:8x8", "valiant:base=ecmp", sets)
    ratios = [case.normalized_load * 2 / r for r, case in enumerate(found.cases, start=1)]
    assert all(1 <= ratio < Fraction(8, 5) for ratio in ratios)
    assert ratios == sorted(ratios, reverse=True)


def test_racks_rails_and_boxes():
    """What the names of blocks mean, by worst cases that are plain."""
    tree = "leafspine:leaves=3,hosts=2,spines=1"
    assert loads(tree, "ecmp", ["within:rack", "between:rack", "within:rail"]) == ["1", "2", "2"]
    rail = "rail:hosts=2,accelerators=2"
    assert loads(rail, "ecmp", ["within:rack"]) == ["1/9"]
    assert loads("mesh:4x4", "dor", ["within:2x2", "between:2x2", "any"]) == ["1", "3", "3"]


def loads(network: str, routing: str, names: Sequence[str]) -> list[str]:
    """Return the worst cases over several sets."""
    found = obroute.evaluate_over(network, routing, names)
    return [str(case.normalized_load) for case in found.cases]


FILES = {
    "silent": ("source,destination\n0,1\n0,2\n", "silent:{}"),
    "listed": ("source,destination,amount\n0,1,0\n0,2,1/3\n", "listed:{}"),
    "listed, the others": ("source,destination,amount\n0,1,1/2\n", "listed:{},others=1/4"),
    "hose": ("node,injection,ejection\n0,1/2,1\n1,1,1/3\n2,1/4,1\n", "hose:{}"),
    "blocks": ("node,block\n0,a\n1,b\n2,a\n", "within:{}"),
}


@pytest.mark.parametrize("what", FILES)
def test_sets_from_files_are_those_of_a_linear_program(what, tmp_path):
    """And their cells depend on the files."""
    text, name = FILES[what]
    file = tmp_path / "given.csv"
    file.write_text(text)
    one = make_traffic_set(name.format(file))
    assert one.depends_on().files == (str(file),)
    network, routing = obroute.make_network("ring:4"), obroute.make_routing("dor")
    (case,) = restricted_cases(network, routing, [one]).cases
    largest = max(
        twin(routing.pair_loads(network, channel), one.limits(network)) for channel in range(8)
    )
    assert float(case.normalized_load) == pytest.approx(largest)


WRONG = {
    "pairs:0": "too small",
    "within:rack": "do not all hang on switches",
    "within:2x2x2": "grids of 3 dimensions",
    "within:nothing": "no blocks and no file",
    "limited:0": "not positive",
    "silent:{}": "expected source,destination",
    "listed:{}": "line 2 has 1 values",
    "hose:{}": "line 1",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_set_is_said_in_a_line(name, tmp_path):
    """With the name, and what was expected."""
    file = tmp_path / "wrong.csv"
    file.write_text("0;1;2;3;4\nx\n")
    with pytest.raises(InputError, match=WRONG[name]) as told:
        make_traffic_set(name.format(file)).limits(obroute.make_network("torus:3x3"))
    assert "\n" not in str(told.value)


FORGED = {
    "the load": lambda worst: {"load": worst.load + 1},
    "a source potential": lambda worst: {
        "source_potentials": worst.source_potentials.plus(
            RationalArray.full(len(worst.source_potentials), 1)
        )
    },
    "the total potential": lambda worst: {"total_potential": worst.total_potential + 1},
    "a negative potential": lambda worst: {"total_potential": Fraction(-1)},
    "the amounts": lambda worst: {"amounts": worst.amounts.scaled(Fraction(2))},
    "negative amounts": lambda worst: {"amounts": worst.amounts.scaled(Fraction(-1))},
    "a pair twice": lambda worst: {
        "sources": np.repeat(worst.sources[:1], len(worst.sources)),
        "destinations": np.repeat(worst.destinations[:1], len(worst.sources)),
    },
    "no potentials": lambda worst: {
        "source_potentials": RationalArray.full(len(worst.source_potentials), 0),
        "total_potential": Fraction(0),
    },
}


@pytest.mark.parametrize("what", FORGED)
@pytest.mark.parametrize("name", ["pairs:3", "both:first=pairs:3,second=limited:1/2"])
def test_a_forged_proof_is_refused(what, name):
    """Whatever of it is wrong."""
    network, routing = obroute.make_network("torus:4x4"), obroute.make_routing("dor")
    limits, matrix = make_traffic_set(name).limits(network), routing.pair_loads(network, 0)
    worst = restricted_worst(matrix, limits)
    with pytest.raises(CertificateError):
        check_restricted(dataclasses.replace(worst, **FORGED[what](worst)), matrix, limits)


def test_a_set_of_ones_own_is_a_class():
    """Whoever subclasses has all the rest."""

    class Half(TrafficSet):
        name = "half"

        def limits(self, network: Network) -> Limits:
            half = Fraction(1, 2)
            return Limits(network.injection.scaled(half), network.ejection.scaled(half))

    network, routing = obroute.make_network("ring:5"), obroute.make_routing("dor")
    (case,) = restricted_cases(network, routing, [Half()]).cases
    assert case.normalized_load == 1
