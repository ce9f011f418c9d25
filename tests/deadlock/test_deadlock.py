"""Deadlock freedom: schemes, proofs and cycles, and the claims of SPAA 2003, section 5.2."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from tests.support.deadlock_twin import check_verdict, dependencies_of, has_cycle, virtual_paths

from obroute import InputError, Network, make_network, make_routing
from obroute.deadlock import (
    Assignment,
    PathSet,
    channel_dependency_graph,
    check_deadlock,
    dependencies,
    schemes,
    search,
)
from obroute.deadlock import paths as deadlock_paths
from obroute.deadlock.dependencies import DependencyGraph
from obroute.deadlock.fewest import virtual_channels_needed
from obroute.routing import PathBatch, path_distribution
from obroute.routing.path_lists import path_distributions
from obroute.routing.two_turn import two_turn_paths

RADICES = [
    3,
    4,
    5,
    6,
    pytest.param(7, marks=pytest.mark.slow),
    pytest.param(8, marks=pytest.mark.slow),
]


def judged(network: str, routing: str, virtual_channels: int, scheme: str | None = None):
    """Judge a routing, or all two-turn paths, and check what is said."""
    made = make_network(network)
    paths = PathSet.two_turn(made) if routing == "two_turn" else make_routing(routing)
    verdict = check_deadlock(made, paths, virtual_channels, scheme)
    check_verdict(made, verdict)
    return verdict


# ------------------------------------------------------------------------------ sets of paths


@pytest.mark.parametrize(
    ("network", "routing"),
    [("torus:4x3", "ival"), ("mesh:3x3", "romm"), ("hypercube:3", "valiant"), ("benes:2", "ecmp")],
)
def test_a_set_of_paths_has_every_path_of_the_routing(network, routing):
    """Of each pair of two nodes, once, though only some sources are enumerated."""
    made, rule = make_network(network), make_routing(routing)
    paths = PathSet.of_routing(made, rule)
    found = [batch.path(place) for batch in paths.batches() for place in range(len(batch))]
    expected = {
        path
        for source, destination in product(made.sources.tolist(), made.destinations.tolist())
        if source != destination
        for _, path in rule.paths(made, source, destination)
    }
    assert len(found) == len(set(found)) == len(paths)
    assert set(found) == expected
    assert paths.hop_count == sum(map(len, expected))
    assert paths.longest == max(map(len, expected))


def test_two_turn_paths_are_a_set_of_paths():
    """Those of every pair."""
    mesh = make_network("mesh:2x3")
    pairs = product(range(6), repeat=2)
    expected = {(s, path) for s, d in pairs for path in two_turn_paths(mesh, s, d) if path}
    paths = PathSet.two_turn(mesh)
    found = {batch.path(place) for batch in paths.batches() for place in range(len(batch))}
    assert found == {path for _, path in expected}
    given = PathSet.of(mesh, expected, "given")
    assert len(given) == len(found)
    one, other = (dependencies(schemes.create("phases").assign(each)) for each in (paths, given))
    assert np.array_equal(one.before, other.before)
    assert np.array_equal(one.after, other.after)


def test_a_given_path_has_to_hang_together():
    """A channel that leaves another node is named."""
    ring = make_network("ring:4")
    with pytest.raises(InputError, match="channel 2 leaves node"):
        PathSet.of(ring, [(0, (0, 2))], "broken")


# -------------------------------------------------------------------------------- the schemes


def virtual_channels(network, nodes: list[int], scheme: str) -> list[int]:
    """Give the virtual channels of a path that is given by its nodes."""
    batch = PathBatch.of([(), network.path_from_nodes(nodes), ()])
    return schemes.create(scheme).virtual_channels(network, batch).tolist()


def test_a_dateline_is_crossed_on_virtual_channel_0():
    """The hops after it are on 1, and the next run begins on 0 again."""
    torus = make_network("torus:4x4")
    up_and_right = [8, 12, 0, 4, 5, 6, 7, 4, 5]
    assert virtual_channels(torus, up_and_right, "dateline") == [0, 0, 1, 0, 0, 0, 0, 1]
    down_and_left = [4, 0, 12, 8, 11, 10]
    assert virtual_channels(torus, down_and_left, "dateline") == [0, 0, 1, 0, 1]


def test_phases_begin_at_turns_to_earlier_dimensions_and_at_turns_back():
    """Two virtual channels a phase where a ring is to be broken, one on a mesh."""
    torus, mesh = make_network("torus:4x4"), make_network("mesh:4x4")
    nodes = [12, 0, 4, 5, 9, 8, 9]
    assert virtual_channels(torus, nodes, "phases") == [0, 1, 0, 2, 2, 4]
    assert virtual_channels(mesh, [0, 4, 5, 9, 8, 9], "phases") == [0, 0, 1, 1, 2]


def test_hops_and_single():
    """The number of the hop, and none at all."""
    ring = make_network("ring:6")
    assert virtual_channels(ring, [4, 5, 0, 1], "hops") == [0, 1, 2]
    assert virtual_channels(ring, [4, 5, 0, 1], "single") == [0, 0, 0]


@pytest.mark.parametrize("scheme", ["single", "dateline", "phases", "hops", "found"])
def test_schemes_treat_each_path_of_a_batch_alone(scheme):
    """As if it were the only one, but for the search, which gives some of each."""
    torus = make_network("torus:3x3")
    batch = next(PathSet.of_routing(torus, make_routing("valiant")).batches())
    hops = schemes.create(scheme).virtual_channels(torus, batch)
    assert hops.shape == batch.channels.shape
    if scheme != "found":
        for place, (begin, end) in enumerate(pairwise(batch.starts.tolist())):
            alone = PathBatch.of([batch.path(place)])
            made = schemes.create(scheme).virtual_channels(torus, alone)
            assert made.tolist() == hops[begin:end].tolist()


@pytest.mark.parametrize("scheme", ["dateline", "phases"])
def test_schemes_of_grids_are_refused_elsewhere(scheme):
    """The message says where they are defined, and what to take."""
    complete = make_network("complete:4")
    with pytest.raises(InputError, match=rf"{scheme} is not defined on complete:4; .* found"):
        check_deadlock(complete, make_routing("ecmp"), 2, scheme)
    assert check_deadlock(complete, make_routing("ecmp"), 1).scheme == "single"


def test_unknown_schemes_and_no_virtual_channels_are_refused():
    """One line each."""
    ring = make_network("ring:4")
    with pytest.raises(InputError, match="did you mean 'dateline'"):
        check_deadlock(ring, make_routing("dor"), 2, "datelin")
    with pytest.raises(InputError, match="0 virtual channels"):
        check_deadlock(ring, make_routing("dor"), 0)


# ----------------------------------------------------------------------------- proof and cycle


def test_a_shortest_cycle_is_shortest():
    """Of a cycle of three and one of four that share a vertex, the three."""
    network = make_network("complete:5")
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [3, 4], [4, 2], [4, 7]])
    graph = DependencyGraph(network, 1, np.unique(edges), *np.unique(edges, axis=0).T)
    assert graph.numbering() is None
    assert graph.cycle() == [(2, 0), (3, 0), (4, 0)]


def test_without_a_cycle_there_is_none_to_show():
    """The numbering counts the dependencies that lead to a virtual channel."""
    network = make_network("complete:3")
    edges = np.array([[0, 1], [0, 3], [1, 3]])
    graph = DependencyGraph(network, 1, np.array([0, 1, 3, 5]), *edges.T)
    assert graph.cycle() == []
    assert graph.numbering().ravel().tolist() == [0, 1, -1, 2, -1, 0]


def test_one_hop_needs_nothing():
    """A complete network, each packet on its own channel."""
    verdict = judged("complete:4", "ecmp", 1)
    assert (verdict.deadlock_free, len(verdict.graph)) == (True, 0)


def test_fewer_virtual_channels_than_a_scheme_takes_show_a_cycle():
    """Packets stay on the last; with how many it would do is said."""
    verdict = judged("torus:5x5", "dor", 1, "dateline")
    assert (verdict.deadlock_free, verdict.virtual_channels_needed) == (False, 2)
    assert len(verdict.cycle) == 5


def test_the_search_never_takes_more_than_the_rules():
    """Nor more than the longest path has hops."""
    for routing in ("valiant", "romm", "two_turn", "1/2*o1turn+1/2*ival:order=1-0"):
        found = judged("torus:4x3", routing, 100, "found").virtual_channels_needed
        assert found <= judged("torus:4x3", routing, 100, "phases").virtual_channels_needed
        assert found <= judged("torus:4x3", routing, 100, "hops").virtual_channels_needed


def test_the_search_works_without_dimensions(tmp_path):
    """On a ring that is only an edge list, two virtual channels, as dateline has."""
    edges = [f"{n},{(n + 1) % 6}\n{(n + 1) % 6},{n}\n" for n in range(6)]
    (tmp_path / "ring.csv").write_text("tail,head\n" + "".join(edges))
    verdict = judged(f"{tmp_path}/ring.csv", "ecmp", 2)
    assert (verdict.scheme, verdict.virtual_channels_needed) == ("found", 2)


def test_the_search_refuses_what_memory_cannot_hold(monkeypatch):
    """Before it begins."""
    monkeypatch.setattr(search, "MOST_HOPS", 100)
    with pytest.raises(InputError, match="dor on torus:5x5 has 1500 hops in 600 paths"):
        judged("torus:5x5", "dor", 1, "found")
    assert judged("torus:5x5", "dor", 1).scheme == "phases"


# -------------------------------------------------------------- the claims of the paper, and ours


@pytest.mark.parametrize("radix", RADICES)
def test_dimension_order_needs_two_virtual_channels_on_a_torus(radix):
    """Datelines do; one virtual channel has a ring for a cycle from radix 4."""
    single = judged(f"torus:{radix}x{radix}", "dor", 1, "single")
    assert single.deadlock_free is (radix == 3)
    assert len(single.cycle) == (0 if radix == 3 else radix)
    verdict = judged(f"torus:{radix}x{radix}", "dor", 2)
    assert verdict.scheme == ("single" if radix == 3 else "dateline")


@pytest.mark.parametrize("network", ["mesh:5x5", "mesh:2x3x3", "hypercube:4"])
def test_dimension_order_needs_one_virtual_channel_without_rings(network):
    """Dally and Seitz's e-cube routing."""
    assert judged(network, "dor", 1).scheme == "single"


