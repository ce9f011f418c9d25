"""Graphs of small diameter, drawn ones and digraphs of words: published counts and loads."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from math import gcd

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fabrics import families, numbers, values

from obroute import InputError, Network, design, evaluate, make_network
from obroute.topologies.finite_fields import FiniteField, prime_power

PRIME_POWERS = [q for q in range(2, 33) if prime_power(q)]
slow = pytest.mark.slow


def sizes(quick: list[int], longer: list[int]) -> list[object]:
    """Give sizes to pytest, the longer ones marked slow."""
    return [*quick, *(pytest.param(size, marks=slow) for size in longer)]


def graph_of(network: Network) -> networkx.DiGraph:
    """Make the digraph of a network without parallel channels."""
    graph = networkx.DiGraph(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    assert graph.number_of_edges() == network.channel_count
    return graph


# ------------------------------------------------------------------------------------ the fields


@pytest.mark.parametrize("order", PRIME_POWERS)
def test_a_finite_field_is_a_field(order: int) -> None:
    """Sums and products are commutative groups, and one distributes over the other."""
    field = FiniteField(order)
    a, b, c = np.ogrid[:order, :order, :order] if order < 20 else np.ogrid[:order, :order, 3:5]
    one, other = a[..., 0], b[..., 0]
    assert np.array_equal(field.add(one, other), field.add(other, one))
    assert np.array_equal(field.multiply(one, other), field.multiply(other, one))
    assert np.array_equal(field.add(field.add(a, b), c), field.add(a, field.add(b, c)))
    left, right = (
        field.multiply(a, field.add(b, c)),
        field.add(field.multiply(a, b), field.multiply(a, c)),
    )
    assert np.array_equal(left, right)
    every = np.arange(order)
    assert sorted(field.powers.tolist()) == every[1:].tolist()
    assert not field.add(every, field.negative(every)).any()
    assert set(field.multiply(every[1:], field.inverse(every[1:])).tolist()) == {1}


def test_the_field_of_a_prime_is_the_integers_modulo_it() -> None:
    """Which also says what 0 and 1 are."""
    a, b = np.ogrid[:13, :13]
    assert np.array_equal(FiniteField(13).add(a, b), (a + b) % 13)
    assert np.array_equal(FiniteField(13).multiply(a, b), a * b % 13)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("slimfly:q=15", "'slimfly:q=15': 15 is no prime power, and no field has so many"),
        ("slimfly:q=6", "'slimfly:q=6': q is 6; expected 4w - 1, 4w or 4w \\+ 1"),
        ("polarfly:q=6", "'polarfly:q=6': 6 is no prime power"),
        ("polarstar:q=3,d=2", "'polarstar:q=3,d=2': d is 2; expected 0, 3, 4, 7"),
        ("jellyfish:n=9,d=3", "'jellyfish:n=9,d=3': there is no graph of 9 routers of degree 3"),
        ("jellyfish:n=4,d=4", "there is no graph of 4 routers of degree 4"),
        ("jellyfish:n=12,d=2,seed=2", "the Jellyfish of this seed is not connected; take another"),
        ("generalized_kautz:d=3,n=3", "n is 3; expected more nodes than d = 3"),
    ],
)
def test_what_does_not_exist_is_refused_with_a_remedy(spec: str, message: str) -> None:
    """In one line."""
    with pytest.raises(InputError, match=message):
        make_network(spec)


# --------------------------------------------------------------------------------- Slim Fly


@pytest.mark.parametrize("q", sizes([3, 4, 5, 7, 8, 9], [11, 13, 16, 17, 19, 23, 25, 27, 32]))
def test_a_slim_fly_has_the_published_counts(q: int) -> None:
    """2q² routers of degree (3q - δ)/2 and diameter two."""
    delta = {0: 0, 1: 1, 3: -1}[q % 4]
    network = make_network(f"slimfly:q={q}")
    graph = graph_of(network)
    degree = (3 * q - delta) // 2
    assert graph.number_of_nodes() == network.node_count == 2 * q * q
    assert set(dict(graph.out_degree).values()) == {degree}
    assert graph.to_undirected(reciprocal=True).number_of_edges() * 2 == network.channel_count
    assert network.distances.max() == 2
    assert network.injection.fraction(0) == -(-degree // 2)


def test_the_slim_fly_of_five_is_the_graph_of_hoffman_and_singleton() -> None:
    """Which is the one graph of degree 7 and 50 nodes without cycles of less than five."""
    graph = graph_of(make_network("slimfly:q=5")).to_undirected()
    assert networkx.girth(graph) == 5
    assert networkx.is_isomorphic(graph, networkx.hoffman_singleton_graph())


@pytest.mark.parametrize("q", sizes([3, 4, 5], [7, 8, 9, 11, 13, 16]))
@pytest.mark.parametrize("hosts", [None, 1])
def test_a_slim_fly_has_the_loads_that_are_proved(q: int, hosts: int | None) -> None:
    """Shortest paths: 2p at worst, and p(3q - 2)/(2q²) of uniform traffic."""
    network = make_network(f"slimfly:q={q}" + (f",hosts={hosts}" if hosts else ""))
    p = network.injection.fraction(0)
    found = evaluate(network, "ecmp")
    assert found.worst_case_load == 2 * p
    assert found.uniform.load == p * Fraction(3 * q - 2, 2 * q * q)


def test_the_slim_flies_of_the_file_have_its_loads() -> None:
    """With as many hosts as it says, which are those of default."""
    worst = values("slimfly", "enumerated", "ecmp")
    for (member, load), (_, uniform) in zip(worst[:2], worst[2:], strict=True):
        q, p = numbers(member)
        network = make_network(f"slimfly:q={q},hosts={p}")
        assert network.name == f"slimfly:q={q}"
        found = evaluate(network, "ecmp")
        assert (found.worst_case_load, found.uniform.load) == (load, uniform)


@slow
@pytest.mark.parametrize(("member", "load"), values("slimfly", "certified", "optimum"))
def test_no_routing_on_a_slim_fly_beats_valiant(member: str, load: Fraction) -> None:
    """Twice the uniform load of shortest paths, by design."""
    q, p = numbers(member)
    network = make_network(f"slimfly:q={q},hosts={p}")
    assert load == p * Fraction(3 * q - 2, q * q)
    found = design(network).load
    assert found.lower == found.upper == load


# --------------------------------------------------------------------------------- PolarFly


@pytest.mark.parametrize("q", sizes([2, 3, 4, 5, 7, 8, 9], [11, 13, 16, 17, 19, 23, 25, 27, 32]))
def test_a_polarfly_has_the_published_counts(q: int) -> None:
    """q² + q + 1 routers of degree q + 1, of which q + 1 have one less; one path of two hops."""
    network = make_network(f"polarfly:q={q}")
    graph = graph_of(network)
    assert graph.number_of_nodes() == network.node_count == q * q + q + 1
    degrees = list(dict(graph.out_degree).values())
    assert degrees.count(q) == q + 1
    assert degrees.count(q + 1) == q * q
    assert network.distances.max() == 2
    away = (network.adjacency @ network.adjacency).toarray()[network.distances == 2]
    assert set(away.tolist()) == {1}


@pytest.mark.parametrize("q", sizes([2, 3, 4, 5], [7, 8, 9, 11, 13, 16]))
def test_a_polarfly_has_the_loads_that_are_proved(q: int) -> None:
    """Shortest paths: 2p at worst, and 2qp/(q² + q + 1) of uniform traffic."""
    network = make_network(f"polarfly:q={q}")
    p = network.injection.fraction(0)
    found = evaluate(network, "ecmp")
    assert found.worst_case_load == 2 * p
    assert found.uniform.load == p * Fraction(2 * q, q * q + q + 1)


def test_the_polarflies_of_the_file_have_its_loads() -> None:
    """With as many hosts as it says, which are those of default."""
    said = values("polarfly", "enumerated", "minimal")
    for (member, load), (_, uniform) in zip(said[:2], said[2:], strict=True):
        q, p = numbers(member)
        network = make_network(f"polarfly:q={q},hosts={p}")
        assert network.name == f"polarfly:q={q}"
        found = evaluate(network, "ecmp")
        assert (found.worst_case_load, found.uniform.load) == (load, uniform)


@slow
@pytest.mark.parametrize(("member", "load"), values("polarfly", "certified", "optimum"))
def test_the_best_routing_on_a_polarfly_beats_valiant(member: str, load: Fraction) -> None:
    """Whose load is twice the uniform load of shortest paths."""
    q, p = numbers(member)
    network = make_network(f"polarfly:q={q},hosts={p}")
    found = design(network).load
    assert found.lower == found.upper == load < p * Fraction(4 * q, q * q + q + 1)


@pytest.mark.parametrize(("q", "d"), [(2, 0), (2, 3), (3, 4), (4, 3), (5, 7), (3, 8)])
def test_a_polarstar_has_the_published_counts(q: int, d: int) -> None:
    """(q² + q + 1)(2d + 2) routers of degree q + 1 + d, and diameter three."""
    network = make_network(f"polarstar:q={q},d={d}")
    graph = graph_of(network)
    assert graph.number_of_nodes() == network.node_count == (q * q + q + 1) * (2 * d + 2)
    assert set(dict(graph.out_degree).values()) == {q + 1 + d}
    assert network.distances.max() == 3


def test_the_least_polarstar_is_the_graph_of_heawood() -> None:
    """Points and lines of the plane of seven points."""
    graph = graph_of(make_network("polarstar:q=2,d=0")).to_undirected()
    assert networkx.is_isomorphic(graph, networkx.heawood_graph())


@pytest.mark.parametrize("spec", ["slimfly:q=4", "polarfly:q=4", "polarstar:q=2,d=0"])
def test_shortest_paths_of_two_hops_load_no_channel_above_the_cover_bound(spec: str) -> None:
    """2p: the hosts at its tail send, or those at its head receive, what crosses a channel."""
    network = make_network(f"{spec},hosts=3")
    load = evaluate(network, "ecmp").worst_case_load
    assert load <= 6 or network.distances.max() > 2


# --------------------------------------------------------------------------------- drawn graphs


@pytest.mark.parametrize(
    ("member", "load"),
    [
        pytest.param(*value, marks=slow if "256" in value[0] else [])
        for value in values("jellyfish", "certified", "ecmp")
    ],
)
def test_a_jellyfish_is_the_graph_that_networkx_draws(member: str, load: Fraction) -> None:
    """Cable by cable, with the certified load of shortest paths."""
    n, d = numbers(member)
    network = make_network(f"jellyfish:n={n},d={d},seed=1")
    graph = graph_of(network).to_undirected()
    assert networkx.utils.edges_equal(
        graph.edges, networkx.random_regular_graph(d, n, seed=1).edges
    )
    assert evaluate(network, "ecmp").worst_case_load == load


@given(n=st.integers(4, 40), d=st.integers(3, 12), seed=st.integers(0, 2**62))
def test_drawn_graphs_are_regular(n: int, d: int, seed: int) -> None:
    """A lift has one cable from each router to every other group; few are in two parts."""
    if d < n and n * d % 2 == 0 and (drawn := connected(f"jellyfish:n={n},d={d},seed={seed}")):
        assert set(np.bincount(drawn.tail).tolist()) == {d}
    lift = 1 + n % 5
    lifted = connected(f"xpander:d={d},lift={lift},seed={seed}")
    if lifted is None:
        return
    graph = graph_of(lifted)
    assert graph.number_of_nodes() == (d + 1) * lift
    for router, others in graph.adjacency():
        groups = sorted(other // lift for other in others)
        assert groups == [group for group in range(d + 1) if group != router // lift]


def connected(spec: str) -> Network | None:
    """Make a graph, unless what was drawn is in two parts."""
    with suppress(InputError):
        return make_network(spec)
    with pytest.raises(InputError, match="not connected; take another seed"):
        make_network(spec)
    return None


# ----------------------------------------------------------------------------- digraphs of words


@pytest.mark.parametrize(("d", "length"), [(2, 1), (2, 2), (2, 4), (3, 2), (3, 3), (4, 2)])
def test_a_kautz_digraph_has_the_published_counts(d: int, length: int) -> None:
    """d^D + d^(D-1) nodes, d channels out of and into each, diameter D; generalised, the same."""
    network = make_network(f"kautz:d={d},D={length}")
    graph = graph_of(network)
    nodes = d**length + d ** (length - 1)
    assert graph.number_of_nodes() == network.node_count == nodes
    assert set(dict(graph.out_degree).values()) == set(dict(graph.in_degree).values()) == {d}
    assert network.distances.max() == length
    if nodes > d + 1:
        other = make_network(f"generalized_kautz:d={d},n={nodes}")
        assert networkx.is_isomorphic(graph, graph_of(other))


@pytest.mark.parametrize(("d", "n"), [(2, 1), (2, 2), (2, 4), (3, 2), (3, 3), (4, 2)])
def test_a_de_bruijn_digraph_has_the_published_counts(d: int, n: int) -> None:
    """dⁿ nodes of diameter n, and d channels out of each but the d that would have loops."""
    network = make_network(f"de_bruijn:d={d},n={n}")
    graph = graph_of(network)
    assert graph.number_of_nodes() == network.node_count == d**n
    assert sorted(dict(graph.out_degree).values()) == [d - 1] * d + [d] * (d**n - d)
    assert network.distances.max() == n
    for tail, head in graph.edges:
        assert tuple(network.coordinates[tail, 1:]) == tuple(network.coordinates[head, :-1])


@given(d=st.integers(2, 6), n=st.integers(3, 60))
def test_a_generalised_kautz_digraph_has_the_channels_of_its_rule(d: int, n: int) -> None:
    """Loops left out; its diameter is at most the digits of n to the base d."""
    if n <= d:
        return
    network = make_network(f"generalized_kautz:d={d},n={n}")
    found = set(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    rule = {(i, (-d * i - j) % n) for i in range(n) for j in range(1, d + 1)}
    assert found == {(i, k) for i, k in rule if i != k}
    assert len(rule) - len(found) == gcd(d + 1, n) * (d // gcd(d + 1, n))
    assert d ** (network.distances.max() - 1) < n


def test_kautz_digraphs_have_the_loads_of_the_file() -> None:
    """Of shortest paths: all to all, and at worst."""
    every = values("kautz", "all_to_all_load_of_shortest_paths")
    worst = values("kautz", "gamma_of_shortest_paths")
    for (member, all_to_all), (_, load) in zip(every, worst, strict=True):
        d, length = numbers(member)
        found = evaluate(network := make_network(f"kautz:d={d},D={length}"), "ecmp")
        assert found.worst_case_load == load
        assert found.uniform.load * network.node_count == all_to_all


def test_kautz_digraphs_have_the_best_all_to_all_loads_of_the_file() -> None:
    """By design, over all routings."""
    for member, load in values("kautz", "all_to_all_optimum"):
        d, length = numbers(member)
        network = make_network(f"kautz:d={d},D={length}")
        found = design(network, objective="capacity")
        assert found.load.lower == found.load.upper == load / network.node_count


# --------------------------------------------------------------------------------- HexaMesh


@pytest.mark.parametrize("radius", [1, 2, 3, 5])
def test_a_hexamesh_has_the_published_counts(radius: int) -> None:
    """1 + 3r(r + 1) nodes, six neighbours inside, three at the corners, 2r hops across."""
    network = make_network(f"hexamesh:radius={radius}")
    degrees = np.bincount(network.tail).tolist()
    assert network.node_count == 1 + 3 * radius * (radius + 1)
    assert degrees.count(6) == 1 + 3 * radius * (radius - 1)
    assert degrees.count(3) == 6
    assert degrees.count(4) == 6 * (radius - 1)
    assert network.distances.max() == 2 * radius


def test_hexameshes_have_the_loads_of_the_file() -> None:
    """By paths and by hops."""
    said = families()["hexamesh"]["values"][0]["certified"]
    for member, both in said.items():
        for split, load in zip(("paths", "hops"), both.split(" / "), strict=True):
            found = evaluate(f"hexamesh:radius={member[1:]}", f"ecmp:split={split}")
            assert found.worst_case_load == Fraction(load)


@pytest.mark.parametrize(
    ("member", "load"),
    [
        pytest.param(*value, marks=slow if value[0] != "r1" else [])
        for value in values("hexamesh", "certified", "optimum")
    ],
)
def test_hexameshes_have_the_best_loads_of_the_file(member: str, load: Fraction) -> None:
    """By design."""
    found = design(f"hexamesh:radius={member[1:]}").load
    assert found.lower == found.upper == load
