"""Every routing on every network: one shared suite, against the definition and against the twin.

A routing or a family of networks that is registered takes part as soon as it has an example here,
and fails the suite until then.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise, product
from math import sqrt
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest
from tests.support import reference
from tests.support.deadlock_twin import check_verdict

from obroute import InputError, Network, Routing, make_network, make_pattern, make_routing
from obroute.deadlock import PathSet, check_deadlock
from obroute.design import design
from obroute.importers import importers
from obroute.network import Path
from obroute.rational import IntArray, SparseRationalMatrix
from obroute.results import design_dataset, write_store
from obroute.routing import path_distribution, routings
from obroute.topologies import networks
from obroute.topologies.grid import Grid
from obroute.traffic import patterns

NETWORKS = {
    "torus": [
        "torus:3x3",
        "torus:4x3",
        "torus:2x4",
        "torus:4x4",
        "torus:3x3x3",
        "torus:4x3,bandwidth=2/3",
    ],
    "mesh": ["mesh:3x4", "mesh:2x2x3", "mesh:2x3x3"],
    "ring": ["ring:2", "ring:5", "ring:6"],
    "hypercube": ["hypercube:1", "hypercube:3"],
    "complete": ["complete:4"],
    "butterfly": ["butterfly:1", "butterfly:3"],
    "benes": ["benes:1", "benes:2,bandwidth=3/2"],
}
TRIED_QUICKLY = {
    "torus:3x3",
    "torus:4x3,bandwidth=2/3",
    "mesh:3x4",
    "ring:2",
    "ring:5",
    "hypercube:3",
    "complete:4",
    "butterfly:1",
    "benes:1",
}
"""Networks on which every routing is held to the suite in the quick tests; the others are slow."""
LARGER = {"torus:4x4", "torus:3x3x3", "mesh:2x3x3", "torus:4x3,bandwidth=2/3"}
"""Networks on which only routings of few paths are quick, or need to be tried."""

THREE_DIMENSIONAL = {"mesh:2x2x3", "hypercube:3"}

ROUTINGS = {
    "dor": ["dor", "dor:order=1-0", "dor:order=random", "dor:ties=positive"],
    "o1turn": ["o1turn", "o1turn:ties=positive"],
    "romm": ["romm", "romm:order=fixed", "romm:order=1-0", "romm:ties=positive"],
    "valiant": ["valiant", "valiant:order=random", "valiant:order=1-0,ties=positive"],
    "ival": ["ival", "ival:order=random", "ival:order=1-0,ties=positive"],
    "rlb": ["rlb", "rlb:order=fixed"],
    "rlbth": ["rlbth", "rlbth:order=fixed"],
    "ecmp": ["ecmp", "ecmp:split=hops", "ecmp:split=bandwidth"],
    "bit_fixing": ["bit_fixing", "bit_fixing:order=2-0-1"],
    "two_phase": ["two_phase"],
    "2turn": ["2turn"],
    "2turna": ["2turna:samples=5,seed=2,symmetry=translations"],
    "optimal": [
        "optimal:locality=5/4",
        "optimal:load=4",
        "optimal:objective=average_case,paths=minimal,samples=5,seed=3",
        "optimal:symmetry=translations,then=none",
    ],
    # the files stand in the folder that the tests fill
    "table": ["table:paths", "table:flows"],
    "designed": ["designed:best"],
}
DESIGNS = {spec for name in ("2turn", "2turna", "optimal") for spec in ROUTINGS[name]}
DESIGNED_QUICKLY = {"torus:3x3", "ring:5", "mesh:3x4", "hypercube:3", "butterfly:1"}
"""Networks on which designs are held to the suite in the quick tests; on the others, too slow."""
FROM_FILES = ("table", "designed")
COMBINATIONS = ["1/3*dor+2/3*ival", "1/4*ecmp+3/4*romm:order=fixed"]
MANY_PATHS = {"valiant:order=random", "ival:order=random", "romm:ties=positive"}
"""Routings that are quick in at most two dimensions."""
TOO_MANY_PATHS = {*MANY_PATHS, *DESIGNS, "rlb", "rlbth", "romm", "ival:order=1-0,ties=positive"}
"""Routings that take minutes to enumerate on torus:3x3x3; values.yaml has some of them there."""
FEW_PATHS = {"dor", "dor:order=1-0", "dor:order=random", "o1turn", *ROUTINGS["ecmp"]}

NO_GRID_ROUTINGS = {"ecmp", "table", "bit_fixing", "two_phase", "optimal", "designed"}
"""Routings that are defined everywhere, or not on all grids."""

SHORTEST_PATHS = {"dor", "o1turn", "romm", "ecmp", "bit_fixing"}
LONGER_PATHS = {"valiant", "ival", "rlb", "rlbth", "table", "two_phase"}
LONGER_PATHS |= {"2turn", "2turna", "optimal", "designed"}

FABRIC = """tail,head,bandwidth
a,x,2
x,a,2
b,x,1
x,b,1
c,y,3/2
y,c,3/2
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
HOSTS = "node,injection,ejection\na,2,1\nb,1,1\nc,1,2\n"