@pytest.mark.parametrize("radix", RADICES)
@pytest.mark.parametrize(
    "routing", ["ival", "ival:order=1-0", "ival:order=random", "o1turn", "romm:order=fixed"]
)
def test_four_virtual_channels_by_phases(routing, radix):
    """As the paper counts for IVAL."""
    assert judged(f"torus:{radix}x{radix}", routing, 4, "phases").deadlock_free


@pytest.mark.parametrize("radix", RADICES)
def test_four_virtual_channels_for_all_two_turn_paths(radix):
    """As the paper counts: the set goes up after a turn from Y to X; from radix 3 all are used."""
    verdict = judged(f"torus:{radix}x{radix}", "two_turn", 4, "phases")
    assert (verdict.deadlock_free, verdict.virtual_channels_needed) == (True, 4)


@pytest.mark.parametrize("radix", RADICES)
@pytest.mark.parametrize("routing", ["ival", "valiant", "romm:order=fixed", "o1turn"])
@pytest.mark.slow
def test_three_virtual_channels_are_found(routing, radix):
    """One fewer than the paper's count, by datelines half a ring apart."""
    needed = 2 if radix == 3 else 3
    assert judged(f"torus:{radix}x{radix}", routing, needed, "found").deadlock_free


@pytest.mark.parametrize("radix", RADICES)
@pytest.mark.slow
def test_the_count_of_turns_alone_does_not_serve_valiant(radix):
    """VAL turns back in one dimension between its phases; only with a new set there four do."""
    network = f"torus:{radix}x{radix}"
    assert judged(network, "valiant", 4, "phases").deadlock_free
    torus = make_network(network)
    paths = PathSet.of_routing(torus, make_routing("valiant"))
    dimension = torus.place_of_channel[:, 0]
    listed = []
    for batch in paths.batches():
        step = np.diff(dimension[batch.channels], prepend=0)
        step[batch.starts[:-1]] = 0
        turns = np.cumsum(step < 0)
        turns -= np.repeat(turns[batch.starts[:-1]], batch.lengths)
        bit = schemes.create("dateline").virtual_channels(torus, batch)
        listed.append((2 * turns + bit).astype(np.int32))
    graph = dependencies(Assignment(paths, listed=listed))
    assert graph.virtual_channels == (3 if radix == 3 else 4)
    assert len(graph.cycle()) == 2


