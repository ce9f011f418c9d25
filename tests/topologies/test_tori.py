"""Twisted tori by their published distances and best loads, and hosts at the routers of grids."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fabrics import values

from obroute import InputError, Network, design, evaluate, make_network
from obroute.capacity import capacity_load
from obroute.topologies.lattice import Lattice, TwistedTorus

slow = pytest.mark.slow


def network_named(member: str) -> Network:
    """Make the network that the file calls so: FCC(4), or torus 4x4x8."""
    if member.startswith("torus"):
        return make_network(member.replace(" ", ":"))
    shape, _, side = member.rstrip(")").partition("(")
    return make_network(f"twisted_torus:{shape.lower()}={side}")


@pytest.mark.parametrize(
    ("spec", "twist"),
    [
        ("twisted_torus:rtt=3", "torus:3x6,twist=0x3"),
        ("twisted_torus:fcc=2", "torus:2x2x4,twist=0x0x2/0x0x2"),
        ("twisted_torus:bcc=2", "torus:2x4x4,twist=0x2x2"),
    ],
)
def test_a_twisted_torus_is_a_torus_with_a_twist(spec: str, twist: str) -> None:
    """Channel by channel."""
    one, other = make_network(spec), make_network(twist)
    assert np.array_equal(one.tail, other.tail)
    assert np.array_equal(one.head, other.head)
    assert (one.size, other.size) == (int(spec[-1]), None)


def test_a_twist_of_nothing_is_no_twist() -> None:
    """Then it is a grid, of the plain name."""
    assert make_network("torus:4x3,twist=0x0").name == "torus:4x3"


@given(
    radices=st.lists(st.integers(2, 4), min_size=2, max_size=4),
    twist=st.lists(st.integers(-5, 5), min_size=6, max_size=6),
)
def test_nodes_of_a_twisted_torus_are_points_modulo_a_lattice(
    radices: list[int], twist: list[int]
) -> None:
    """A step along each axis leads to a neighbour, and all around to where the twist says."""
    count = len(radices)
    drawn = iter(twist)
    offsets = tuple(
        tuple(next(drawn) if to > dimension else 0 for to in range(count))
        for dimension in range(count)
    )
    lattice = Lattice(tuple(radices), offsets)
    network = TwistedTorus.build(lattice, 1, Fraction(1))
    axes = np.eye(count, dtype=np.int64)
    for axis, dimension in product((*axes, *-axes), range(count)):
        there = lattice.number(network.coordinates + axis)
        assert sorted(there.tolist()) == list(range(network.node_count))
        assert (network.channels_between(np.arange(network.node_count), there) >= 0).all()
        around = network.coordinates + radices[dimension] * axes[dimension]
        moved = network.coordinates + np.array(offsets[dimension])
        assert np.array_equal(lattice.number(around), lattice.number(moved))
    assert (network.node_count, network.channel_count) == (
        lattice.size().nodes,
        lattice.size().channels,
    )
    for image in network.automorphisms().values():
        network.channel_image(image)  # raises where it is none


@pytest.mark.slow
@pytest.mark.parametrize(("member", "load"), values("twisted_torus", "enumerated"))
def test_twisted_tori_have_the_capacity_of_the_file(member: str, load: Fraction) -> None:
    """The mean distance over the degree."""
    network = network_named(member)
    degree = network.channel_count // network.node_count
    assert capacity_load(network) == load == network.mean_shortest_path_length() / degree


@pytest.mark.parametrize("side", [2, 3, pytest.param(4, marks=slow), pytest.param(5, marks=slow)])
@pytest.mark.parametrize("shape", ["rtt", "fcc", "bcc"])
def test_a_twisted_torus_looks_alike_along_each_axis(shape: str, side: int) -> None:
    """So that shortest paths load all channels alike, with the mean distance over the degree."""
    network = make_network(f"twisted_torus:{shape}={side}")
    carried = np.abs(np.array(list(network.lattice.symmetries()))).sum(axis=0)
    assert (np.linalg.matrix_power(carried, len(carried)) > 0).all()
    degree = network.channel_count // network.node_count
    assert capacity_load(network) == network.mean_shortest_path_length() / degree


@pytest.mark.parametrize(
    ("member", "load"),
    [
        pytest.param(*value, marks=slow if value[0] not in ("RTT(4)",) else [])
        for value in values("twisted_torus", "certified", "optimum")
        if value[0] != "torus 4x8x8"
    ],
)
def test_the_best_load_on_a_twisted_torus_is_twice_that_of_uniform_traffic(
    member: str, load: Fraction
) -> None:
    """By design; plain tori of the same shapes beside them."""
    network = network_named(member)
    found = design(network).load
    assert found.lower == found.upper == load == 2 * capacity_load(network)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("torus:4x4,twist=0x1/1x0", "the twist '0x1/1x0' leads from a dimension back to it"),
        ("torus:4x4,twist=2x0", "the twist '2x0' leads from a dimension back to it"),
        ("torus:4x4,twist=1", "the twist '1' is not one of 2 dimensions; expected up to 2 rows"),
        ("torus:4x4,twist=0x1/0x0/0x0", "is not one of 2 dimensions"),
        ("torus:4x4,twist=0y1", "twist: '0y1' is no twist; expected what the wrap of each"),
        ("torus:1x4,twist=0x1", "radix 1 in dimension 0; expected a radix of at least 2"),
        ("twisted_torus:", "a twisted torus has one shape; expected one of rtt, fcc and bcc"),
        ("twisted_torus:rtt=3,fcc=3", "a twisted torus has one shape"),
    ],
)
def test_a_twist_that_is_none_is_refused_with_a_remedy(spec: str, message: str) -> None:
    """In one line."""
    with pytest.raises(InputError, match=message):
        make_network(spec)


# ------------------------------------------------------------------------------ hosts at routers


@pytest.mark.parametrize(
    ("spec", "routing"),
    [
        ("torus:5x5", "romm"),
        ("torus:4x3", "dor"),
        ("ring:6", "rlb"),
        ("complete:5", "ecmp"),
        ("twisted_torus:rtt=2", "ecmp"),
        *(
            pytest.param(spec, routing, marks=slow)
            for spec in ("torus:4x3", "torus:5x5", "mesh:3x4", "hypercube:3", "ring:5")
            for routing in (
                "dor",
                "o1turn",
                "romm",
                "romm:order=fixed",
                "valiant",
                "ival",
                "2turn",
            )
        ),
    ],
)
def test_loads_rise_with_the_hosts_of_a_router(spec: str, routing: str) -> None:
    """Worst case, uniform load and capacity: all are those of single hosts, times the hosts."""
    one, three = evaluate(spec, routing), evaluate(f"{spec},hosts=3", routing)
    assert three.worst_case_load == 3 * one.worst_case_load
    assert three.uniform.load == 3 * one.uniform.load
    assert three.capacity_load == 3 * one.capacity_load
    assert three.mean_path_length == one.mean_path_length


def test_a_concentrated_mesh_is_a_mesh_with_four_hosts_a_router() -> None:
    """Or as many as are said."""
    one, other = make_network("cmesh:4x4"), make_network("mesh:4x4,hosts=4")
    assert np.array_equal(one.tail, other.tail)
    assert one.total_injection == other.total_injection == 64
    assert make_network("cmesh:4x4,hosts=4").name == "cmesh:4x4"
    assert evaluate(one, "dor").worst_case_load == 12


@pytest.mark.parametrize("nodes", [2, 3, 5, 8])
def test_a_complete_graph_has_the_loads_of_the_file(nodes: int) -> None:
    """Direct: 1 a host; through a random node, which is best: 2/n."""
    network = make_network(f"complete:{nodes}")
    assert evaluate(network, "ecmp").worst_case_load == 1
    found = design(network).load
    assert found.lower == found.upper == Fraction(2, nodes)


# ------------------------------------------------------------------- express channels and products


@pytest.mark.parametrize(
    ("spec", "express"),
    [
        ("ruche:8x8,factor=3", 2 * 2 * 8 * 5),
        ("ruche:2x5", 2 * 2 * 3),
        ("ruche:6,factor=3,base=torus", 6),
        ("ruche:7x7,base=torus", 2 * 2 * 49),
        ("ruche:3x3,base=torus", 0),
    ],
)
def test_a_ruche_network_has_a_grid_and_express_channels(spec: str, express: int) -> None:
    """Each joins nodes of one line that are so many hops apart."""
    network = make_network(spec)
    assert network.channel_count == network.grid.channel_count + express
    ends = set(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    plain = set(zip(network.grid.tail.tolist(), network.grid.head.tolist(), strict=True))
    assert plain <= ends
    assert len(ends) == network.channel_count
    grid = network.grid
    hops = grid.distances
    factor = network.parameters["factor"]
    for tail, head in ends - plain:
        assert hops[tail, head] == factor
        assert (grid.coordinates[tail] != grid.coordinates[head]).sum() == 1


@pytest.mark.parametrize(
    ("spec", "same"),
    [
        ("product:first=ring:4,second=ring:3", "torus:4x3"),
        ("product:first=mesh:2x3,second=mesh:4", "mesh:2x3x4"),
        ("product:first=(torus:3,hosts=2),second=mesh:2", "product:first=torus:3,second=mesh:2"),
    ],
)
def test_a_product_has_the_channels_of_both_factors(spec: str, same: str) -> None:
    """Rings make a torus, lines a mesh; hosts and loads multiply."""
    one, other = make_network(spec), make_network(same)
    ends = [sorted(zip(n.tail.tolist(), n.head.tolist(), strict=True)) for n in (one, other)]
    assert ends[0] == ends[1]
    assert one.name == spec
    hosts = one.total_injection / one.node_count
    loads = [evaluate(network, "ecmp").worst_case_load for network in (one, other)]
    assert loads[0] == hosts * loads[1]
    for image in one.automorphisms().values():
        one.channel_image(image)
