"""The families of networks: how many channels, which symmetries, which capacity."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest
from tests.support import reference

from obroute import InputError, Network, make_network
from obroute.generators import Symmetry
from obroute.topologies.grid import NEGATIVE, POSITIVE, Grid


@pytest.mark.parametrize(
    ("spec", "nodes", "channels"),
    [
        ("torus:3x3", 9, 36),
        ("torus:8x8", 64, 256),
        ("torus:4x3x2", 24, 24 * 5),
        ("torus:2x2", 4, 8),
        ("torus:7", 7, 14),
        ("mesh:4x4", 16, 48),
        ("mesh:2x3x4", 24, 2 * (12 + 16 + 18)),
        ("mesh:2", 2, 2),
        ("ring:2", 2, 2),
        ("ring:5", 5, 10),
        ("hypercube:1", 2, 2),
        ("hypercube:4", 16, 64),
        ("complete:2", 2, 2),
        ("complete:5", 5, 20),
    ],
)
def test_a_network_has_as_many_nodes_and_channels_as_it_should(
    spec: str, nodes: int, channels: int
) -> None:
    """Two a dimension and node on a torus; one where the radix is two."""
    network = make_network(spec)
    assert (network.node_count, network.channel_count) == (nodes, channels)


@pytest.mark.parametrize(
    ("spec", "radices", "wraps"),
    [
        ("torus:4x3", (4, 3), True),
        ("torus:2x3x2", (2, 3, 2), True),
        ("mesh:2x3x4", (2, 3, 4), False),
        ("ring:6", (6,), True),
        ("hypercube:3", (2, 2, 2), False),
        ("hypercube:3", (2, 2, 2), True),
    ],
)
def test_a_grid_has_the_channels_of_the_twin(
    spec: str, radices: tuple[int, ...], wraps: bool
) -> None:
    """Each once, between neighbours in row-major order; a wrapped radix of two is none."""
    network = make_network(spec)
    found = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    assert sorted(found) == sorted(reference.grid_channels(radices, wraps))
    assert [tuple(c) for c in network.coordinates.tolist()] == [
        reference.coordinates(radices, node) for node in range(prod(radices))
    ]


@pytest.mark.parametrize("spec", ["torus:4x3", "torus:2x4", "mesh:3x4", "hypercube:3"])
def test_a_grid_knows_the_place_of_each_channel(spec: str) -> None:
    """Dimension, direction and tail lead to the channel and back."""
    grid = make_network(spec)
    assert isinstance(grid, Grid)
    for channel, (dimension, direction, tail) in enumerate(grid.place_of_channel.tolist()):
        assert grid.channel_at[dimension, direction, tail] == channel
        assert grid.tail[channel] == tail
        step = grid.coordinates[grid.head[channel]] - grid.coordinates[tail]
        assert np.flatnonzero(step).tolist() == [dimension]
        expected = {POSITIVE: 1, NEGATIVE: -1}[direction]
        radix = grid.radices[dimension]
        assert (step[dimension] - expected) % radix == 0
    assert (grid.channel_at >= 0).sum() == grid.channel_count


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("torus:1x4", "radix 1 in dimension 0; expected a radix of at least 2"),
        ("torus:4x0", "radix 0 in dimension 1"),
        ("mesh:3x1", "radix 1 in dimension 1"),
        ("torus:-3", "radix -3"),
        ("ring:1", "1 is too small; expected at least 2"),
        ("complete:1", "1 is too small"),
        ("hypercube:0", "0 is too small"),
    ],
)
def test_a_radix_is_at_least_two(spec: str, message: str) -> None:
    """The radix, the dimension and the remedy are named."""
    with pytest.raises(InputError, match=message):
        make_network(spec)


@pytest.mark.parametrize(
    "spec",
    [
        "torus:3x3",
        "torus:4x4x3",
        "torus:2x3x2",
        "mesh:3x3",
        "mesh:2x4x2",
        "ring:2",
        "ring:6",
        "hypercube:3",
        "complete:2",
        "complete:5",
    ],
)
def test_generators_are_automorphisms(spec: str) -> None:
    """Each is a permutation of the nodes that maps channels to channels; none is the identity."""
    network = make_network(spec)
    channels = set(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    found = network.automorphisms()
    assert found
    for image in found.values():
        assert sorted(image.tolist()) == list(range(network.node_count))
        assert image.tolist() != list(range(network.node_count))
        assert {(int(image[t]), int(image[h])) for t, h in channels} == channels
        moved = network.channel_image(image)
        assert network.tail[moved].tolist() == image[network.tail].tolist()
        assert network.head[moved].tolist() == image[network.head].tolist()


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("torus:4x3", "translate 0, reflect 0, translate 1, reflect 1"),
        ("torus:3x3", "translate 0, reflect 0, translate 1, reflect 1, exchange 0 1"),
        ("mesh:3x4", "reflect 0, reflect 1"),
        ("mesh:3x4x3", "reflect 0, reflect 1, reflect 2, exchange 0 2"),
        ("hypercube:2", "translate 0, translate 1, exchange 0 1"),
        ("torus:2x3", "translate 0, translate 1, reflect 1"),
    ],
)
def test_generators_are_named_after_what_they_do(spec: str, names: str) -> None:
    """A wrapped dimension translates, one of more than two nodes reflects, like ones exchange."""
    assert sorted(map(str, make_network(spec).automorphisms())) == sorted(names.split(", "))


def test_a_mixed_torus_exchanges_only_like_dimensions() -> None:
    """Three tori of one radix among others."""
    found = make_network("torus:3x4x3x3").automorphisms()
    assert [g.about for g in found if g.kind is Symmetry.EXCHANGE] == [(0, 2), (2, 3)]


@pytest.mark.parametrize(
    ("spec", "radix", "dimensions", "size"),
    [
        ("torus:8x8", 8, 2, 8),
        ("torus:4x3", None, 2, None),
        ("mesh:5x5x5,bandwidth=2", 5, 3, 5),
        ("ring:7", 7, 1, 7),
        ("hypercube:4", 2, 4, 4),
        ("butterfly:3", None, None, 3),
        ("benes:3", None, None, 3),
        ("complete:6", None, None, 6),
    ],
)
def test_a_network_says_by_which_number_its_series_rises(
    spec: str, radix: int | None, dimensions: int | None, size: int | None
) -> None:
    """The radix of grids, the dimension of hypercubes and butterflies, or the nodes."""
    found = make_network(spec)
    assert (found.radix, found.dimensions, found.size) == (radix, dimensions, size)
    plain = Network("pair", 2, [0, 1], [1, 0])
    assert (plain.radix, plain.dimensions, plain.size) == (None, None, None)


GRIDS = [
    ((3,), True),
    ((4,), True),
    ((7,), True),
    ((2,), True),
    ((3, 3), True),
    ((4, 3), True),
    ((2, 3), True),
    ((2, 4), True),
    ((3, 3, 3), True),
    ((4,), False),
    ((5,), False),
    ((3, 4), False),
    ((2, 3, 3), False),
    ((2, 2, 2), False),
]


@pytest.mark.parametrize(("radices", "wraps"), GRIDS)
def test_capacity_is_reached_by_dimension_order_and_bounded_by_a_cut(
    radices: tuple[int, ...], wraps: bool
) -> None:
    """The closed form is the load of DOR under uniform traffic, and no routing can have less.

    The bound is the best over all cuts between intervals of one dimension: traffic across, over
    channels across.
    """
    shape = "x".join(map(str, radices))
    network = make_network(f"{'torus' if wraps else 'mesh'}:{shape}")
    channels = reference.grid_channels(radices, wraps)
    nodes = range(prod(radices))
    loads = dict.fromkeys(channels, Fraction(0))
    for s, d in product(nodes, repeat=2):
        for path, probability in reference.paths(radices, wraps, "dor", s, d).items():
            for channel in pairwise(path):
                loads[channel] += probability / len(nodes)
    bound = Fraction(0)
    for dimension, radix in enumerate(radices):
        for length in range(1, radix):
            inside = {n for n in nodes if reference.coordinates(radices, n)[dimension] < length}
            across = Fraction(len(inside) * (len(nodes) - len(inside)), len(nodes))
            crossing = sum(t in inside and h not in inside for t, h in channels)
            bound = max(bound, across / crossing)
    assert max(loads.values()) == bound == network.capacity_load()


@pytest.mark.parametrize("spec", ["torus:4x4", "complete:5", "mesh:3x3", "ring:5", "hypercube:3"])
def test_capacity_load_is_over_the_bandwidth(spec: str) -> None:
    """Channels half as wide are loaded twice as much."""
    narrow = make_network(f"{spec},bandwidth=1/2")
    assert narrow.capacity_load() == 2 * make_network(spec).capacity_load()
    assert narrow.name == f"{spec},bandwidth=1/2"
    assert set(narrow.bandwidth.fractions()) == {Fraction(1, 2)}


def test_a_complete_graph_loads_every_channel_alike() -> None:
    """Uniform traffic: each pair has its own channel."""
    assert make_network("complete:5").capacity_load() == Fraction(1, 5)


def test_a_large_torus_is_laid_out_in_no_time() -> None:
    """A million channels, vectorised."""
    network = make_network("torus:512x512")
    assert network.channel_count == 2**20
    assert network.head[network.channel(511, 0)] == 0
