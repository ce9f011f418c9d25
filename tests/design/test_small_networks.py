"""Designs on small networks of every kind: optimal by the twin's programs, and as they claim.

The twin writes the linear programs as the paper does, without symmetry; every way to reduce them
must meet its optimum. What a design says of its routing is then found again from the routing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any

import pytest
from tests.support import design_twin, reference
from tests.support.cases import network_of
from tests.support.design_graphs import graph_of

import obroute
from obroute import InputError
from obroute.design import Design, design
from obroute.network import Path
from obroute.traffic import random_permutations

REDUCTIONS = ("declared", "found", "translations", "translations+reversal", "none")
SAMPLES, SEED = 4, 11
CLOSE = 1e-6
"""The twin's floats are as good as this."""

LARGE = "torus:4x3"
SLOW = {"torus:3x3", LARGE, "ring:6", "mesh:3x3", "hypercube:3"}
GRIDS = {
    "torus:3x3": ((3, 3), True),
    LARGE: ((4, 3), True),
    "ring:5": ((5,), True),
    "ring:6": ((6,), True),
    "mesh:3x3": ((3, 3), False),
    "mesh:2x4": ((2, 4), False),
    "hypercube:3": ((2, 2, 2), False),
}
NETWORKS = (*GRIDS, "complete:4", "lopsided", "fabric")


def cases(networks: Sequence[str], *more: Sequence[Any], keep: Any = lambda *_: True) -> list[Any]:
    """Give every combination that is kept; those that are long to solve are slow."""
    return [
        pytest.param(*case, marks=[pytest.mark.slow] if is_long(*case) else [])
        for case in product(networks, *more)
        if keep(*case)
    ]


def by_reduction(given: list[Any]) -> list[Any]:
    """Let the reductions, last in each case, share a test: those that are quick, and the slow."""
    grouped: dict[tuple[Any, ...], list[str]] = {}
    for case in given:
        *shared, symmetry = case.values
        grouped.setdefault((bool(case.marks), *shared), []).append(symmetry)
    return [
        pytest.param(*shared, tuple(found), marks=[pytest.mark.slow] if slow else [])
        for (slow, *shared), found in grouped.items()
    ]


def is_long(name: str, *_: object) -> bool:
    """Say whether a case is left to the slower tests: small ones say as much at once."""
    return name in SLOW


@cache
def designed(
    name: str,
    objective: str,
    symmetry: str,
    locality: Fraction | None = None,
    then: str | None = "locality",
    paths: str = "all",
) -> Design:
    """Design, each once."""
    return design(
        network_of(name),
        objective,
        symmetry=symmetry,
        locality=locality,
        then=then,
        paths=paths,
        samples=SAMPLES,
        seed=SEED,
        # A basis, and so the exact optimum, where the program is large enough for brackets.
        method="simplex" if objective == "average_case" else "auto",
    )


@cache
def matrices_of(name: str, objective: str) -> list[design_twin.Traffic] | None:
    """Give the traffic of an objective to the twin; None for the worst case."""
    if objective == "worst_case":
        return None
    if objective == "capacity":
        return [design_twin.uniform_traffic(graph_of(name))]
    network = network_of(name)
    drawn = random_permutations(SAMPLES, len(network.sources), SEED)
    return [
        {(s, int(network.destinations[d])): Fraction(1) for s, d in enumerate(permutation)}
        for permutation in drawn
    ]


@cache
def paths_of(name: str, paths: str) -> Mapping[design_twin.Pair, Sequence[Path]] | None:
    """Give a set of paths to the twin; None for all."""
    if paths == "all":
        return None
    if "+" in paths:
        one, *others = [paths_of(name, part) or {} for part in paths.split("+")]
        return {
            pair: [path for path in found if all(path in other[pair] for other in others)]
            for pair, found in one.items()
        }
    graph = graph_of(name)
    if paths == "minimal":
        return design_twin.minimal_paths(graph)
    radices, wraps = GRIDS[name]
    if paths == "two_turn":
        return design_twin.two_turn_paths(graph, radices, wraps)
    number = {(tail, head): c for c, (tail, head, _) in enumerate(graph.channels)}
    return {
        (s, d): [
            tuple(number[hop] for hop in pairwise(nodes))
            for nodes in reference.paths(radices, wraps, paths, s, d)
        ]
        for s, d in graph.pairs
    }