# ------------------------------------------------------------------------------------ examples


def all_cases() -> Iterator[Any]:
    """Give every supported example of a network and a routing; long ones are marked slow."""
    for network in (spec for specs in NETWORKS.values() for spec in specs):
        for routing in [r for specs in ROUTINGS.values() for r in specs] + COMBINATIONS:
            if not routing.startswith(FROM_FILES):
                try:
                    make_routing(routing).check(make_network(network))
                except InputError:
                    continue
            elif network in LARGER:
                continue
            if network == "torus:3x3x3" and routing in TOO_MANY_PATHS:
                continue
            slow = (network in LARGER and routing not in FEW_PATHS) or (
                network in THREE_DIMENSIONAL and routing in MANY_PATHS
            )
            slow |= routing in DESIGNS and network not in DESIGNED_QUICKLY
            slow |= network not in TRIED_QUICKLY
            yield pytest.param(
                network,
                routing,
                id=f"{network}-{routing}",
                marks=[pytest.mark.slow] if slow else [],
            )
    for routing in [*ROUTINGS["ecmp"], *ROUTINGS["table"], *ROUTINGS["designed"]]:
        yield pytest.param("fabric", routing, id=f"fabric-{routing}")


CASES = list(all_cases())
for_every_case = pytest.mark.parametrize(("network_spec", "routing_spec"), CASES)


class Case:
    """A network, a routing, and the path distributions of all pairs, enumerated once."""

    def __init__(self, network: Network, routing: Routing) -> None:
        self.network, self.routing = network, routing
        self.pairs = list(product(network.sources.tolist(), network.destinations.tolist()))
        self.drawn = {pair: list(routing.paths(network, *pair)) for pair in self.pairs}
        self.distributions = {pair: added(paths) for pair, paths in self.drawn.items()}

    @cached_property
    def definition(self) -> Definition:
        """The routing by its paths alone; what it sums once serves many tests."""
        return Definition(self)


def added(paths: list[tuple[Fraction, Path]]) -> dict[Path, Fraction]:
    """Add the probabilities of equal paths."""
    found: dict[Path, Fraction] = {}
    for probability, path in paths:
        found[path] = found.get(path, Fraction(0)) + probability
    return found


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

    def symmetries(self, network: Network) -> dict[str, IntArray]:
        """Return those of the routing."""
        return self.routing.symmetries(network)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> FilePath:
    """Write the edge list."""
    folder = tmp_path_factory.mktemp("routings")
    (folder / "fabric.csv").write_text(FABRIC, encoding="utf-8")
    (folder / "hosts.csv").write_text(HOSTS, encoding="utf-8")
    return folder


@cache
def network_of(spec: str, folder: FilePath) -> Network:
    """Make a network, each once."""
    if spec == "fabric":
        return make_network(f"{folder}/fabric.csv:terminals={folder}/hosts.csv")
    return make_network(spec)


