"""Paths drawn by the million: each routing's batches, held against its path distribution."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from tests.support import cases
from tests.support.cases import Case, case_of

from obroute import Network, Routing, make_network, make_routing
from obroute.network import Path
from obroute.routing import PathBatch, path_distribution, routings
from obroute.routing.by_family import ByFamily
from obroute.routing.walks import PlanSampler

DRAWS = 500
CHANCE = 1e-7
"""How rarely a right sampler may fail one comparison; the seeds are fixed, so it never does."""

DRAWN_QUICKLY = {"torus:3x3", "hypercube:3", "butterfly:1", cases.FABRIC}
"""Networks on which every routing is drawn from in the quick tests; the others are slow."""


@pytest.fixture(scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    """Make the case of a test, each once."""
    return case_of(request.param.network, request.param.routing)


for_every_case = pytest.mark.parametrize(
    "case",
    cases.parameters(
        [
            replace(case, slow=case.slow or case.network not in DRAWN_QUICKLY)
            for case in cases.all_cases()
        ]
    ),
    indirect=True,
    scope="module",
)


def some_pairs(network: Network, count: int = 3) -> list[tuple[int, int]]:
    """Choose a few pairs, and a node with itself where there is one."""
    generator = np.random.default_rng(17)
    sources = generator.choice(network.sources, count).tolist()
    destinations = generator.choice(network.destinations, count).tolist()
    both = sorted(set(network.sources.tolist()) & set(network.destinations.tolist()))
    return [*zip(sources, destinations, strict=True), *((node, node) for node in both[-1:])]


def drawn_by_pair(
    network: Network, routing: Routing, pairs: list[tuple[int, int]], seed: int
) -> dict[tuple[int, int], Counter[Path]]:
    """Draw every pair many times, all in one batch and in a mixed order."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(np.repeat(np.arange(len(pairs)), DRAWS))
    sources, destinations = np.array(pairs, dtype=np.int64)[order].T
    batch = routing.sample_paths(network, sources, destinations, generator)
    assert len(batch) == len(order)
    found: dict[tuple[int, int], Counter[Path]] = {pair: Counter() for pair in pairs}
    for index, place in enumerate(order.tolist()):
        found[pairs[place]][batch.path(index)] += 1
    return found


def excess(drawn: Counter[Path], distribution: dict[Path, Fraction]) -> float:
    """Return χ² over the value that chance exceeds with probability 1e-7; right if at most 1.

    Paths that should come fewer than five times are taken together.
    """
    draws = drawn.total()
    cells = [(float(p) * draws, drawn[path]) for path, p in distribution.items()]
    often = sorted(cell for cell in cells if cell[0] >= 5)
    rest = [cell for cell in cells if cell[0] < 5]
    if rest:
        together = (sum(mean for mean, _ in rest), sum(count for _, count in rest))
        if together[0] < 5 and often:
            first = often.pop(0)
            together = (together[0] + first[0], together[1] + first[1])
        often.append(together)
    if len(often) < 2:
        return 0.0
    statistic = sum((count - mean) ** 2 / mean for mean, count in often)
    return float(statistic / chi2.isf(CHANCE, len(often) - 1))


# ------------------------------------------------------------------------------------ batches


def test_every_registered_routing_is_drawn_here() -> None:
    """The examples name every routing, so that none escapes this file."""
    named = {case.routing.partition(":")[0] for case in cases.all_cases()}
    assert named >= {entry.name for entry in routings if entry.small} - cases.BY_PROGRAMS


@for_every_case
def test_drawn_paths_follow_the_distribution(case: Case) -> None:
    """Only paths of the support come, the likely ones all do, and in the right proportion."""
    network, routing = case.network, case.routing
    for pair, drawn in drawn_by_pair(network, routing, some_pairs(network), seed=5).items():
        distribution = case.distributions[pair]
        assert set(drawn) <= set(distribution)
        assert set(drawn) >= {path for path, p in distribution.items() if p * 25 >= 1}
        assert excess(drawn, distribution) <= 1


@for_every_case
def test_drawn_paths_are_possible_for_every_pair(case: Case) -> None:
    """One of each pair, all in one batch: a path of that pair."""
    sources, destinations = np.array(case.pairs, dtype=np.int64).T
    batch = case.routing.sample_paths(
        case.network, sources, destinations, np.random.default_rng(2)
    )
    for index, pair in enumerate(case.pairs):
        assert batch.path(index) in case.distributions[pair]


@pytest.mark.parametrize(
    "case", cases.parameters(cases.one_of_each()), indirect=True, scope="module"
)
def test_equal_seeds_draw_equal_paths(case: Case) -> None:
    """Again, and by a routing made anew; the arrays have the types that the simulator expects.

    No pairs draw no paths: an empty batch has one start and no channel.
    """
    network, routing = case.network, case.routing
    pairs = np.array(some_pairs(network) * 20, dtype=np.int64).T
    batches = [
        made.sample_paths(network, *pairs, np.random.default_rng(8))
        for made in (routing, routing, make_routing(routing.name))
    ]
    for batch in batches:
        assert batch.starts.tolist() == batches[0].starts.tolist()
        assert batch.channels.tolist() == batches[0].channels.tolist()
        assert (batch.starts.dtype, batch.channels.dtype) == (np.int64, np.int32)
    nobody = np.zeros(0, dtype=np.int64)
    batch = routing.sample_paths(network, nobody, nobody, np.random.default_rng(0))
    assert (len(batch), batch.starts.tolist(), batch.channels.tolist()) == (0, [0], [])


