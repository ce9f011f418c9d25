"""Evaluations: worst case, patterns, averages and capacity, on grids and on fabrics."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.support import reference

import obroute
from obroute import InputError, Network, make_network, make_pattern, make_routing
from obroute.routing import path_distribution
from obroute.worst_cases import worst_traffic

FABRIC = """tail,head,bandwidth
a,x,2
x,a,2
b,x,1
x,b,1
c,y,3/2
y,c,3/2
d,y,1
y,d,1
x,s,1
x,s,1/2
s,x,1
x,t,2
t,x,2
y,s,1
s,y,1
y,t,1
t,y,1
"""
TERMINALS = {
    "unit hosts": "a\nb\nc\nd\n",
    "two packets": "a,2\nb\nc,2\nd\n",
    "unequal ways": "node,injection,ejection\na,2,1\nb,1,2\nc,0,1\nd,3,2\n",
    "unequal totals": "node,injection,ejection\na,1,3\nb,1,2\nc,2,0\nd,1,1\n",
    "one way": "node,injection,ejection\na,2,0\nb,1,0\nc,0,1\nd,0,2\n",
    "halves": "a,1/2\nb,3/2\nc,1/2\nd,1/2\n",
}


@pytest.fixture
def fabric(request: pytest.FixtureRequest, tmp_path: Path) -> Network:
    """Make two levels of switches with hosts."""
    (tmp_path / "edges.csv").write_text(FABRIC, encoding="utf-8")
    (tmp_path / "hosts.csv").write_text(TERMINALS[request.param], encoding="utf-8")
    return make_network(f"{tmp_path}/edges.csv:terminals={tmp_path}/hosts.csv")


on_every_fabric = pytest.mark.parametrize("fabric", TERMINALS, indirect=True)


def pair_loads(network: Network, routing: str) -> reference.Loads:
    """Enumerate the loads by the twin's shortest paths, channel by channel, node by node."""
    edges = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    split = routing.partition("=")[2] or "paths"
    widths = network.bandwidth.fractions()
    return reference.pair_loads(
        range(len(edges)),
        network.node_count,
        lambda s, d: reference.ecmp_paths(edges, s, d, split=split, widths=widths),
        iter,
    )


def brute_force(network: Network, matrix: reference.Matrix) -> Fraction:
    """Make every unit of the terminals a terminal, and try; the shorter side gets idle units."""
    common = np.lcm(network.injection.denominator, network.ejection.denominator)
    supply, demand = [0] * (network.node_count + 1), [0] * (network.node_count + 1)
    for node, amount in zip(network.sources, network.injection.fractions(), strict=True):
        supply[node] = int(amount * int(common))
    for node, amount in zip(network.destinations, network.ejection.fractions(), strict=True):
        demand[node] = int(amount * int(common))
    rest = sum(supply) - sum(demand)
    supply[-1], demand[-1] = max(-rest, 0), max(rest, 0)
    padded = [[*row, Fraction(0)] for row in matrix] + [[Fraction(0)] * len(supply)]
    return reference.expected_worst_case_transport(padded, supply, demand) / int(common)


@on_every_fabric
@pytest.mark.parametrize("routing", ["ecmp", "ecmp:split=hops", "ecmp:split=bandwidth"])
def test_worst_case_of_a_fabric_is_that_of_brute_force(fabric: Network, routing: str) -> None:
    """Terminals of any bandwidth: every channel's load over its bandwidth, proved."""
    found = obroute.evaluate(fabric, routing)
    loads = pair_loads(fabric, routing)
    expected = [
        brute_force(fabric, loads[channel]) / fabric.bandwidth.fraction(channel)
        for channel in range(fabric.channel_count)
    ]
    assert [result.normalized_load for result in found.channels] == expected
    assert found.worst_case_load == max(expected)
    assert found.worst_case_throughput == 1 / max(expected)
    assert found.critical.worst.channel == expected.index(max(expected))
    assert found.certified


@on_every_fabric
def test_traffic_of_a_fabric_loads_its_channel_as_recorded(fabric: Network) -> None:
    """Each source sends what it may, and the pair loads add up."""
    loads = pair_loads(fabric, "ecmp")
    for result in obroute.evaluate(fabric, "ecmp").channels:
        traffic = worst_traffic(fabric, result.worst).amounts
        sources, destinations = fabric.sources[traffic.rows], fabric.destinations[traffic.columns]
        amounts = traffic.values.fractions()
        pairs = list(zip(sources.tolist(), destinations.tolist(), amounts, strict=True))
        matrix = loads[result.worst.channel]
        assert sum(x * matrix[s][d] for s, d, x in pairs) == result.worst.load
        for position, node in enumerate(fabric.sources.tolist()):
            sent = sum(x for s, _, x in pairs if s == node)
            assert sent <= fabric.injection.fraction(position)


