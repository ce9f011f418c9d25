"""Every routing on every network: one shared suite, against the definition and against the twin.

A routing or a family of networks that is registered takes part with its small members, and fails
the suite if it has none. What paths and loads are is held for every case; what a class alone
decides, for one case of each routing and of each network.
"""

from __future__ import annotations

import itertools
import pickle
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import sqrt
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest
from tests.support import cases, reference
from tests.support.cases import (
    COMBINATIONS,
    FROM_FILES,
    NETWORKS,
    ROUTINGS,
    Case,
    Named,
    added,
    case_of,
)
from tests.support.deadlock_twin import check_verdict

from obroute import InputError, Network, Routing, make_network, make_pattern, make_routing
from obroute.deadlock import PathSet, check_deadlock
from obroute.generators import Generators
from obroute.network import Path
from obroute.rational import SparseRationalMatrix
from obroute.registry import Entry
from obroute.routing import path_distribution, routings
from obroute.topologies import networks
from obroute.topologies.grid import Grid
from obroute.traffic import patterns
from obroute.traffic.registry import defined_patterns


@pytest.fixture(scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    """Make the case of a test, each once; tests of one case stand together."""
    return case_of(request.param.network, request.param.routing)


for_every_case = pytest.mark.parametrize(
    "case", cases.parameters(cases.all_cases()), indirect=True, scope="module"
)
for_one_of_each = pytest.mark.parametrize(
    "case", cases.parameters(cases.one_of_each()), indirect=True, scope="module"
)


class Definition(Routing):
    """A routing stripped of every shortcut: only its paths are left."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self.name, self.drawn = case.routing.name, case.drawn

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of the routing."""
        yield from self.drawn[source, destination]


@cache
def definition_of(case: Case) -> Definition:
    """Strip the routing of a case, each once: what it sums serves many tests."""
    return Definition(case)


class Declared(Definition):
    """A plain routing: only its paths, and the symmetries that it respects; it counts listings."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.routing, self.listed = case.routing, 0

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of the routing."""
        self.listed += 1
        yield from super().paths(network, source, destination)

    def symmetries(self, network: Network) -> Generators:
        """Return those of the routing."""
        return self.routing.symmetries(network)


# ----------------------------------------------------------------------------------- the suite


def test_every_family_takes_part() -> None:
    """What is registered brings small members, or is read from a file that is written here."""
    assert {entry.name for entry in networks} == {spec.partition(":")[0] for spec in NETWORKS}
    assert {entry.name for entry in routings if not entry.small} == set(FROM_FILES)
    assert {case.routing for case in cases.all_cases()} >= {*ROUTINGS, *COMBINATIONS}
    assert {case.network for case in cases.all_cases()} == {*NETWORKS, cases.FABRIC, cases.GEM5}


@for_every_case
def test_paths_are_a_distribution_over_walks_from_source_to_destination(case: Case) -> None:
    """A packet takes exactly one path; its channels leave the node that the one before enters."""
    for paths in case.drawn.values():
        assert all(isinstance(probability, Fraction) for probability, _ in paths)
        assert all(probability > 0 for probability, _ in paths)
        assert sum(probability for probability, _ in paths) == 1
    tail, head = case.network.tail.tolist(), case.network.head.tolist()
    for (source, destination), distribution in case.distributions.items():
        for path in distribution:
            assert all(head[before] == tail[after] for before, after in pairwise(path))
            if path:
                assert (tail[path[0]], head[path[-1]]) == (source, destination)
            else:
                assert source == destination


@for_every_case
def test_no_path_breaks_the_bounds_that_its_routing_declares(case: Case) -> None:
    """How often a path crosses a channel, and how long it is: intervals of samples rest on it."""
    paths = [path for distribution in case.distributions.values() for path in distribution]
    crossings = max(max(map(path.count, path), default=0) for path in paths)
    assert crossings <= case.routing.most_crossings(case.network)
    longest = case.routing.longest_path(case.network)
    if longest is not None:
        assert max(map(len, paths)) <= longest
    if case.routing.takes_shortest_paths:
        assert longest == max(map(len, paths))


@for_one_of_each
def test_path_distribution_adds_equal_paths(case: Case) -> None:
    """It holds each path once, the most probable first."""
    pair = max(case.pairs, key=lambda pair: len(case.drawn[pair]))
    found = path_distribution(case.routing, case.network, *pair)
    assert found == case.distributions[pair]
    assert list(found.values()) == sorted(found.values(), reverse=True)


@for_every_case
def test_shortest_path_routings_take_shortest_paths(case: Case) -> None:
    """Those that say so; the others take longer ones somewhere or nowhere, but no shorter."""
    shortest = case.routing.takes_shortest_paths
    for source in case.network.sources.tolist():
        hops = hops_from(case.network, source)
        for destination in case.network.destinations.tolist():
            for path in case.distributions[source, destination]:
                assert len(path) >= hops[destination]
                assert not shortest or len(path) == hops[destination]


def hops_from(network: Network, source: int) -> dict[int, int]:
    """Search breadth first."""
    channels = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    hops, queue = {source: 0}, [source]
    for node in queue:
        for tail, head in channels:
            if tail == node and head not in hops:
                hops[head] = hops[node] + 1
                queue.append(head)
    return hops


@for_every_case
def test_pair_loads_are_those_of_the_definition(case: Case) -> None:
    """Shortcut, default and a sum written out agree in every entry of every channel."""
    network = case.network
    written_out = summed(case)
    for channel in range(network.channel_count):
        default = Routing.pair_loads(definition_of(case), network, channel)
        assert entries(default) == written_out[channel]
        assert case.routing.pair_loads(network, channel).equals(default)


def summed(case: Case) -> list[dict[tuple[int, int], Fraction]]:
    """Sum the probabilities over the channels of each path: by channel, the non-zero entries."""
    network = case.network
    loads: list[dict[tuple[int, int], Fraction]] = [{} for _ in range(network.channel_count)]
    for (source, destination), paths in case.drawn.items():
        at = (int(network.source_index[source]), int(network.destination_index[destination]))
        for probability, path in paths:
            for channel in path:
                loads[channel][at] = loads[channel].get(at, Fraction(0)) + probability
    return loads


def entries(matrix: SparseRationalMatrix) -> dict[tuple[int, int], Fraction]:
    """Give the non-zero entries by place."""
    places = zip(matrix.rows.tolist(), matrix.columns.tolist(), strict=True)
    return dict(zip(places, matrix.values.fractions(), strict=True))


@for_every_case
def test_symmetry_finds_the_same_loads_from_one_pair_of_every_orbit(case: Case) -> None:
    """Bit for bit those of the definition, which lists all pairs; each orbit is listed once."""
    network, declared, definition = case.network, Declared(case), definition_of(case)
    for channel in range(network.channel_count):
        found = declared.pair_loads(network, channel)
        default = definition.pair_loads(network, channel)
        assert found.shape == default.shape
        for name in ("rows", "columns"):
            assert np.array_equal(getattr(found, name), getattr(default, name))
        assert found.values.denominator == default.values.denominator
        assert np.array_equal(found.values.numerators, default.values.numerators)
    assert declared.listed == count_orbits(case)
    chosen = np.random.default_rng(4).integers(len(case.pairs), size=10)
    ends = np.array(case.pairs, dtype=np.int64)[chosen].T
    assert declared.channel_loads(network, *ends).equals(definition.channel_loads(network, *ends))
    if declared.symmetries(network):
        assert declared.listed == count_orbits(case)  # what was listed is remembered


def count_orbits(case: Case) -> int:
    """Count the orbits of pairs by going through all of them."""
    images = case.routing.symmetries(case.network).values()
    left, count = set(case.pairs), 0
    while left:
        reached = [left.pop()]
        count += 1
        for source, destination in reached:
            for image in images:
                pair = (int(image[source]), int(image[destination]))
                if pair in left:
                    left.remove(pair)
                    reached.append(pair)
    return count


@for_every_case
def test_channel_loads_are_those_of_the_definition(case: Case) -> None:
    """Shortcut and default agree for any list of pairs: in any order, repeated, or none."""
    network = case.network
    chosen = np.random.default_rng(3).integers(len(case.pairs), size=40)
    sources, destinations = np.array(case.pairs, dtype=np.int64)[chosen].T
    default = Routing.channel_loads(Definition(case), network, sources, destinations)
    found = case.routing.channel_loads(network, sources, destinations)
    assert found.shape == (40, network.channel_count)
    assert found.equals(default)
    nobody = np.zeros(0, dtype=np.int64)
    none = case.routing.channel_loads(network, nobody, nobody)
    assert (none.shape, none.nonzeros) == ((0, network.channel_count), 0)


@for_every_case
def test_declared_symmetries_are_respected(case: Case) -> None:
    """The distribution of the image of a pair is the image of the distribution."""
    for name, image in case.routing.symmetries(case.network).items():
        channels = case.network.channel_image(image).tolist()
        for (source, destination), distribution in case.distributions.items():
            moved = {
                tuple(channels[channel] for channel in path): probability
                for path, probability in distribution.items()
            }
            assert case.distributions[int(image[source]), int(image[destination])] == moved, name


@for_one_of_each
def test_virtual_channels_by_hop_and_by_search_are_free_of_deadlock(case: Case) -> None:
    """Each numbering rises along every path; the search takes no more than the longest path."""
    paths = PathSet.of_routing(case.network, case.routing)
    held = [batch.path(place) for batch in paths.batches() for place in range(len(batch))]
    taken = {p for (s, d), paths in case.distributions.items() if s != d for p in paths}
    assert len(held) == len(taken)
    assert set(held) == taken
    for scheme in ("hops", "found"):
        verdict = check_deadlock(case.network, paths, paths.longest, scheme)
        assert verdict.deadlock_free
        check_verdict(case.network, verdict)


@for_one_of_each
def test_one_path_drawn_at_a_time_follows_the_distribution(case: Case) -> None:
    """Only possible paths are drawn, and each channel is crossed as often as it should be."""
    draws = 150
    generator = np.random.default_rng(11)
    richest = max(case.pairs, key=lambda pair: len(case.distributions[pair]))
    drawn = [case.routing.sample_path(case.network, *richest, generator) for _ in range(draws)]
    distribution = case.distributions[richest]
    assert set(drawn) <= set(distribution)
    if len(distribution) > 1:
        assert len(set(drawn)) > 1
    for channel in {channel for path in distribution for channel in path}:
        mean = float(sum(p * path.count(channel) for path, p in distribution.items()))
        square = float(sum(p * path.count(channel) ** 2 for path, p in distribution.items()))
        error = sqrt(draws * max(square - mean**2, 0))
        crossed = sum(path.count(channel) for path in drawn)
        assert abs(crossed - draws * mean) <= 4.5 * error + 1


@for_one_of_each
def test_a_routing_s_name_makes_it_again(case: Case) -> None:
    """The name survives, and so do the loads."""
    again = make_routing(case.routing.name)
    assert again.name == case.routing.name
    loads = case.routing.pair_loads(case.network, 0)
    assert again.pair_loads(case.network, 0).equals(loads)


@for_one_of_each
def test_routing_and_network_survive_pickling(case: Case) -> None:
    """As Dask sends them to a worker, after they were used."""
    loads = case.routing.pair_loads(case.network, 0)
    network, routing = pickle.loads(pickle.dumps((case.network, case.routing)))
    assert (network.name, routing.name) == (case.network.name, case.routing.name)
    assert routing.pair_loads(network, 0).equals(loads)
    pair = case.pairs[-1]
    assert added(list(routing.paths(network, *pair))) == case.distributions[pair]


def test_a_network_s_name_makes_it_again(subtests: pytest.Subtests) -> None:
    """The name survives, and so do channels, bandwidths, labels and terminals."""
    for spec in (cases.FABRIC, *NETWORKS):
        with subtests.test(spec):
            network = cases.network_of(spec)
            again = make_network(network.name)
            assert (again.name, again.labels) == (network.name, network.labels)
            assert again.tail.tolist() == network.tail.tolist()
            assert again.head.tolist() == network.head.tolist()
            assert again.bandwidth.fractions() == network.bandwidth.fractions()
            assert again.injection.fractions() == network.injection.fractions()


PATTERNS = [spec for entry in patterns for spec in entry.small]
PATTERNS_FROM_FILES = {
    "permutation": "permutation:PLACE",
    "matrix": "matrix:PLACE",
    "matrices": "matrices:PLACE",
}


def test_every_pattern_takes_part() -> None:
    """What is registered brings small members, or is read from a file that is written here."""
    assert {entry.name for entry in patterns if not entry.small} == set(PATTERNS_FROM_FILES)


@pytest.mark.parametrize("spec", [*PATTERNS, *PATTERNS_FROM_FILES.values()])
def test_a_pattern_s_name_makes_it_again(spec: str, tmp_path: FilePath) -> None:
    """The same traffic; one that says destinations is a permutation of all sources."""
    file = tmp_path / "given.csv"
    lines = [f"{15 - node}" for node in range(16)]
    if spec.startswith("matrices"):
        ends = itertools.product(range(16), repeat=2)
        lines = [" ".join(str(int(source + target == 15)) for source, target in ends)]
    elif spec.startswith("matrix"):
        lines = ["source,destination,amount", *(f"{node},{15 - node},1" for node in range(16))]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    pattern = make_pattern(spec.replace("PLACE", str(file)))
    again = make_pattern(pattern.name)
    assert (again.name, again.is_uniform) == (pattern.name, pattern.is_uniform)
    network = next(
        n for n in ("torus:4x4", *NETWORKS) if defined_patterns([pattern.name], make_network(n))
    )
    assert pattern.amounts(make_network(network)).equals(again.amounts(make_network(network)))
    if pattern.destinations is not None or spec in PATTERNS_FROM_FILES.values():
        found = pattern.permutation(make_network(network)).tolist()
        assert sorted(found) == list(range(len(found)))


@pytest.mark.parametrize(
    "routing",
    [entry for entry in routings if entry.small and entry.name not in cases.BY_PROGRAMS],
    ids=lambda entry: entry.name,
)
def test_a_routing_is_refused_elsewhere_with_what_it_is_defined_for(
    routing: Entry[Routing],
) -> None:
    """The error names the routing, the network, and where it is defined."""
    found = make_routing(routing.small[0])
    refused = [n for n in NETWORKS if not cases.is_defined(n, routing.small[0])]
    for network in map(make_network, refused):
        with pytest.raises(
            InputError, match=f"{routing.name}.* not defined on {re.escape(network.name)}"
        ) as caught:
            found.check(network)
        assert routing.defined_for.partition(" (")[0] in str(caught.value)
        with pytest.raises(InputError, match=f"not defined on {re.escape(network.name)}"):
            list(found.paths(network, int(network.sources[0]), int(network.destinations[-1])))
    assert refused or routing.defined_for in ("every network", "")


@pytest.mark.parametrize("routing", ["rlb", "rlbth"])
def test_local_balance_is_refused_on_a_line(routing: str) -> None:
    """A line of more than two nodes has no long way round."""
    with pytest.raises(InputError, match=r"mesh:2x3: dimension 1 has no long way round"):
        make_routing(routing).check(make_network("mesh:2x3"))


@pytest.mark.parametrize("routing", ["dor", "romm", "valiant", "ival", "rlb", "rlbth"])
def test_an_order_of_other_dimensions_is_refused(routing: str) -> None:
    """Both numbers are in the message."""
    with pytest.raises(InputError, match="order 1-0-2 names 3 dimensions, the network has 2"):
        make_routing(f"{routing}:order=1-0-2").check(make_network("torus:3x3"))


@pytest.mark.parametrize("order", ["0-0", "1-2", "sideways", "0-1-", "1,0"])
def test_an_order_that_is_none_is_refused(order: str) -> None:
    """Every dimension comes once."""
    with pytest.raises(InputError, match=r"order|expected"):
        make_routing(f"dor:order={order}")


def test_an_order_may_have_more_than_ten_dimensions() -> None:
    """Dimension 10 sorts after 9."""
    order = "-".join(str(d) for d in reversed(range(11)))
    routing = make_routing(f"dor:order={order}")
    cube = make_network("hypercube:11")
    ((probability, path),) = routing.paths(cube, 0, 2**11 - 1)
    assert probability == 1
    assert cube.path_nodes(0, path) == tuple(2**d - 1 for d in range(12))


def test_random_order_of_ival_is_refused_in_many_dimensions() -> None:
    """The terms would be too many to enumerate; the message says what works."""
    with pytest.raises(InputError, match="at most 6 dimensions"):
        make_routing("ival:order=random").check(make_network("hypercube:7"))
    make_routing("ival").check(make_network("hypercube:7"))


# ------------------------------------------------------------------------------------ the twin


def twin_options(routing: str) -> dict[str, Any] | None:
    """Read a routing's parameters as the twin takes them; None where it has no such variant."""
    name, _, text = routing.partition(":")
    options: dict[str, Any] = dict(piece.split("=") for piece in text.split(",") if piece)
    if name in ("romm", "rlb", "rlbth"):
        return None if options.get("order", "random") not in ("random", "fixed") else options
    if options.get("order") == "random" or not options.keys() <= {"order", "ties"}:
        return None
    if "order" in options:
        options["order"] = tuple(int(d) for d in options["order"].split("-"))
    return options


def has_twin(case: Named) -> bool:
    """Say whether the twin has a routing, on a grid."""
    return (
        case.routing.partition(":")[0] in reference.ROUTINGS
        and isinstance(cases.network_of(case.network), Grid)
        and case.routing not in COMBINATIONS
        and twin_options(case.routing) is not None
    )


@pytest.mark.parametrize(
    ("named", "case"),
    [
        pytest.param(*[*given.values] * 2, id=given.id, marks=given.marks)
        for given in cases.parameters([case for case in cases.all_cases() if has_twin(case)])
    ],
    indirect=["case"],
    scope="module",
)
def test_grid_routing_has_the_paths_of_the_twin(case: Case, named: Named) -> None:
    """Every path of every pair, with its probability, as nodes visited."""
    network = case.network
    assert isinstance(network, Grid)
    options = twin_options(named.routing)
    assert options is not None
    for (source, destination), distribution in case.distributions.items():
        found = {
            network.path_nodes(source, path): probability
            for path, probability in distribution.items()
        }
        name = named.routing.partition(":")[0]
        assert found == reference.paths(
            network.radices, network.wraps, name, source, destination, **options
        )


@pytest.mark.parametrize(
    "case",
    cases.parameters([case for case in cases.all_cases() if case.routing.startswith("ecmp")]),
    indirect=True,
    scope="module",
)
def test_ecmp_has_the_paths_of_the_twin(case: Case) -> None:
    """Every shortest path of any digraph, parallel channels apart, as channels crossed."""
    edges = list(zip(case.network.tail.tolist(), case.network.head.tolist(), strict=True))
    split = case.routing.name.partition("=")[2] or "paths"
    widths = case.network.bandwidth.fractions()
    for (source, destination), distribution in case.distributions.items():
        assert distribution == reference.ecmp_paths(
            edges, source, destination, split=split, widths=widths
        )


def test_ival_visits_no_node_twice() -> None:
    """Loops are gone; Valiant's routing, on the same network, has some."""
    for spec, (routing, without_loops) in product(
        ("torus:3x3", "torus:4x3", "mesh:2x2x3"), (("ival", True), ("valiant", False))
    ):
        case = case_of(spec, routing)
        repeats = [
            len(set(nodes)) < len(nodes)
            for pair, distribution in case.distributions.items()
            for nodes in (case.network.path_nodes(pair[0], path) for path in distribution)
        ]
        assert any(repeats) != without_loops, f"{routing} on {spec}"