@cache
def twin_load(name: str, objective: str, locality: Fraction | None, paths: str) -> float:
    """Return the least load by the twin, each once."""
    length = None
    if locality is not None:
        length = locality * network_of(name).mean_shortest_path_length()
    return design_twin.least_load(
        graph_of(name),
        matrices=matrices_of(name, objective),
        paths=paths_of(name, paths),
        length=length,
    )


@cache
def twin_length(name: str, objective: str, load: Fraction, paths: str) -> float:
    """Return the least mean path length at a load by the twin, each once."""
    return design_twin.least_length(
        graph_of(name), load, matrices=matrices_of(name, objective), paths=paths_of(name, paths)
    )


def close(value: float) -> Any:
    """Compare with a value of the twin."""
    return pytest.approx(value, rel=CLOSE, abs=CLOSE)


def check_optimal(found: Design, name: str, objective: str, paths: str = "all") -> None:
    """Hold the values of a design, which must be exact, against the twin."""
    assert found.load.exact
    expected = twin_load(name, objective, found.problem.locality, paths)
    assert float(found.load.upper) == close(expected)
    assert found.routing_load == found.load.upper
    assert found.least_path_length is not None
    assert found.least_path_length.exact
    assert found.path_length == found.least_path_length.upper
    assert float(found.path_length) == close(twin_length(name, objective, found.load.upper, paths))


# ------------------------------------------------------------------------------ the optimum


@pytest.mark.parametrize(
    ("name", "objective", "locality", "reductions"),
    by_reduction(cases(NETWORKS, ["capacity", "worst_case"], [None, Fraction(8, 7)], REDUCTIONS)),
)
def test_every_reduction_meets_the_optimum_of_the_program_of_the_paper(
    name: str,
    objective: str,
    locality: Fraction | None,
    reductions: tuple[str, ...],
    subtests: pytest.Subtests,
) -> None:
    """Least load under a bound on path length or none, then the least path length, exactly."""
    for symmetry in reductions:
        with subtests.test(symmetry=symmetry):
            check_optimal(designed(name, objective, symmetry, locality), name, objective)


@pytest.mark.parametrize(
    ("name", "locality"),
    cases([n for n in NETWORKS if n != "fabric"], [None, Fraction(8, 7)]),
)
def test_the_average_case_is_the_optimum_for_its_sample(
    name: str, locality: Fraction | None
) -> None:
    """Without symmetry; a symmetric routing does at best as well on a sample that is not."""
    without = designed(name, "average_case", "none", locality)
    check_optimal(without, name, "average_case")
    for symmetry in REDUCTIONS[:-1]:
        found = designed(name, "average_case", symmetry, locality)
        assert found.load.lower >= without.load.upper
        assert found.load.exact


# --------------------------------------------------------------------- what the sentence is about


@pytest.mark.parametrize("symmetry", REDUCTIONS)
@pytest.mark.parametrize("name", ["ring:5", "mesh:2x3"])
@pytest.mark.parametrize("paths", ["all", "minimal"])
def test_an_average_case_is_the_optimum_over_the_sample_with_its_images(
    name: str, symmetry: str, paths: str
) -> None:
    """What is printed: the program without symmetry over all images has no better routing.

    And over the sample alone it has one, where the symmetry is more than none.
    """
    graph = graph_of(name)
    found = designed(name, "average_case", symmetry, then=None, paths=paths)
    assert found.load is not None
    assert found.scope.sample is not None
    problem = found.problem
    group = problem.group
    images = group.elements()
    assert images is not None
    assert found.scope.sample.images == len(images)
    sample = matrices_of(name, "average_case")
    assert sample is not None
    every = [
        {
            tuple(int(g.nodes[end]) for end in (pair[::-1] if g.reverses else pair)): amount
            for pair, amount in matrix.items()
        }
        for matrix in sample
        for g in images
    ]
    least = design_twin.least_load(graph, matrices=every, paths=paths_of(name, paths))
    assert float(found.load.lower) == close(least)
    assert found.load.exact
    alone = design_twin.least_load(graph, matrices=sample, paths=paths_of(name, paths))
    assert alone <= least + CLOSE
    words = found.scope.of_load
    assert ("together with its images" in words) == (len(images) > 1)
    assert ("on shortest paths" in words) == (paths == "minimal")