@on_every_fabric
def test_uniform_traffic_of_a_fabric_is_in_proportion_to_bandwidths(fabric: Network) -> None:
    """Largest load over bandwidth, and mean length of paths per packet."""
    loads = pair_loads(fabric, "ecmp")
    total = fabric.ejection.sum()
    weights = {
        (s, d): x * y / total
        for (s, x), (d, y) in product(
            zip(fabric.sources.tolist(), fabric.injection.fractions(), strict=True),
            zip(fabric.destinations.tolist(), fabric.ejection.fractions(), strict=True),
        )
    }
    each = [
        sum(weight * loads[channel][s][d] for (s, d), weight in weights.items())
        for channel in range(fabric.channel_count)
    ]
    found = obroute.evaluate(fabric, "ecmp")
    widths = fabric.bandwidth.fractions()
    assert found.uniform.load == max(x / width for x, width in zip(each, widths, strict=True))
    assert found.mean_path_length == sum(each) / fabric.injection.sum()
    assert found.normalized_path_length == 1


@pytest.mark.parametrize("fabric", ["unit hosts"], indirect=True)
def test_a_permutation_of_hosts_is_a_pattern(fabric: Network, tmp_path: Path) -> None:
    """Positions are those of the hosts; switches are no terminals."""
    (tmp_path / "p.csv").write_text("a,c\nc,a\nb,d\nd,b\n", encoding="utf-8")
    found = obroute.evaluate(fabric, "ecmp", [str(tmp_path / "p.csv"), "bit_complement"])
    loads = pair_loads(fabric, "ecmp")
    names = [fabric.node_named(name) for name in "abcd"]
    for result, image in zip(found.patterns, ([2, 3, 0, 1], [3, 2, 1, 0]), strict=True):
        expected = [
            sum(matrix[names[s]][names[d]] for s, d in enumerate(image))
            / fabric.bandwidth.fraction(channel)
            for channel, matrix in loads.items()
        ]
        assert result.load == max(expected)
        assert result.channel == expected.index(max(expected))
        assert result.throughput == 1 / max(expected)


@pytest.mark.parametrize("fabric", ["two packets"], indirect=True)
def test_what_needs_unit_terminals_says_so(fabric: Network) -> None:
    """Permutations and random matrices are of single packets."""
    for settings in ({"random_permutation_samples": 5}, {"average_case_samples": 5}):
        with pytest.raises(InputError, match=r"need.* terminals that each inject and"):
            obroute.evaluate(fabric, "ecmp", **settings)
    with pytest.raises(InputError, match="use uniform"):
        obroute.evaluate(fabric, "ecmp", ["shuffle"])
    assert obroute.evaluate(fabric, "ecmp", ["uniform"]).patterns[0].load > 0


# ------------------------------------------------------------------------------------ capacity


def test_fraction_of_capacity_is_capacity_load_over_load() -> None:
    """One for uniform traffic on a torus under DOR; none for no load."""
    found = obroute.evaluate("torus:5x5", "dor")
    assert found.capacity_load == Fraction(3, 5)
    assert found.fraction_of_capacity(found.uniform.load) == 1
    assert found.fraction_of_capacity(Fraction(0)) is None


def test_a_wider_torus_has_the_same_fraction_of_capacity() -> None:
    """Loads are over bandwidth, and so is capacity."""
    one, two = (obroute.evaluate(name, "romm") for name in ("torus:5x5", "torus:5x5,bandwidth=2"))
    assert two.worst_case_load == one.worst_case_load / 2
    assert two.fraction_of_capacity(two.worst_case_load) == one.fraction_of_capacity(
        one.worst_case_load
    )
    assert two.mean_path_length == one.mean_path_length


# ----------------------------------------------------------------------------------- evaluation


def test_patterns_come_in_the_order_asked_for() -> None:
    """Uniform too; the traffic of the others is kept."""
    found = obroute.evaluate("torus:4x4", "dor", ["tornado", "uniform", "transpose"])
    assert [p.pattern for p in found.patterns] == ["tornado", "uniform", "transpose"]
    assert found.patterns[1] == found.uniform
    assert [p.traffic.is_uniform for p in found.patterns] == [False, True, False]
    expected = make_pattern("transpose").amounts(make_network("torus:4x4"))
    assert found.patterns[2].traffic.amounts.equals(expected)