@cache
def case_of(network_spec: str, routing_spec: str, folder: FilePath) -> Case:
    """Make a case, each once: its paths serve many tests."""
    network = network_of(network_spec, folder)
    if not routing_spec.startswith(FROM_FILES):
        return Case(network, make_routing(routing_spec))
    if routing_spec.startswith("designed:"):
        store = folder / f"{re.sub('[^a-z0-9]', '-', network_spec)}.zarr"
        return Case(network, stored_design(store, network))
    flows = routing_spec == "table:flows"
    file = folder / f"{routing_spec[6:]}-{re.sub('[^a-z0-9]', '-', network_spec)}.csv"
    write_table(file, network, "ecmp:split=hops" if flows else "ecmp", flows)
    return Case(network, make_routing(f"table:{file}"))


def stored_design(store: FilePath, network: Network) -> Routing:
    """Design for a network, write the store, and read it."""
    write_store(design_dataset(design(network, then="locality")), store)
    return make_routing(f"designed:{store}")


def write_table(file: FilePath, network: Network, routing: str, flows: bool) -> None:
    """Write a routing as a table of paths or of channel flows."""
    lines = ["source,destination," + ("tail,head,flow" if flows else "probability,path")]
    name = network.labels or [str(node) for node in range(network.node_count)]
    head = [
        name[network.head[c]] + ("" if network.port(c) is None else f"#{network.port(c)}")
        for c in range(network.channel_count)
    ]
    for source, destination in product(network.sources, network.destinations):
        found = path_distribution(make_routing(routing), network, int(source), int(destination))
        ends = f"{name[source]},{name[destination]}"
        for path, probability in found.items():
            if flows:
                lines += [f"{ends},{name[network.tail[c]]},{head[c]},{probability}" for c in path]
            else:
                nodes = " ".join([name[source], *(head[c] for c in path)])
                lines.append(f"{ends},{probability},{nodes}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def case(network_spec: str, routing_spec: str, folder: FilePath) -> Case:
    """Make the case of a test."""
    return case_of(network_spec, routing_spec, folder)


# ----------------------------------------------------------------------------------- the suite


def test_every_family_of_networks_has_an_example() -> None:
    """Register a family, and this table wants an example of it."""
    assert set(NETWORKS) == set(networks.entries)
    for family, specs in NETWORKS.items():
        assert {spec.partition(":")[0] for spec in specs} == {family}
    assert set(importers.entries) == {"csv"}, "give the new file format a case beside the fabric"


def test_every_routing_has_an_example_and_a_class() -> None:
    """Register a routing, and this table wants an example, and whether its paths are shortest."""
    assert set(ROUTINGS) == set(routings.entries)
    for name, specs in ROUTINGS.items():
        assert {spec.partition(":")[0] for spec in specs} == {name}
    assert set(routings.entries) == SHORTEST_PATHS | LONGER_PATHS
    tested = {case.values[1] for case in CASES}
    assert tested >= {spec for specs in ROUTINGS.values() for spec in specs}


def test_every_parameter_has_an_example() -> None:
    """A parameter of a routing occurs in an example of it."""
    for entry in routings:
        for parameter in entry.parameters:
            if not parameter.required:
                assert any(f"{parameter.name}=" in spec for spec in ROUTINGS[entry.name])


@for_every_case
def test_probabilities_are_positive_and_sum_to_one(case: Case) -> None:
    """Whatever the pair, a packet takes exactly one path."""
    for paths in case.drawn.values():
        assert all(isinstance(probability, Fraction) for probability, _ in paths)
        assert all(probability > 0 for probability, _ in paths)
        assert sum(probability for probability, _ in paths) == 1


@for_every_case
def test_paths_lead_from_source_to_destination(case: Case) -> None:
    """Every channel leaves the node that the one before it enters."""
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
    family = case.routing.name.partition(":")[0]
    if family in SHORTEST_PATHS:
        assert longest == max(map(len, paths))


@for_every_case
def test_path_distribution_adds_equal_paths(case: Case) -> None:
    """It holds each path once, the most probable first."""
    pair = max(case.pairs, key=lambda pair: len(case.drawn[pair]))
    found = path_distribution(case.routing, case.network, *pair)
    assert found == case.distributions[pair]
    assert list(found.values()) == sorted(found.values(), reverse=True)


@for_every_case
def test_shortest_path_routings_take_shortest_paths(case: Case) -> None:
    """Those that are said to; the others take longer ones somewhere or nowhere, but no shorter."""
    shortest = case.routing.name.partition(":")[0] in SHORTEST_PATHS
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
        default = Routing.pair_loads(case.definition, network, channel)
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
    network, declared, definition = case.network, Declared(case), case.definition
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
    """Shortcut and default agree for any list of pairs, in any order and with repetitions."""
    network = case.network
    chosen = np.random.default_rng(3).integers(len(case.pairs), size=40)
    sources, destinations = np.array(case.pairs, dtype=np.int64)[chosen].T
    default = Routing.channel_loads(Definition(case), network, sources, destinations)
    found = case.routing.channel_loads(network, sources, destinations)
    assert found.shape == (40, network.channel_count)
    assert found.equals(default)


@for_every_case
def test_channel_loads_of_no_pairs_are_empty(case: Case) -> None:
    """A list without pairs is a matrix without rows."""
    nobody = np.zeros(0, dtype=np.int64)
    found = case.routing.channel_loads(case.network, nobody, nobody)
    assert found.shape == (0, case.network.channel_count)
    assert found.nonzeros == 0


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


@for_every_case
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


@for_every_case
def test_sampled_paths_follow_the_distribution(case: Case) -> None:
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


@for_every_case
def test_a_routing_s_name_makes_it_again(case: Case) -> None:
    """The name survives, and so do the loads."""
    again = make_routing(case.routing.name)
    assert again.name == case.routing.name
    loads = case.routing.pair_loads(case.network, 0)
    assert again.pair_loads(case.network, 0).equals(loads)


@for_every_case
def test_routing_and_network_survive_pickling(case: Case) -> None:
    """As Dask sends them to a worker, after they were used."""
    loads = case.routing.pair_loads(case.network, 0)
    network, routing = pickle.loads(pickle.dumps((case.network, case.routing)))
    assert (network.name, routing.name) == (case.network.name, case.routing.name)
    assert routing.pair_loads(network, 0).equals(loads)
    pair = case.pairs[-1]
    assert added(list(routing.paths(network, *pair))) == case.distributions[pair]


@pytest.mark.parametrize("spec", [spec for specs in NETWORKS.values() for spec in specs])
def test_a_network_s_name_makes_it_again(spec: str) -> None:
    """The name survives, and so do channels and bandwidths."""
    network = make_network(spec)
    again = make_network(network.name)
    assert again.name == network.name
    assert again.tail.tolist() == network.tail.tolist()
    assert again.head.tolist() == network.head.tolist()
    assert again.bandwidth.fractions() == network.bandwidth.fractions()


def test_a_file_network_s_name_makes_it_again(folder: FilePath) -> None:
    """The names of both files are in it."""
    network = network_of("fabric", folder)
    again = make_network(network.name)
    assert (again.name, again.labels) == (network.name, network.labels)
    assert again.injection.fractions() == network.injection.fractions() == [2, 1, 1]


PATTERNS = {
    "uniform": ["uniform"],
    "bit_complement": ["bit_complement"],
    "transpose": ["transpose"],
    "bit_reverse": ["bit_reverse"],
    "bit_rotation": ["bit_rotation"],
    "shuffle": ["shuffle"],
    "tornado": ["tornado", "tornado:dimensions=all"],
    "neighbor": ["neighbor", "neighbor:dimensions=first"],
    "random_permutation": ["random_permutation", "random_permutation:seed=5"],
    "permutation": ["permutation:PLACE"],
    "matrix": ["matrix:PLACE"],
}


def test_every_pattern_has_an_example() -> None:
    """Register a pattern, and this table wants an example."""
    assert set(PATTERNS) == set(patterns.entries)


@pytest.mark.parametrize("spec", [spec for specs in PATTERNS.values() for spec in specs])
def test_a_pattern_s_name_makes_it_again(spec: str, tmp_path: FilePath) -> None:
    """Every pattern but uniform is a permutation, and its name gives the same one."""
    file = tmp_path / "given.csv"
    lines = [f"{15 - node}" for node in range(16)]
    if spec.startswith("matrix"):
        lines = ["source,destination,amount", *(f"{node},{15 - node},1" for node in range(16))]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    pattern = make_pattern(spec.replace("PLACE", str(file)))
    again = make_pattern(pattern.name)
    assert again.name == pattern.name
    assert pattern.is_uniform == again.is_uniform == (spec == "uniform")
    if not pattern.is_uniform:
        torus = make_network("torus:4x4")
        assert sorted(pattern.permutation(torus).tolist()) == list(range(16))
        assert pattern.permutation(torus).tolist() == again.permutation(torus).tolist()


@pytest.mark.parametrize("routing", [r for r in ROUTINGS if r not in NO_GRID_ROUTINGS])
def test_a_grid_routing_is_refused_elsewhere_with_what_it_is_defined_for(routing: str) -> None:
    """The error names the routing, the network, and where it is defined."""
    found = make_routing(routing)
    with pytest.raises(InputError, match=r"not defined on complete:4.* torus, .*hypercube"):
        found.check(make_network("complete:4"))
    with pytest.raises(InputError, match=f"{routing} is not defined on complete:4"):
        list(found.paths(make_network("complete:4"), 0, 1))


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

TWIN_CASES = [
    case
    for case in CASES
    if case.values[0] != "fabric"
    and not case.values[0].startswith("complete")
    and case.values[1] not in COMBINATIONS
    and case.values[1].partition(":")[0] in reference.ROUTINGS
]


def twin_options(routing: str) -> dict[str, Any] | None:
    """Read a routing's parameters as the twin takes them; None where it has no such variant."""
    name, _, text = routing.partition(":")
    options: dict[str, Any] = dict(piece.split("=") for piece in text.split(",") if piece)
    if name in ("romm", "rlb", "rlbth"):
        return None if options.get("order", "random") not in ("random", "fixed") else options
    if options.get("order") == "random":
        return None
    if "order" in options:
        options["order"] = tuple(int(d) for d in options["order"].split("-"))
    return options


@pytest.mark.parametrize(
    ("network_spec", "routing_spec"),
    [case for case in TWIN_CASES if twin_options(case.values[1]) is not None],
)
def test_grid_routing_has_the_paths_of_the_twin(case: Case, routing_spec: str) -> None:
    """Every path of every pair, with its probability, as nodes visited."""
    network = case.network
    assert isinstance(network, Grid)
    options = twin_options(routing_spec)
    assert options is not None
    for (source, destination), distribution in case.distributions.items():
        found = {
            network.path_nodes(source, path): probability
            for path, probability in distribution.items()
        }
        name = routing_spec.partition(":")[0]
        assert found == reference.paths(
            network.radices, network.wraps, name, source, destination, **options
        )


@pytest.mark.parametrize(
    ("network_spec", "routing_spec"),
    [case for case in CASES if case.values[1].startswith("ecmp")],
)
def test_ecmp_has_the_paths_of_the_twin(case: Case, routing_spec: str) -> None:
    """Every shortest path of any digraph, parallel channels apart, as channels crossed."""
    edges = list(zip(case.network.tail.tolist(), case.network.head.tolist(), strict=True))
    split = routing_spec.partition("=")[2] or "paths"
    widths = case.network.bandwidth.fractions()
    for (source, destination), distribution in case.distributions.items():
        assert distribution == reference.ecmp_paths(
            edges, source, destination, split=split, widths=widths
        )


@pytest.mark.parametrize("spec", ["torus:3x3", "torus:4x3", "mesh:2x2x3"])
def test_ival_visits_no_node_twice(spec: str, folder: FilePath) -> None:
    """Loops are gone; Valiant's routing, on the same network, has some."""
    for routing, without_loops in (("ival", True), ("valiant", False)):
        case = case_of(spec, routing, folder)
        repeats = [
            len(set(nodes)) < len(nodes)
            for pair, distribution in case.distributions.items()
            for nodes in (case.network.path_nodes(pair[0], path) for path in distribution)
        ]
        assert any(repeats) != without_loops