@pytest.mark.parametrize("locality", [None, Fraction(8, 7)])
@pytest.mark.parametrize("paths", ["all", "minimal", "two_turn", "minimal+two_turn", "dor"])
@pytest.mark.parametrize("objective", ["worst_case", "capacity"])
def test_no_routing_of_the_scope_contradicts_the_sentence(
    objective: str, paths: str, locality: Fraction | None
) -> None:
    """The program without symmetry over the paths and lengths that the sentence names."""
    name = "mesh:2x4"
    found = designed(name, objective, "declared", locality, None, paths)
    assert found.load is not None
    scope = found.scope
    assert (scope.paths, scope.locality) == (paths, locality)
    assert ("path length of at most 8/7" in scope.of_load) == (locality is not None)
    assert scope.of_load.startswith("no routing has") == (paths == "all" and locality is None)
    assert float(found.load.lower) == close(twin_load(name, objective, locality, paths))


@pytest.mark.parametrize(
    ("name", "paths", "reductions"),
    by_reduction(
        cases(
            NETWORKS,
            ["minimal", "two_turn", "minimal+two_turn", "ival", "o1turn", "two_turn+ival"],
            REDUCTIONS,
            keep=lambda name, paths, symmetry: (
                paths == "minimal"
                or (paths in ("two_turn", "minimal+two_turn") and name in GRIDS)
                or (paths == "o1turn" and name in ("torus:3x3", "mesh:3x3", LARGE))
                # An automorphism may exchange the dimensions, which the paths of IVAL tell apart.
                or (
                    paths in ("ival", "two_turn+ival")
                    and name in ("torus:3x3", LARGE)
                    and symmetry != "found"
                )
            ),
        )
    ),
)
def test_sets_of_paths_meet_the_optimum_of_the_program_over_paths(
    name: str, paths: str, reductions: tuple[str, ...], subtests: pytest.Subtests
) -> None:
    """One variable a path, as in eq. 8: shortest paths, two turns, the paths of a routing."""
    for symmetry in reductions:
        with subtests.test(symmetry=symmetry):
            found = designed(name, "worst_case", symmetry, paths=paths)
            check_optimal(found, name, "worst_case", paths)


@pytest.mark.parametrize("objective", ["capacity", "average_case"])
@pytest.mark.parametrize("paths", ["minimal", "two_turn"])
def test_sets_of_paths_meet_the_optimum_for_given_traffic(objective: str, paths: str) -> None:
    """Capacity and average case on a mesh."""
    found = designed("mesh:2x4", objective, "none", paths=paths)
    check_optimal(found, "mesh:2x4", objective, paths)


LONGEST = {"ring:6": 2, "mesh:2x4": 3, "hypercube:3": 2, "complete:4": 2}


@pytest.mark.parametrize("name", LONGEST)
@pytest.mark.parametrize("locality", [Fraction(1), Fraction(11, 10), Fraction(3, 2)])
def test_an_exact_path_length_is_met_or_refused(name: str, locality: Fraction) -> None:
    """Eq. 10 as it is written: the mean path length is L; refused where packets would circle."""
    network = network_of(name)
    length = locality * network.mean_shortest_path_length()
    expected = design_twin.least_load(graph_of(name), length=length, exactly=True)
    if locality * network.mean_shortest_path_length() > LONGEST[name]:
        with pytest.raises(InputError, match="at most"):
            design(network, locality=locality, exact_locality=True)
        return
    found = design(network, locality=locality, exact_locality=True)
    assert found.path_length == length
    assert found.load.exact
    assert float(found.load.upper) == close(expected)


