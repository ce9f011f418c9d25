"""The Borodin–Hopcroft witness, beside the exact worst permutation and the bounds for greedy."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil, isqrt

import numpy as np
import pytest

from obroute import InputError, Network, Routing, make_network, make_routing
from obroute.loads import largest_normalized_load, loads_of
from obroute.network import Path
from obroute.packets.adversary import (
    Witness,
    borodin_hopcroft,
    greedy_lower_bounds,
    guaranteed_pairs,
    links,
)
from obroute.traffic import Traffic
from obroute.worst_cases import worst_cases

CASES = [
    ("hypercube:3", "bit_fixing"),
    ("hypercube:5", "bit_fixing:order=3-0-4-1-2"),
    ("hypercube:6", "dor"),
    ("butterfly:4", "bit_fixing"),
    ("benes:3", "bit_fixing"),
    ("torus:5x5", "dor"),
    ("torus:4x4", "dor:ties=positive"),
    ("torus:4x4,bandwidth=3/2", "dor:ties=positive"),
    ("mesh:4x4", "dor:order=1-0"),
    ("ring:7", "dor"),
    ("complete:5", "ecmp"),
]


class Arbitrary(Routing):
    """One path for each pair, through a node drawn at random, with no symmetry at all."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed, self.name = seed, f"arbitrary {seed}"
        self.way = make_routing("ecmp")

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the one path, without loops."""
        generator = np.random.default_rng([self.seed, source, destination])
        middle = int(generator.integers(network.node_count))
        nodes = [source]
        for goal in (middle, destination):
            path = self.way.sample_path(network, nodes[-1], goal, generator)
            for node in network.path_nodes(nodes[-1], path)[1:]:
                nodes = nodes[: nodes.index(node)] if node in nodes else nodes
                nodes.append(node)
        yield Fraction(1), network.path_from_nodes(nodes)


def check_witness(found: Witness) -> None:
    """Check what a witness claims, path by path."""
    network, routing = found.network, found.routing
    count = len(network.sources)
    assert sorted(found.permutation.tolist()) == list(range(count))
    assert len(found.sources) == len(found.destinations) == found.pairs >= 1
    assert len(set(found.sources.tolist())) == len(set(found.destinations.tolist())) == found.pairs
    assert found.permutation[found.sources].tolist() == found.destinations.tolist()
    crossing = [
        found.channel in next(iter(routing.paths(network, int(s), int(d))))[1]
        for s, d in zip(network.sources, network.destinations[found.permutation], strict=True)
    ]
    assert all(crossing[source] for source in found.sources)
    assert sum(crossing) == found.load >= found.pairs
    assert found.steps >= found.load / network.bandwidth.fraction(found.channel)
    assert found.steps >= found.guaranteed_steps
    assert 2 * found.pairs >= found.guaranteed_pairs


@pytest.mark.parametrize(("network", "routing"), CASES)
def test_a_witness_is_a_permutation_whose_pairs_all_cross_the_channel(
    network: str, routing: str
) -> None:
    """Distinct sources and destinations, and the load that is claimed; the exact worst is one."""
    found = borodin_hopcroft(make_network(network), make_routing(routing))
    check_witness(found)
    worst = worst_cases(found.network, found.routing).critical
    bandwidth = found.network.bandwidth.fraction(found.channel)
    assert worst.certified
    assert worst.normalized_load >= found.load / bandwidth
    assert worst.worst.permutation is not None
    loads = loads_of(found.routing, Traffic.of_permutation(found.network, worst.worst.permutation))
    assert largest_normalized_load(found.network, loads)[0] == worst.normalized_load


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("network", ["ring:16", "torus:4x4", "hypercube:4", "mesh:5x5"])
def test_a_witness_exists_for_any_deterministic_routing(network: str, seed: int) -> None:
    """Detours and all; what the proof guarantees is reached, and the matching is as heavy."""
    found = borodin_hopcroft(make_network(network), Arbitrary(seed))
    check_witness(found)
    assert worst_cases(found.network, found.routing).load >= found.load


@pytest.mark.parametrize("network", ["ring:5", "torus:3x3", "hypercube:3"])
def test_the_construction_takes_the_most_pairs_it_can(network: str) -> None:
    """No channel is reached over by k + 1 sources for each of k + 1 destinations."""
    where, routing = make_network(network), Arbitrary(1)
    found = borodin_hopcroft(where, routing)
    senders = np.zeros((where.channel_count, where.node_count), dtype=np.int64)
    for source, destination in product(range(where.node_count), repeat=2):
        for channel in next(routing.paths(where, source, destination))[1]:
            senders[channel, destination] += 1
    for k in range(1, where.node_count):
        possible = bool(np.any((senders >= k).sum(axis=1) >= k))
        assert possible == (k <= found.pairs)


@pytest.mark.parametrize(("dimensions", "worst"), [(3, 2), (4, 2), (5, 4), (6, 4), (7, 8)])
def test_the_witness_against_e_cube_is_the_exact_worst_case(dimensions: int, worst: int) -> None:
    """2^⌊(n-1)/2⌋ packets on one channel, by construction and by matching."""
    cube = make_network(f"hypercube:{dimensions}")
    routing = make_routing("bit_fixing")
    assert worst == 2 ** ((dimensions - 1) // 2)
    assert worst_cases(cube, routing).load == worst
    found = borodin_hopcroft(cube, routing)
    assert (found.pairs, found.load, found.steps) == (worst, worst, worst)


@pytest.mark.parametrize(
    "network",
    ["ring:9", "ring:100", "torus:8x8", "mesh:7x9", "hypercube:2", "hypercube:8", "complete:4"],
)
def test_the_guarantee_is_at_least_the_root_of_n_over_d(network: str) -> None:
    """The counting argument, done with integers; the simple form of k satisfies it."""
    where = make_network(network)
    nodes = where.node_count
    degree = int(np.bincount(where.tail).max())
    k = guaranteed_pairs(where)
    assert k >= max(1, isqrt(nodes) // degree)
    simple = 1
    while (simple + 1) * degree * (1 + simple * (degree - 1)) <= nodes:
        simple += 1
    assert k >= simple


def test_the_guarantee_grows_like_the_root_of_n_on_a_ring() -> None:
    """With d = 2, so k(k+1) ≤ N/2 about; two nodes guarantee one packet."""
    assert [guaranteed_pairs(make_network(f"ring:{n}")) for n in (2, 50, 200)] == [1, 5, 10]


def test_links_join_a_channel_with_the_one_that_goes_back() -> None:
    """Parallel channels in order; a channel without one that goes back is a link of its own."""
    network = Network("odd", 3, tail=[0, 0, 1, 1, 2, 0], head=[1, 1, 0, 2, 0, 1])
    found = links(network)
    assert found[0] == found[2]
    assert len(set(found.tolist())) == 5
    torus = make_network("torus:4x4")
    pairs = zip(links(torus).tolist(), torus.tail.tolist(), torus.head.tolist(), strict=True)
    by_link: dict[int, set[frozenset[int]]] = {}
    for link, tail, head in pairs:
        by_link.setdefault(link, set()).add(frozenset((tail, head)))
    assert len(by_link) == 32
    assert all(len(ends) == 1 for ends in by_link.values())


@pytest.mark.parametrize(
    ("network", "routing", "channel_part"),
    [
        ("hypercube:3", "valiant", "1/2"),
        ("torus:4x4", "dor", "1/2"),
        ("benes:2", "two_phase", "1/2"),
    ],
)
def test_a_random_routing_is_refused(network: str, routing: str, channel_part: str) -> None:
    """With a channel that carries a part of a pair's packets, and routings to use instead."""
    expected = (
        rf"routing {routing} is not deterministic on {network}: .* carries \d/\d of .*"
        "use bit_fixing, dor:ties=positive or a table"
    )
    with pytest.raises(InputError, match=expected) as caught:
        borodin_hopcroft(make_network(network), make_routing(routing))
    assert "\n" not in str(caught.value)
    assert channel_part in str(caught.value)


