"""A routing that is only paths and symmetries is listed once for each orbit of pairs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from tests.support.cases import Plain, translates

import obroute
from obroute import InputError, Network, make_network, make_routing
from obroute.generators import Generator, Generators, Symmetry
from obroute.memory import evaluation_megabytes
from obroute.rational import IntArray
from obroute.routing.combination import interpolate
from obroute.routing.shortest_paths import EqualCostMultipath
from obroute.symmetry import CanonicalPairs, spanning_generators


@pytest.mark.parametrize(("respects", "listed"), [(translates, 81), (bool, 15)])
def test_a_relative_routing_is_listed_from_one_source(
    respects: Callable[[str], bool], listed: int
) -> None:
    """On the 9-ary 2-cube: 81 pairs by translations alone, 15 with the square's symmetry.

    Memory, worst case, a pattern and random permutations included; 6,561 pairs without symmetry.
    """
    plain, torus = Plain("romm", respects), make_network("torus:9x9")
    evaluation_megabytes(torus, plain)
    settings = {"random_permutation_samples": 3, "seed": 1}
    found = obroute.evaluate(torus, plain, ["tornado"], **settings)
    assert found.worst_case_load == Fraction(32, 5)
    assert found.certified
    assert plain.listed == listed
    closed = obroute.evaluate(torus, "romm", ["tornado"], **settings)
    assert found.patterns == closed.patterns
    assert found.random_permutations == closed.random_permutations
    assert found.mean_path_length == closed.mean_path_length


def test_memory_for_automorphisms_is_stated_before_they_are_made() -> None:
    """A plain routing on the 64-ary 2-cube: 4,096 automorphisms, and none is made for that."""
    torus, plain = make_network("torus:64x64"), Plain("dor", translates)
    megabytes = evaluation_megabytes(torus, plain)
    assert plain.listed == 64  # a few pairs alone
    assert megabytes > 4096 * (2 * 4096 + 16384) * 4 / 2**20
    assert megabytes - evaluation_megabytes(torus, make_routing("dor")) < 500


def test_all_channels_are_solved_from_the_same_listing() -> None:
    """``all_channels`` solves every channel; the pairs that are listed are those of the orbits."""
    plain = Plain("dor")
    found = obroute.evaluate("torus:5x5", plain, all_channels=True)
    assert len(found.channels) == 100
    assert found.worst_case_load == 2
    assert plain.listed == len(
        CanonicalPairs.build(found.network, plain.symmetries(found.network)).roots
    )


def test_equal_cost_paths_are_followed_from_one_source_of_every_orbit() -> None:
    """A family that overrides the channel loads of pairs has them asked for few pairs only."""
    asked = []

    class Watched(EqualCostMultipath):
        def channel_loads(self, network, sources, destinations):  # type: ignore[no-untyped-def]
            asked.append(len(sources))
            return super().channel_loads(network, sources, destinations)

    torus = make_network("torus:5x5")
    watched, ecmp = Watched(), make_routing("ecmp")
    assert watched.pair_loads(torus, 3).equals(ecmp.pair_loads(torus, 3))
    assert asked == [25]


def test_a_symmetry_that_moves_a_terminal_is_refused_with_pair_loads() -> None:
    """As where the focus channels are found."""
    network = Network("hosts", 3, [0, 1, 2], [1, 2, 0], sources=[0, 1], destinations=[0, 1])

    class Turning(EqualCostMultipath):
        def symmetries(self, network: Network) -> Generators:
            return {"turn": np.array([1, 2, 0])}

    with pytest.raises(InputError, match=r"hosts: .*does not keep the terminals"):
        Turning().pair_loads(network, 0)


@pytest.mark.parametrize("spec", ["torus:4x3", "mesh:3x3", "hypercube:3", "complete:5", "benes:2"])
def test_every_pair_is_the_image_of_its_canonical_pair(spec: str) -> None:
    """Step by step within the canonical source, then by the source's automorphism."""
    network = make_network(spec)
    pairs = CanonicalPairs.build(network, network.automorphisms())
    destinations = len(network.destinations)
    for place, source in enumerate(network.sources.tolist()):
        for destination in network.destinations.tolist():
            ends = np.array([place]), np.array([destination])
            frame = int(pairs.frames(network, *ends)[0])
            canonical, seen = divmod(frame, destinations)
            image = pairs.sources.node_image[place]
            assert image[pairs.sources.nodes[canonical]] == source
            assert image[network.destinations[seen]] == destination
            while pairs.step[frame] >= 0:
                channels = pairs.steps[pairs.step[frame]]
                nodes = node_image(network, channels)
                parent = int(pairs.parent[frame])
                assert nodes[pairs.sources.nodes[canonical]] == pairs.sources.nodes[canonical]
                assert (
                    nodes[network.destinations[parent % destinations]]
                    == network.destinations[frame % destinations]
                )
                frame = parent
            assert pairs.root[frame] == frame


def node_image(network: Network, channels: IntArray) -> dict[int, int]:
    """Read the image of each node off that of the channels."""
    images = dict(zip(network.tail.tolist(), network.tail[channels].tolist(), strict=True))
    images.update(zip(network.head.tolist(), network.head[channels].tolist(), strict=True))
    return images


@pytest.mark.parametrize(
    ("spec", "spanning"),
    [
        ("torus:4x4", {"translate 0", "translate 1"}),
        ("hypercube:3", {"translate 0", "translate 1", "translate 2"}),
    ],
)
def test_translations_span_the_sources_of_a_torus(spec: str, spanning: set[str]) -> None:
    """Reflections and exchanges add nothing to the orbits of sources."""
    network = make_network(spec)
    assert set(map(str, spanning_generators(network, network.automorphisms()))) == spanning


def test_a_combination_respects_what_all_parts_respect_in_the_same_way() -> None:
    """Designs number their generators, so that one number may stand for different symmetries."""

    class Moving(EqualCostMultipath):
        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

        def symmetries(self, network: Network) -> Generators:
            nodes = np.arange(network.node_count)
            return {Generator(Symmetry.OF_DESIGN, (0,)): (nodes + self.step) % len(nodes)}

    ring = make_network("ring:6")
    assert list(interpolate(Moving(1), Moving(1), Fraction(1, 2)).symmetries(ring))
    assert not interpolate(Moving(1), Moving(2), Fraction(1, 2)).symmetries(ring)