@pytest.mark.parametrize("routing", ["dor", "o1turn", "romm", "rlb", "rlbth", "ecmp"])
def test_minimal_routings_stay_where_they_are(routing: str) -> None:
    """From a node to itself the batch is the support: the empty path alone."""
    for spec in ("torus:4x3", "torus:2x4", "ring:6", "hypercube:3"):
        network = cases.network_of(spec)
        nodes = np.arange(network.node_count)
        batch = make_routing(routing).sample_paths(network, nodes, nodes, np.random.default_rng(1))
        assert batch.lengths.tolist() == [0] * network.node_count, spec


@pytest.mark.parametrize("name", ["valiant", "ival", "valiant:ties=positive"])
def test_from_a_node_to_itself_the_whole_support_is_drawn(name: str) -> None:
    """Valiant's routing goes to every intermediate and back; IVAL removes that loop."""
    routing, count = make_routing(name), 2500
    for spec in ("torus:4x3", "torus:2x4", "ring:6", "mesh:3x4"):
        network = cases.network_of(spec)
        node = network.node_count - 1
        ends = np.full((2, count), node)
        batch = routing.sample_paths(network, *ends, np.random.default_rng(6))
        drawn = Counter(batch.path(index) for index in range(count))
        support = path_distribution(routing, network, node, node)
        assert set(drawn) == set(support), spec
        assert excess(drawn, support) <= 1, spec
        assert (len(support) == 1) == name.startswith("ival"), spec


def test_other_seeds_draw_other_paths() -> None:
    """Of 200 packets some differ between any two of three seeds."""
    torus, romm = make_network("torus:4x4"), make_routing("romm")
    ends = np.zeros(200, dtype=np.int64), np.full(200, 10)
    drawn = [
        romm.sample_paths(torus, *ends, np.random.default_rng(seed)).channels.tolist()
        for seed in range(3)
    ]
    assert drawn[0] != drawn[1] != drawn[2] != drawn[0]


def test_the_bound_on_frequencies_tells_similar_routings_apart() -> None:
    """With the same support and other weights, χ² exceeds the bound by far."""
    torus = make_network("torus:4x3")
    drawn = drawn_by_pair(torus, make_routing("1/2*dor+1/2*ival"), [(0, 7)], seed=5)[0, 7]
    right = path_distribution(make_routing("1/2*dor+1/2*ival"), torus, 0, 7)
    wrong = path_distribution(make_routing("3/4*dor+1/4*ival"), torus, 0, 7)
    assert set(right) == set(wrong)
    assert excess(drawn, right) <= 1 < excess(drawn, wrong)


@pytest.mark.parametrize("spec", ["dor", "romm", "valiant", "ival"])
def test_one_path_is_drawn_like_a_batch_of_one(spec: str) -> None:
    """The two ways to draw agree for equal generators."""
    torus, routing = make_network("torus:4x4"), make_routing(spec)
    for seed in range(20):
        alone = routing.sample_path(torus, 1, 11, np.random.default_rng(seed))
        generator = np.random.default_rng(seed)
        batch = routing.sample_paths(torus, np.array([1]), np.array([11]), generator)
        assert batch.path(0) == alone


# -------------------------------------------------------------------------- the plan sampler


class Extreme:
    """A generator at the ends of its interval."""

    def __init__(self, value: float) -> None:
        self.value = value

    def random(self, count: int) -> Any:
        """Return the value that many times."""
        return np.full(count, self.value)


@pytest.mark.parametrize("value", [0.0, np.nextafter(1.0, 0.0)], ids=["lowest", "highest"])
@pytest.mark.parametrize("spec", ["dor", "romm", "valiant"])
def test_the_ends_of_the_random_interval_draw_plans_of_the_pair(spec: str, value: float) -> None:
    """The smallest and the largest double below one draw the pair's first and last plan."""
    for radix, wrap in ((2, False), (5, True), (8, True), (9, False)):
        check_ends(on_grids(spec), radix, wrap, value)


def on_grids(spec: str) -> Any:
    """Give what a routing is on grids."""
    made = make_routing(spec)
    return made.on(make_network("ring:4")) if isinstance(made, ByFamily) else made


def check_ends(routing: Any, radix: int, wrap: bool, value: float) -> None:
    """Draw a plan for every pair of a ring or line at an end of the random interval."""
    sampler = PlanSampler.build(routing.plans, radix, wrap)
    start, end = np.divmod(np.arange(radix * radix), radix)
    drawn = np.stack(sampler.draw(start, end, Extreme(value)), axis=1).tolist()
    for s, t, found in zip(start.tolist(), end.tolist(), drawn, strict=True):
        offset = s if wrap else 0
        plans = routing.plans(radix, wrap, s - offset, (t - offset) % radix)
        expected = plans[0 if value == 0 else -1]
        assert found == [(expected.intermediate + offset) % radix, *expected[2:]]


# --------------------------------------------------------------------------------- the batch

path_lists = st.lists(st.lists(st.integers(0, 1000), max_size=5).map(tuple), max_size=12)


@given(path_lists)
def test_a_batch_gives_back_the_paths_that_were_put_in(paths: list[Path]) -> None:
    """In order, with their lengths, and as plain integers."""
    batch = PathBatch.of(paths)
    assert len(batch) == len(paths)
    assert [batch.path(index) for index in range(len(batch))] == paths
    assert batch.lengths.tolist() == [len(path) for path in paths]
    assert batch.starts.tolist() == [0, *np.cumsum(batch.lengths).tolist()]
    assert all(type(channel) is int for path in paths for channel in path)


def test_a_batch_reads_its_paths_once() -> None:
    """A generator will do."""
    batch = PathBatch.of(path for path in [(1,), (), (2, 3)])
    assert batch.channels.tolist() == [1, 2, 3]