def test_a_routing_that_is_not_defined_or_terminals_that_are_not_unit_are_refused() -> None:
    """Each with its message."""
    with pytest.raises(InputError, match="dor is not defined on butterfly:2"):
        borodin_hopcroft(make_network("butterfly:2"), make_routing("dor"))
    network = Network("few", 3, tail=[0, 1, 2], head=[1, 2, 0], sources=[0, 1], destinations=[2])
    with pytest.raises(InputError, match=r"few: the Borodin–Hopcroft witness .* one packet per"):
        borodin_hopcroft(network, make_routing("ecmp"))


@pytest.mark.parametrize("dimensions", [2, 4, 6, 8, 12])
def test_greedy_bounds_on_even_hypercubes(dimensions: int) -> None:
    """√N packets at node 0, √N/n by averaging, √N/2 in fact: the worst case there is."""
    root = 2 ** (dimensions // 2)
    bounds = greedy_lower_bounds(make_network(f"hypercube:{dimensions}"))
    assert [bound.pattern for bound in bounds] == ["transpose", "bit_reverse"]
    for bound in bounds:
        assert bound.through_zero == root
        assert bound.averaging == ceil(Fraction(root, dimensions))
        assert bound.load == Fraction(root, 2) >= bound.averaging


@pytest.mark.parametrize(
    ("network", "averaging"),
    [
        ("hypercube:6", 2),
        ("hypercube:12", 6),
        ("hypercube:12,bandwidth=2", 3),
        ("hypercube:12,bandwidth=8", 1),
    ],
)
def test_bounds_on_steps_are_whole_and_count_bandwidth(network: str, averaging: int) -> None:
    """√N/n steps rounded up, over what a channel sends in a step."""
    for bound in greedy_lower_bounds(make_network(network)):
        assert bound.averaging == averaging <= bound.load


def test_greedy_bounds_count_packets_that_pass_node_zero() -> None:
    """By their paths, for odd n too, where only bit reversal is defined."""
    for dimensions in (3, 4, 5):
        cube = make_network(f"hypercube:{dimensions}")
        for bound in greedy_lower_bounds(cube):
            passing = 0
            for source in range(cube.node_count):
                bits = f"{source:0{dimensions}b}"
                half = dimensions // 2
                image = bits[::-1] if bound.pattern == "bit_reverse" else bits[half:] + bits[:half]
                ((_, path),) = make_routing("greedy").paths(cube, source, int(image, 2))
                passing += 0 in cube.path_nodes(source, path)
            assert passing == bound.through_zero
            assert bound.load >= bound.averaging
    assert [b.pattern for b in greedy_lower_bounds(make_network("hypercube:3"))] == ["bit_reverse"]


def test_greedy_bounds_are_refused_elsewhere() -> None:
    """They are for hypercubes."""
    with pytest.raises(InputError, match="torus:4x4 is no hypercube"):
        greedy_lower_bounds(make_network("torus:4x4"))