@pytest.mark.parametrize("symmetry", REDUCTIONS)
@pytest.mark.parametrize("pattern", ["tornado", "bit_complement", "random_permutation"])
def test_capacity_for_a_pattern_is_the_optimum_for_it(pattern: str, symmetry: str) -> None:
    """The group is cut down to what keeps the pattern."""
    name = "mesh:2x4" if pattern == "bit_complement" else "torus:3x3"
    network = network_of(name)
    traffic = obroute.make_pattern(pattern)
    matrix = {
        (s, int(d)): Fraction(1) for s, d in enumerate(traffic.permutation(network).tolist())
    }
    found = design(network, "capacity", traffic=traffic, symmetry=symmetry)
    assert found.load.exact
    assert float(found.load.upper) == close(
        design_twin.least_load(graph_of(name), matrices=[matrix])
    )
    evaluated = obroute.evaluate(network, found.routing, [traffic])
    assert evaluated.patterns[0].load == found.routing_load


# -------------------------------------------------------------------------- what it claims

DESIGNS = [
    *cases(NETWORKS, ["capacity", "worst_case"], ["declared", "translations"], ["all"]),
    *cases(NETWORKS[1:-1], ["average_case"], ["declared"], ["all"]),
    *cases(list(GRIDS), ["worst_case"], ["declared"], ["minimal", "two_turn"]),
    *cases(["fabric", "lopsided"], ["worst_case"], ["found", "none"], ["all", "minimal"]),
]
for_every_design = pytest.mark.parametrize(("name", "objective", "symmetry", "paths"), DESIGNS)


@for_every_design
def test_the_evaluation_of_its_routing_finds_the_values_again(
    name: str, objective: str, symmetry: str, paths: str
) -> None:
    """Load and mean path length, by matchings that know nothing of linear programs."""
    for locality in (None, Fraction(8, 7)):
        found = designed(name, objective, symmetry, locality, None, paths)
        samples = SAMPLES if objective == "average_case" else 0
        evaluated = obroute.evaluate(
            network_of(name), found.routing, average_case_samples=samples, seed=SEED
        )
        assert evaluated.certified
        assert evaluated.mean_path_length == found.path_length
        if evaluated.average_case is not None:
            mean = float(evaluated.average_case.loads.mean())
            assert mean == pytest.approx(float(found.routing_load), rel=1e-12)
        else:
            load = evaluated.uniform.load if objective == "capacity" else evaluated.worst_case_load
            assert load == found.routing_load
        if locality is not None:
            assert found.normalized_path_length <= locality


@for_every_design
def test_the_proofs_of_its_values_prove_them_again(
    name: str, objective: str, symmetry: str, paths: str
) -> None:
    """The duals, with the problem written anew, give the lower bounds."""
    found = designed(name, objective, symmetry, None, "locality", paths)
    assert found.least_path_length is not None
    bounds = [proof.bound(found.problem) for proof in found.proofs]
    assert bounds[0].least_load() == found.load.lower
    at_load = bounds[1].least_path_length(found.load.upper)
    assert at_load == found.least_path_length.lower


@for_every_design
def test_its_paths_are_free_of_cycles_and_make_up_its_loads(
    name: str, objective: str, symmetry: str, paths: str
) -> None:
    """Enumerated for every pair: probabilities sum to one, no node comes twice, entries agree."""
    network = network_of(name)
    routing = designed(name, objective, symmetry, None, "locality", paths).routing
    drawn: dict[tuple[int, int], dict[Path, Fraction]] = {}
    for s, d in product(range(network.node_count), repeat=2):
        drawn[s, d] = {}
        if network.source_index[s] < 0 or network.destination_index[d] < 0:
            continue
        for probability, path in routing.paths(network, s, d):
            nodes = network.path_nodes(s, path)
            assert nodes[-1] == d
            assert len(set(nodes)) == len(nodes)
            assert probability > 0
            drawn[s, d][path] = drawn[s, d].get(path, Fraction(0)) + probability
        assert sum(drawn[s, d].values()) == 1
        if paths != "all" and s != d:
            allowed = paths_of(name, paths)
            assert allowed is not None
            assert set(drawn[s, d]) <= set(allowed[s, d])
    loads = reference.pair_loads(
        range(network.channel_count), network.node_count, lambda s, d: drawn[s, d], iter
    )
    for channel, matrix in loads.items():
        dense = [[Fraction(0)] * network.node_count for _ in range(network.node_count)]
        found = routing.pair_loads(network, channel)
        for row, column, value in zip(
            network.sources[found.rows].tolist(),
            network.destinations[found.columns].tolist(),
            found.values.fractions(),
            strict=True,
        ):
            dense[row][column] += value
        assert dense == matrix