def test_a_routing_may_stand_for_its_paths():
    """The graph by name of the scheme, and by object."""
    torus, routing = make_network("torus:4x4"), make_routing("ival")
    one = channel_dependency_graph(torus, routing, "phases")
    other = channel_dependency_graph(
        torus, PathSet.of_routing(torus, routing), schemes.create("phases")
    )
    assert np.array_equal(one.before, other.before)
    assert len(one) == 288
    assert not has_cycle(dependencies_of(torus, virtual_paths(check_deadlock(torus, routing, 4))))


def test_a_pair_of_very_many_paths_far_from_the_first_source_is_not_walked():
    """A row of double links, with more paths than anyone lists, on a longer row of single ones."""
    single, double = 32, 30
    links = [(node, node + 1) for node in range(single)]
    links += 2 * [
        (0 if node == single else node, node + 1) for node in range(single, single + double)
    ]
    tail, head = zip(*links, *((b, a) for a, b in links), strict=True)
    network = Network("row", single + double + 1, list(tail), list(head))
    assert virtual_channels_needed(network, make_routing("ecmp")) is None


def test_paths_that_are_too_many_to_list_are_refused(monkeypatch):
    """In a line, wherever paths are listed, and not after hours."""
    torus, ecmp = make_network("torus:4x4"), make_routing("ecmp")
    with pytest.raises(InputError, match=r"too many paths to list on torus:4x4, from \(0,0\) to"):
        path_distribution(ecmp, torus, 0, 10, most=23)
    with pytest.raises(InputError, match="too many paths to list"):
        list(path_distributions(ecmp, torus, [(0, 10), (5, 15)], most=47))
    assert len(list(path_distributions(ecmp, torus, [(0, 10), (5, 15)], most=48))) == 2
    monkeypatch.setattr(deadlock_paths, "MOST_HELD", 50)
    with pytest.raises(InputError, match="too many paths to list"):
        check_deadlock(torus, ecmp, 4)
