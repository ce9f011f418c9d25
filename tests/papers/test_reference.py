"""The slow twin meets the exact values and those that the papers print.

The values are in values.yaml. Those that take the twin longer than a few seconds are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from math import prod
from typing import Any

import pytest
from tests.support import reference
from tests.support.effort import few
from tests.support.published import COMPUTED, published

QUANTITIES = ("worst_case_load", "uniform_load", "mean_path_length")

SMALL_NETWORKS = {
    "torus:3x3",
    "torus:4x4",
    "torus:5x5",
    "torus:4x3",
    "torus:5",
    "torus:8",
    "mesh:4x4",
    "mesh:3x4",
    "mesh:3x3x3",
}
LONG = {"torus:3x3x3", "mesh:3x3x3", "torus:5x5", "torus:4x4", "torus:4x3"}
CHEAP_IN_3X3X3 = {"dor", "o1turn", "romm:order=fixed", "valiant"}
SMALL_ROWS = [
    row
    for row in COMPUTED["tori"] + COMPUTED["meshes"]
    if row["network"] in SMALL_NETWORKS
    or (row["network"] == "torus:3x3x3" and row["routing"] in CHEAP_IN_3X3X3)
]

NINE_ARY_2_CUBE = (9, 9)
NINE_ARY_ROUTINGS = {
    "dor": partial(reference.paths, NINE_ARY_2_CUBE, True, "dor"),
    "romm_random": partial(reference.paths, NINE_ARY_2_CUBE, True, "romm", order="random"),
    "romm_fixed": partial(reference.paths, NINE_ARY_2_CUBE, True, "romm", order="fixed"),
}
FIGURE_9 = "figure 9 of the technical report"

RING_OF_FOUR = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)]


def grid_of(network: str) -> tuple[tuple[int, ...], bool]:
    """Read a grid such as torus:4x3 as (radices, wraps)."""
    family, _, radices = network.partition(":")
    return tuple(map(int, radices.split("x"))), family == "torus"


@cache
def grid_loads(
    radices: tuple[int, ...], wraps: bool, routing: str, **options: Any
) -> reference.Loads:
    """Enumerate the pair loads of a routing on a grid."""
    routes = partial(reference.paths, radices, wraps, routing, **options)
    return reference.pair_loads(reference.grid_channels(radices, wraps), prod(radices), routes)


def named_permutation(pattern: str) -> list[int]:
    """Give a pattern on the 9-ary 2-cube, the one printed as Figure 9 among them."""
    if pattern == FIGURE_9:
        printed = published("Figure 9")["permutation"]
        return [reference.node_at(NINE_ARY_2_CUBE, place) for place in printed]
    return reference.PATTERNS[pattern](NINE_ARY_2_CUBE)


def nine_ary_load(pattern: str, routing: str) -> Fraction:
    """Give the largest channel load of a pattern on the 9-ary 2-cube."""
    loads = reference.pattern_channel_loads(NINE_ARY_ROUTINGS[routing], named_permutation(pattern))
    return max(loads.values())


# ---------------------------------------------------------------------------- computed values


@pytest.mark.parametrize(
    "network",
    [
        pytest.param(network, marks=[pytest.mark.slow] if network in LONG else [])
        for network in dict.fromkeys(row["network"] for row in SMALL_ROWS)
    ],
)
def test_grid_has_the_computed_loads_and_path_length(
    network: str, subtests: pytest.Subtests
) -> None:
    """Worst case, uniform load and mean path length are the listed fractions, exactly."""
    for row in SMALL_ROWS:
        if row["network"] == network:
            with subtests.test(routing=row["routing"]):
                check_row(row)


def check_row(row: Mapping[str, str]) -> None:
    """Compare what the twin computes with what is listed."""
    radices, wraps = grid_of(row["network"])
    routing, _, options = row["routing"].partition(":")
    loads = grid_loads(
        radices, wraps, routing, **dict(option.split("=") for option in options.split() if option)
    )
    found = {
        "worst_case_load": reference.worst_case_load(loads),
        "uniform_load": reference.uniform_load(loads),
        "mean_path_length": reference.mean_path_length(loads),
    }
    listed = {name: Fraction(row[name]) for name in QUANTITIES if name in row}
    assert {name: found[name] for name in listed} == listed


@pytest.mark.parametrize("k", few([3, 4, 5, 6, 7], 3))
def test_romm_in_random_order_has_the_computed_worst_case(k: int) -> None:
    """The k-ary 2-cubes that the twin enumerates quickly have the listed worst case."""
    loads = grid_loads((k, k), True, "romm", order="random")
    assert reference.worst_case_load(loads) == Fraction(COMPUTED["romm_random_order_2d"][k])


@pytest.mark.parametrize("n", [3, 4, 5])
@pytest.mark.parametrize("wraps", [False, True], ids=["lines", "rings"])
def test_hypercube_is_a_grid_of_lines_or_rings_of_two(n: int, wraps: bool) -> None:
    """E-cube routing has the listed worst case, whichever way two nodes are joined."""
    loads = grid_loads((2,) * n, wraps, "dor")
    assert len(loads) == n * 2**n
    assert reference.worst_case_load(loads) == Fraction(COMPUTED["hypercube_ecube"][n])


@pytest.mark.parametrize("routing", NINE_ARY_ROUTINGS)
@pytest.mark.parametrize("row", COMPUTED["patterns_9x9"], ids=lambda row: row["pattern"])
def test_pattern_has_the_computed_load_on_the_9_ary_2_cube(
    row: Mapping[str, str], routing: str
) -> None:
    """Each pattern of the report loads its most loaded channel by the listed fraction."""
    assert nine_ary_load(row["pattern"], routing) == Fraction(row[routing])


# --------------------------------------------------------------------------- published values


@pytest.mark.parametrize("pattern", ["bit_complement", "transpose", "tornado"])
@pytest.mark.parametrize(("printed", "routing"), [("dor", "dor"), ("romm", "romm_random")])
def test_fraction_of_capacity_is_the_one_printed_in_table_1(
    pattern: str, printed: str, routing: str
) -> None:
    """ROMM of the technical report draws the order of dimensions; capacity is 1 / (10/9)."""
    ring_load = Fraction(9**2 - 1, 8 * 9)
    fraction = ring_load / nine_ary_load(pattern, routing)
    assert float(fraction) == pytest.approx(published("Table 1")[printed][pattern], abs=1e-3)


def test_figure_9_is_a_worst_case_permutation_of_romm() -> None:
    """The printed matrix is a permutation, and reaches the worst case, 25/144 of capacity."""
    permutation = named_permutation(FIGURE_9)
    assert sorted(permutation) == list(range(81))
    load = nine_ary_load(FIGURE_9, "romm_random")
    assert load == Fraction(COMPUTED["romm_random_order_2d"][9])
    fraction = Fraction(10, 9) / load
    assert fraction == Fraction(25, 144)
    assert float(fraction) == pytest.approx(published("Table 1")["romm"]["worst_case"], abs=1e-3)


def test_ival_is_shorter_than_valiant_as_printed_on_the_8_ary_2_cube() -> None:
    """IVAL takes 1.61 times the minimal length, 19.3% less than Valiant's routing.

    Paths depend on the offset alone, so the mean over destinations from one node is the mean.
    """
    lengths = {
        routing: sum(
            probability * (len(path) - 1)
            for d in range(64)
            for path, probability in reference.paths((8, 8), True, routing, 0, d).items()
        )
        / Fraction(64)
        for routing in ("dor", "valiant", "ival")
    }
    printed = published("SPAA 2003")["values"]
    assert lengths["valiant"] / lengths["dor"] == printed["valiant_length"]
    assert round(float(lengths["ival"] / lengths["dor"]), 2) == printed["ival_length"]
    saved = 1 - lengths["ival"] / lengths["valiant"]
    assert f"{float(saved):.1%}" == printed["ival_improvement_over_valiant"]


# -------------------------------------------------------- the parts that no listed value shows


@pytest.mark.parametrize("ties", ["split", "positive"])
@pytest.mark.parametrize("routing", reference.ROUTINGS)
def test_paths_are_a_distribution_over_walks_from_source_to_destination(
    routing: str, ties: str
) -> None:
    """Probabilities sum to one, ends are right, and every hop is a channel."""
    radices = (4, 3)
    channels = set(reference.grid_channels(radices, True))
    for s in range(12):
        for d in range(12):
            found = reference.paths(radices, True, routing, s, d, ties=ties)
            assert sum(found.values()) == 1
            assert all(path[0] == s and path[-1] == d for path in found)
            assert all(set(pairwise(path)) <= channels for path in found)


def test_a_tie_goes_both_ways_evenly_or_the_positive_way() -> None:
    """Half an even ring away, the two shortest paths have a half each, or the first has all."""
    half = Fraction(1, 2)
    assert reference.paths((4,), True, "dor", 1, 3) == {(1, 2, 3): half, (1, 0, 3): half}
    assert reference.paths((4,), True, "dor", 1, 3, ties="positive") == {(1, 2, 3): 1}


def test_dimension_order_is_dimension_0_first_unless_told_otherwise() -> None:
    """Dimension 0 is the first coordinate, whose step is the product of the other radices."""
    assert reference.paths((3, 4), False, "dor", 0, 5) == {(0, 4, 5): 1}
    assert reference.paths((3, 4), False, "dor", 0, 5, order=(1, 0)) == {(0, 1, 5): 1}


def test_a_loop_is_cut_back_to_the_first_visit() -> None:
    """Whatever lies between two visits of one node goes, the longest loop first met."""
    assert reference.without_loops([0, 1, 2, 1, 3, 4, 3, 0, 5]) == [0, 5]
    assert reference.without_loops([0, 1, 2, 1, 3]) == [0, 1, 3]


@pytest.mark.parametrize("routing", ["rlb", "rlbth"])
def test_rlb_is_refused_on_a_line(routing: str) -> None:
    """A line of more than two nodes has no long way round."""
    with pytest.raises(ValueError, match="rings"):
        reference.paths((3, 3), (True, False), routing, 0, 1)


def test_ecmp_splits_among_paths_or_at_every_hop() -> None:
    """Two channels in parallel on one branch: thirds among paths, a half and quarters by hops."""
    edges = [(0, 1), (0, 2), (1, 3), (1, 3), (2, 3), (3, 0)]
    by_paths = reference.ecmp_paths(edges, 0, 3)
    assert by_paths == dict.fromkeys([(0, 2), (0, 3), (1, 4)], Fraction(1, 3))
    by_hops = reference.ecmp_paths(edges, 0, 3, split="hops")
    assert by_hops == {(0, 2): Fraction(1, 4), (0, 3): Fraction(1, 4), (1, 4): Fraction(1, 2)}
    assert reference.ecmp_paths(edges, 2, 2) == {(): 1}
    with pytest.raises(ValueError, match="no path"):
        reference.ecmp_paths([(0, 1)], 1, 0)


@pytest.mark.parametrize("split", ["paths", "hops"])
def test_ecmp_on_a_ring_is_dimension_order_with_ties_split(split: str) -> None:
    """On a ring the shortest paths are those of dimension order routing."""
    ecmp = reference.pair_loads(
        range(8), 4, partial(reference.ecmp_paths, RING_OF_FOUR, split=split), iter
    )
    dor = grid_loads((4,), True, "dor")
    assert {RING_OF_FOUR[index]: matrix for index, matrix in ecmp.items()} == dor


@pytest.mark.parametrize("routing", ["dor", "romm", "ival"])
def test_matching_agrees_with_trying_every_permutation(routing: str) -> None:
    """On a 2 by 3 torus both ways to the worst case of a channel give one value."""
    for matrix in grid_loads((2, 3), True, routing).values():
        tried, _ = reference.worst_case_by_permutations(matrix)
        matched, permutation = reference.worst_case_by_matching(matrix)
        assert matched == tried == sum(matrix[s][d] for s, d in enumerate(permutation))


def test_a_matching_that_is_not_optimal_has_no_proof() -> None:
    """The proof is exact: one unit in 2**80 too little, and it raises."""
    rows = [[2**80, 2**80], [2**80, 2**80 + 1]]
    reference.prove_optimal(rows, [0, 1])
    with pytest.raises(ValueError, match="not optimal"):
        reference.prove_optimal(rows, [1, 0])
    with pytest.raises(ValueError, match="not a permutation"):
        reference.prove_optimal(rows, [1, 1])


def test_transport_worst_case_expands_every_unit() -> None:
    """With supply and demand of one it is the worst case; with two, a pair can count twice."""
    matrix = [[Fraction(3), Fraction(1)], [Fraction(2), Fraction(1, 2)]]
    assert reference.expected_worst_case_transport(matrix, [1, 1], [1, 1]) == Fraction(7, 2)
    assert reference.expected_worst_case_transport(matrix, [2, 1], [2, 1]) == Fraction(13, 2)
    assert reference.expected_worst_case_transport(matrix, [0, 2], [1, 1]) == Fraction(5, 2)
    with pytest.raises(ValueError, match="supply"):
        reference.expected_worst_case_transport(matrix, [1, 1], [1, 2])


@pytest.mark.parametrize(
    ("pattern", "radices", "expected"),
    [
        ("bit_complement", (2, 3), [5, 4, 3, 2, 1, 0]),
        ("transpose", (3, 3), [0, 3, 6, 1, 4, 7, 2, 5, 8]),
        ("transpose", (2, 2, 2, 2), [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]),
        ("tornado", (5, 2), [4, 5, 6, 7, 8, 9, 0, 1, 2, 3]),
        ("tornado", (4,), [1, 2, 3, 0]),
        ("neighbor", (2, 3), [4, 5, 3, 1, 2, 0]),
        ("bit_reverse", (8,), [0, 4, 2, 6, 1, 5, 3, 7]),
        ("bit_rotation", (8,), [0, 4, 1, 5, 2, 6, 3, 7]),
        ("shuffle", (8,), [0, 2, 4, 6, 1, 3, 5, 7]),
    ],
)
def test_pattern_is_the_permutation_written_out(
    pattern: str, radices: tuple[int, ...], expected: list[int]
) -> None:
    """Small patterns, by hand."""
    assert reference.PATTERNS[pattern](radices) == expected


@pytest.mark.parametrize(
    ("pattern", "radices"), [("transpose", (3, 4)), ("transpose", (3,)), ("shuffle", (3, 4))]
)
def test_pattern_is_refused_where_it_is_not_defined(
    pattern: str, radices: tuple[int, ...]
) -> None:
    """Transpose needs two equal halves, the patterns of bits a power of two of nodes."""
    with pytest.raises(ValueError, match=r"halves|power of two"):
        reference.PATTERNS[pattern](radices)


def test_pattern_load_is_the_same_from_pair_loads_and_from_paths() -> None:
    """Loads are linear in traffic: the two ways to sum them agree."""
    routes = partial(reference.paths, (4, 3), True, "romm")
    loads = grid_loads((4, 3), True, "romm")
    for pattern in (reference.bit_complement, reference.tornado, reference.neighbor):
        permutation = pattern((4, 3))
        by_channel = reference.pattern_channel_loads(routes, permutation)
        assert max(by_channel.values()) == reference.pattern_load(loads, permutation)
