"""The worst case over every set of failures, held against a slow twin that makes every set."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.support import design_twin, reference
from tests.support.cases import NETWORKS
from tests.support.design_graphs import as_graph
from tests.support.effort import few
from tests.support.fabrics import families
from tests.support.irregular_networks import digraphs

from obroute import InputError, Network, Routing, design, failures, make_network, make_routing
from obroute.failures import KINDS, find_failures, orbits_of_sets, parts_of
from obroute.failures.search import Before, look_at_sets
from obroute.rational import RationalArray
from obroute.routing.core import attached_to
from obroute.routing.path_table import PathTable

MOST_SETS = 130
Loads = dict[int, dict[tuple[int, int], Fraction]]


def twin_parts(network: Network, kind: str) -> list[tuple[set[int], set[int]]]:
    """List the parts of a network, each as its channels and nodes, by looking at all pairs."""
    hangs = set(np.flatnonzero(attached_to(network) != np.arange(network.node_count)).tolist())
    ends = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    if kind == "switches":
        nodes = [node for node in range(network.node_count) if node not in hangs]
        return [({c for c, both in enumerate(ends) if n in both}, {n}) for n in nodes]
    seen: Counter[tuple[int, int]] = Counter()
    parts: dict[object, set[int]] = {}
    for channel, both in enumerate(ends):
        if hangs.intersection(both):
            continue
        number, seen[both] = seen[both], seen[both] + 1
        pair = frozenset(both)
        key = {"channels": channel, "cables": (pair, number), "bundles": pair}[kind]
        parts.setdefault(key, set()).add(channel)
    return [(channels, set()) for channels in parts.values()]


def twin_of_set(
    network: Network, routing: Routing, repair: str, failed: set[int], lost: set[int]
) -> tuple[Fraction, int]:
    """Return the worst load after a set of failures and how many pairs it cuts, by all paths."""
    ends = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    left = [c for c in range(len(ends)) if c not in failed]
    edges = [ends[c] for c in left]
    reaches = {node: {node} for node in range(network.node_count)}
    for _ in reaches:
        for tail, head in edges:
            reaches[tail] |= reaches[head]
    loads: Loads = {channel: {} for channel in left}
    cut = 0
    for s, d in itertools.product(network.sources.tolist(), network.destinations.tolist()):
        apart = d not in reaches[s] or s not in reaches[d] or bool({s, d} & lost)
        others = {*network.sources.tolist(), *network.destinations.tolist()} - {s, *lost}
        alone = s == d and not any(o in reaches[s] and s in reaches[o] for o in others)
        before = [] if apart or alone else list(routing.paths(network, s, d))
        paths = [(share, path) for share, path in before if not failed.intersection(path)]
        if repair == "recomputed" or (repair == "detoured" and len(paths) < len(before)):
            split = "hops" if "hops" in routing.name else "paths"
            shortest = {} if apart else reference.ecmp_paths(edges, s, d, split=split)
            paths = [(share, tuple(left[c] for c in path)) for path, share in shortest.items()]
        cut += not paths and s != d
        total = sum((share for share, _ in paths), Fraction(0))
        for share, path in paths:
            for channel in path:
                matrix = loads[channel]
                matrix[s, d] = matrix.get((s, d), Fraction(0)) + share / total
    worst = [
        heaviest(network, matrix) / network.bandwidth.fraction(channel)
        for channel, matrix in loads.items()
    ]
    return max(worst, default=Fraction(0)), cut


def heaviest(network: Network, matrix: dict[tuple[int, int], Fraction]) -> Fraction:
    """Return the weight of the heaviest permutation of terminals of one unit each."""
    if not matrix:
        return Fraction(0)
    unit = math.lcm(*(value.denominator for value in matrix.values()))
    dense = np.zeros((len(network.sources), len(network.destinations)))
    for (s, d), value in matrix.items():
        dense[network.source_index[s], network.destination_index[d]] = int(value * unit)
    if dense.sum() >= 2**53:
        pytest.skip("more digits than the twin has")
    rows, columns = linear_sum_assignment(dense, maximize=True)
    return Fraction(int(dense[rows, columns].sum()), unit)


def compare_with_twin(
    network: Network, routing: Routing, kind: str, count: int, repair: str
) -> None:
    """Hold the search against the twin: the distribution, pairs cut, and the worst alone."""
    parts = twin_parts(network, kind)
    found = find_failures(network, routing, parts_of(network, kind), count, repair=repair)
    every = [
        twin_of_set(
            network,
            routing,
            repair,
            set().union(*(parts[p][0] for p in chosen)),
            set().union(*(parts[p][1] for p in chosen)),
        )
        for chosen in itertools.combinations(range(len(parts)), count)
    ]
    assert found.sets == len(every) == math.comb(len(parts), count)
    tally = Counter(every)
    mine: Counter[tuple[Fraction | None, int]] = Counter()
    for one, size in zip(found.results, found.orbits.sizes.tolist(), strict=True):
        mine[one.load, one.cut] += size
    assert mine == tally
    assert found.worst_load == max(load for load, _ in every)
    assert found.sets_that_cut == sum(cut > 0 for _, cut in every)
    assert len(found.cut_pairs(found.most_cut)) == max(cut for _, cut in every)
    alone = find_failures(
        network, routing, parts_of(network, kind), count, repair=repair, only_worst=True
    )
    assert alone.worst_load == found.worst_load


def _cases() -> Iterator[tuple[str, str, str, int, str]]:
    ways = [
        ("ecmp", "cables", 2, "recomputed"),
        ("minimal", "cables", 1, "detoured"),
        ("ecmp", "channels", 1, "kept"),
        ("valiant", "cables", 1, "kept"),
        ("ecmp:split=hops", "switches", 1, "recomputed"),
        ("ecmp", "bundles", 1, "detoured"),
    ]
    for spec in NETWORKS:
        for routing, kind, count, repair in ways:
            yield spec, routing, kind, count, repair


QUICK = {case for case in _cases() if case[0] in ("ring:3", "leafspine:leaves=2,hosts=2,spines=4")}


@pytest.mark.parametrize(("spec", "routing", "kind", "count", "repair"), few(_cases(), QUICK))
def test_every_family_agrees_with_the_slow_twin(
    spec: str, routing: str, kind: str, count: int, repair: str
) -> None:
    """The distribution over all sets, what they cut, and the largest load alone."""
    network, chosen = make_network(spec), make_routing(routing)
    if not network.has_unit_terminals or len(network.sources) > 16:
        pytest.skip("the twin knows few terminals of one unit")
    try:
        chosen.check(network)
        parts = twin_parts(network, kind)
        parts_of(network, kind)
    except InputError:
        pytest.skip("not defined")
    if not 0 < math.comb(len(parts), count) <= MOST_SETS:
        pytest.skip("no set, or too many for the twin")
    compare_with_twin(network, chosen, kind, count, repair)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    digraphs(most_nodes=4, most_hosts=2),
    st.sampled_from(KINDS),
    st.integers(1, 2),
    st.sampled_from(["recomputed", "detoured", "kept"]),
)
def test_drawn_networks_agree_with_the_slow_twin(
    network: Network, kind: str, count: int, repair: str
) -> None:
    """One-way and parallel channels of several bandwidths, hosts, and sets that cut pairs."""
    if not network.has_unit_terminals:
        return
    parts = twin_parts(network, kind)
    if len(parts) < count or math.comb(len(parts), count) > MOST_SETS:
        return
    compare_with_twin(network, make_routing("ecmp"), kind, count, repair)


def test_a_path_that_is_hardly_ever_taken_is_left() -> None:
    """A load that floats cannot tell from 1 is below it: the pair is not cut."""
    ring, seldom = make_network("ring:3"), Fraction(1, 2**60)
    paths = {}
    for s, d in itertools.permutations(range(3), 2):
        there, on, direct = (
            int(ring.channel(*e)) for e in ((s, 3 - s - d), (3 - s - d, d), (s, d))
        )
        paths[s, d] = {(direct,): 1 - seldom, (there, on): seldom}
    found = find_failures(ring, PathTable("drawn", paths), parts_of(ring), 1, repair="kept")
    assert (found.sets_that_cut, found.worst_load) == (0, 1)


@pytest.mark.parametrize("repair", ["recomputed", "kept"])
def test_nodes_alike_whose_cables_are_not(repair: str) -> None:
    """Parallel channels in another order of bandwidths each way: the i-th cables are unlike."""
    tail, head, widths = [0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0], np.array([2, 2, 1, 1, 2, 2])
    network = Network("drawn", 2, tail, head, RationalArray(widths, 1))
    compare_with_twin(network, make_routing("ecmp:split=hops"), "cables", 2, repair)
    assert design(network).routing_load == Fraction(1, 5)


@settings(deadline=None)
@given(st.integers(1, 7), st.data())
def test_orbits_of_sets_are_those_of_the_whole_group(count: int, data: st.DataObject) -> None:
    """Sizes add up to all sets; sets of one orbit are images, by listing the group."""
    images = data.draw(st.lists(st.permutations(range(count)), max_size=3))
    size = data.draw(st.integers(1, count))
    found = orbits_of_sets(count, size, [np.array(image) for image in images])
    assert found.sizes.sum() == math.comb(count, size)
    group = {tuple(range(count))}
    reached = list(group)
    for element in reached:
        for image in images:
            product = tuple(image[place] for place in element)
            if product not in group:
                group.add(product)
                reached.append(product)
    seen = set()
    for chosen, alike in zip(found.sets.tolist(), found.sizes.tolist(), strict=True):
        orbit = {frozenset(element[thing] for thing in chosen) for element in group}
        assert len(orbit) == alike
        assert not seen & orbit
        seen |= orbit
        assert len(group) % alike == 0


def test_published_failures_of_a_leaf_spine_fabric_and_that_a_fourth_helps() -> None:
    """Three failures leave ECMP at 4, a fourth brings it back to 2: not monotone."""
    fabric = make_network("leafspine:leaves=4,hosts=4,spines=4")
    family = families()["leafspine"]
    cables = parts_of(fabric, "cables")
    number = {cables.describe(part): part for part in range(len(cables))}
    found = {count: failures(fabric, "ecmp", links=count) for count in range(1, 5)}
    loads: dict[int, set[Fraction]] = {
        count: {load for load, _, _ in one.distribution()} for count, one in found.items()
    }
    for case in family["failures"]:
        chosen = sorted(number[f"leaf{leaf} – spine{spine}"] for leaf, spine in case["failed"])
        one = find_set(fabric, "ecmp", chosen)
        assert one == Fraction(case["ecmp"])
        assert one in loads[len(chosen)]
    assert [str(one.worst_load) for one in found.values()] == ["4/3", "2", "4", "4"]
    assert [one.sets for one in found.values()] == [16, 120, 560, 1820]
    assert [one.sets_that_cut for one in found.values()] == [0, 0, 0, 4]


def find_set(network: Network, routing: str, chosen: list[int]) -> Fraction | None:
    """Return the worst case after one set."""
    (one,) = look_at_sets(
        parts_of(network, "cables"),
        make_routing(routing),
        "recomputed",
        Before([], np.zeros(0, dtype=np.int64)),
        None,
        [chosen],
    )
    return one.load


def test_designs_are_solved_again_and_stay_better_than_ecmp() -> None:
    """The best routing of what is left of a ring: the cut in its middle bounds it."""
    found = failures("ring:5", "optimal", links=1)
    assert (found.repair, found.worst_load, len(found.orbits)) == ("recomputed", 2, 1)
    assert found.worst_load <= failures("ring:5", "ecmp", links=1).worst_load


DESIGNED = [
    "complete:4",
    "hypercube:3",
    "leafspine:leaves=2,hosts=2,spines=2",
    "leafspine:leaves=4,hosts=4,spines=4",
    "torus:3x3",
]


@pytest.mark.parametrize("spec", few(DESIGNED, ["complete:4"]))
def test_the_best_after_each_cable_is_that_of_the_program_as_it_is_written(spec: str) -> None:
    """One program for every cable, in floats, of the whole of what is left, no symmetry."""
    network = make_network(spec)
    graph = with_hosts_merged(network) if spec.endswith("spines=4") else as_graph(network)
    ends = sorted({(min(t, h), max(t, h)) for t, h, _ in graph.channels})
    ends = [cable for cable in ends if not set(cable) & hosts_of(network)]
    twin = Counter(
        round(design_twin.least_load(without_cable(graph, *cable)), 6) for cable in ends
    )
    found = failures(network, "optimal", links=1)
    assert found.sets_that_cut == 0
    mine: Counter[float] = Counter()
    for load, sets, _ in found.distribution():
        assert load is not None
        mine[round(float(load), 6)] += sets
    assert mine == twin


def hosts_of(network: Network) -> set[int]:
    """Return the nodes that hang on another by their only cable."""
    counts = Counter(network.tail.tolist())
    return {node for node, cables in counts.items() if cables == 1}


def without_cable(graph: design_twin.Graph, one: int, other: int) -> design_twin.Graph:
    """Return what is left when the cable between two nodes has failed."""
    left = tuple(c for c in graph.channels if {c[0], c[1]} != {one, other})
    assert len(left) == len(graph.channels) - 2
    return replace(graph, channels=left)


def with_hosts_merged(fabric: Network) -> design_twin.Graph:
    """Return leaves that send for their hosts.

    The hosts of a leaf are alike, so that the mean over their permutations is no worse; a channel
    of a host has a load of 1, which all loads here reach.
    """
    leaf = dict(zip(fabric.tail.tolist(), fabric.head.tolist(), strict=True))
    hosts = hosts_of(fabric)
    amounts = {one: Fraction(count) for one, count in Counter(leaf[h] for h in hosts).items()}
    whole = as_graph(fabric)
    between = tuple(c for c in whole.channels if not {c[0], c[1]} & hosts)
    return design_twin.Graph(fabric.node_count, between, amounts, amounts)


@pytest.mark.slow
def test_the_best_of_a_leaf_spine_fabric_stays_at_two() -> None:
    """Where ECMP has 4 after three failures and 2 after a fourth; by the program as written."""
    fabric = make_network("leafspine:leaves=4,hosts=4,spines=4")
    cables = parts_of(fabric, "cables")
    number = {cables.describe(part): part for part in range(len(cables))}
    node = {fabric.describe(n): n for n in range(fabric.node_count)}
    three = [(0, 0), (0, 1), (1, 2)]
    for failed in (three, [*three, (1, 3)]):
        names = [(f"leaf{leaf}", f"spine{spine}") for leaf, spine in failed]
        graph = with_hosts_merged(fabric)
        for leaf, spine in names:
            graph = without_cable(graph, node[leaf], node[spine])
        chosen = sorted(number[f"{leaf} – {spine}"] for leaf, spine in names)
        assert find_set(fabric, "optimal", chosen) == 2
        assert design_twin.least_load(graph) == pytest.approx(2)
    for case in families()["leafspine"]["failures"]:
        if "optimum" in case:
            chosen = sorted(number[f"leaf{leaf} – spine{spine}"] for leaf, spine in case["failed"])
            assert find_set(fabric, "optimal", chosen) == Fraction(case["optimum"])


def test_pairs_of_a_table_that_are_cut_are_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """A fixed table keeps what is left; who has no path any more is said."""
    ring = make_network("ring:3")
    file = tmp_path / "table.csv"
    rows = [f"{s},{d},1,{s} {d}" for s in range(3) for d in range(3) if s != d]
    file.write_text("\n".join(["source,destination,probability,path", *rows]), encoding="utf-8")
    found = failures(ring, str(file))
    assert (found.repair, found.sets_that_cut, found.worst_load) == ("kept", 3, 1)
    assert found.names(found.most_cut) == ["(0) – (1)"]
    assert found.cut_pairs(found.most_cut).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"links": 1, "switches": 1}, "both given"),
        ({"links": 4}, "4 of 3 cables cannot fail; expected 1 to 3"),
        ({"links": 0}, "links is 0"),
        ({"link_kind": "wires"}, "link_kind is 'wires'"),
        ({"repair": "none"}, "repair is 'none'"),
    ],
)
def test_what_cannot_fail_is_one_line(asked: dict[str, object], said: str) -> None:
    """The line names the value and what was expected."""
    with pytest.raises(InputError, match=said) as error:
        failures("ring:3", "ecmp", **asked)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


def test_too_many_sets_and_no_switches_are_refused_at_once() -> None:
    """Nothing is listed before."""
    with pytest.raises(InputError, match="make more than 20000000 sets"):
        failures("torus:8x8", "ecmp", links=60)
    star = Network("star", 3, [0, 1, 0, 2], [1, 0, 2, 0], sources=[1, 2], destinations=[1, 2])
    with pytest.raises(InputError, match="no cables between switches"):
        failures(star, "ecmp")
    assert failures(star, "ecmp", with_hosts=True).sets_that_cut == 2