def test_the_worst_case_is_at_least_every_pattern() -> None:
    """And every random permutation and matrix."""
    found = obroute.evaluate(
        "torus:4x4",
        "rlb",
        ["tornado", "transpose", "shuffle", "bit_reverse"],
        random_permutation_samples=50,
        average_case_samples=20,
        matrix_kind="mixture",
    )
    assert found.random_permutations is not None
    assert found.average_case is not None
    others = [p.load for p in found.patterns] + found.random_permutations.loads
    assert len(others) == 54
    assert found.worst_case_load >= max(others)
    assert found.random_permutations.worst == max(found.random_permutations.loads)
    assert found.average_case.loads.max() <= float(found.worst_case_load) + 1e-9
    assert found.average_case.kind == "mixture"


def test_an_average_is_of_throughputs_with_its_standard_error() -> None:
    """Mean of inverses, error of that mean, and the inverse of the mean beside it."""
    found = obroute.evaluate("torus:4x4", "dor", average_case_samples=30, seed=2).average_case
    assert found is not None
    throughputs = 1 / found.loads
    assert found.throughput == pytest.approx(throughputs.mean())
    assert found.standard_error == pytest.approx(throughputs.std(ddof=1) / np.sqrt(30))
    assert found.approximate_throughput == pytest.approx(1 / found.loads.mean())
    one = obroute.evaluate("torus:4x4", "dor", average_case_samples=1, seed=2).average_case
    assert one is not None
    assert one.standard_error == float("inf")


def test_samples_are_those_of_the_seed_however_many_are_drawn() -> None:
    """More samples keep the first ones, across batches."""
    few, many, other = (
        obroute.evaluate(
            "torus:4x3",
            "romm",
            random_permutation_samples=count,
            average_case_samples=count,
            seed=seed,
        )
        for count, seed in ((40, 1), (700, 1), (40, 2))
    )
    for name in ("random_permutations", "average_case"):
        loads = [list(getattr(found, name).loads) for found in (few, many, other)]
        assert (len(loads[0]), len(loads[1])) == (40, 700)
        assert loads[0] == loads[1][:40] != loads[2]


def test_an_unknown_kind_of_matrix_is_refused() -> None:
    """With those that there are."""
    with pytest.raises(InputError, match=r"matrix_kind is 'birkhoff'.* mixture, perm"):
        obroute.evaluate("ring:4", "dor", average_case_samples=1, matrix_kind="birkhoff")


@pytest.mark.parametrize(
    ("network", "routing", "patterns", "message"),
    [
        ("complete:4", "dor", [], "not defined on complete:4; it is defined for torus, mesh"),
        ("mesh:3x3", "rlb", [], "it is defined for torus, ring and hypercube networks"),
        ("torus:3x3", "ecmp", ["shuffle"], "it is defined for networks whose number of terminals"),
        ("torus:3x3", "dor:order=0", [], "order 0 names 1 dimensions, the network has 2"),
    ],
)
def test_an_unsupported_pair_says_what_is_supported(
    network: str, routing: str, patterns: list[str], message: str
) -> None:
    """Before anything is computed."""
    with pytest.raises(InputError, match=message):
        obroute.evaluate(network, routing, patterns)


def test_names_and_objects_serve_alike() -> None:
    """Names are made into objects."""
    by_name = obroute.evaluate("torus:3x3", "romm", ["tornado"])
    by_object = obroute.evaluate(
        make_network("torus:3x3"), make_routing("romm"), [make_pattern("tornado")]
    )
    assert by_name.worst_case_load == by_object.worst_case_load
    assert by_name.patterns == by_object.patterns


def test_the_worst_permutation_loads_the_critical_channel_as_said() -> None:
    """By the definition of the routing, path by path."""
    found = obroute.evaluate("torus:4x3", "ival")
    permutation = found.critical.worst.permutation
    assert permutation is not None
    load = sum(
        probability * path.count(found.critical.worst.channel)
        for s, d in enumerate(permutation.tolist())
        for path, probability in path_distribution(found.routing, found.network, s, d).items()
    )
    assert load == found.worst_case_load


def test_a_comparison_is_a_study_of_all_pairs() -> None:
    """Networks × routings × patterns, as xarray."""
    study = obroute.compare(["torus:3x3", "torus:4x4"], ["dor", "valiant"], ["tornado"])
    assert dict(study.sizes) == {"network": 2, "routing": 2, "pattern": 1}
    assert study.worst_case_load_exact.values.tolist() == [["1", "2/3"], ["3/2", "1"]]
    assert study.pattern_load_exact.sel(network="torus:4x4").values.tolist() == [["1"], ["1"]]
    assert study.certified.values.all()


def test_a_comparison_takes_every_setting_of_an_evaluation() -> None:
    """Also where to run."""
    study = obroute.compare(
        ["ring:4"], ["dor"], run=lambda f, shared, b, w, n: [f(*shared, x) for x in b]
    )
    assert study.worst_case_load_exact.item() == "1"
