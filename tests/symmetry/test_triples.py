"""Orbits of (pair, channel) under symmetry: against the whole group listed, and known sizes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import TypeAlias

import numpy as np
import pytest
from tests.support.cases import network_of

from obroute import Network, make_network
from obroute.design import DesignProblem
from obroute.design.task import DesignTask
from obroute.symmetry import Reduction, declared_group, found_group, translations_group
from obroute.symmetry.schreier import orbits_with_stabilisers
from obroute.symmetry.triples import ChannelMoves

Images: TypeAlias = tuple[int, ...]
Map: TypeAlias = tuple[Images, bool]
"""The image of every node, and whether paths are turned around."""
Triple: TypeAlias = tuple[int, int, int]

GROUPS = {
    "declared": declared_group,
    "found": found_group,
    "translations": translations_group,
    "translations+reversal": lambda network: translations_group(network, reverse=True),
}
SMALL = ["torus:3x3", "mesh:2x3", "ring:6", "hypercube:3", "complete:4"]


def listed_group(network: Network, generators: Iterable[Map]) -> set[Map]:
    """List a group: multiply by generators until nothing is new."""
    identity = (tuple(range(network.node_count)), False)
    found, latest = {identity}, [identity]
    steps = list(generators)
    while latest:
        nodes, turned = latest.pop()
        for images, turns in steps:
            new = (tuple(images[node] for node in nodes), turned != turns)
            if new not in found:
                found.add(new)
                latest.append(new)
    return found


def generators_of(network: Network, name: str) -> list[Map]:
    """Give the maps that the family declares; every small network here may turn its paths."""
    maps = [
        (tuple(images.tolist()), False)
        for generator, images in network.automorphisms().items()
        if not name.startswith("translations") or generator.is_translation
    ]
    if name != "translations":
        maps.append((tuple(range(network.node_count)), True))
    return maps


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("spec", SMALL)
def test_a_group_lists_the_products_of_its_generators(spec: str, name: str) -> None:
    """Each element once, the identity first; no list where there are more than asked for."""
    network = make_network(spec)
    group = GROUPS[name](network)
    elements = group.elements()
    assert elements is not None
    listed = [(tuple(element.nodes.tolist()), element.reverses) for element in elements]
    assert listed[0] == (tuple(range(network.node_count)), False)
    assert len(listed) == len(set(listed))
    assert set(listed) == listed_group(network, generators_of(network, name))
    assert group.elements(most=len(listed) - 1) is None


def moved(network: Network, element: Map, triple: Triple) -> Triple:
    """Give the image of a (source, destination, channel), if no channels are parallel."""
    (images, turns), (s, d, c) = element, triple
    tail, head = images[network.tail[c]], images[network.head[c]]
    if turns:
        return images[d], images[s], network.channel(head, tail)
    return images[s], images[d], network.channel(tail, head)


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("spec", SMALL)
def test_flow_variables_are_the_orbits_under_the_listed_group(spec: str, name: str) -> None:
    """Two triples share a variable exactly if an element of the group takes one to the other."""
    network = make_network(spec)
    group = listed_group(network, generators_of(network, name))
    reduction = Reduction.build(GROUPS[name](network))
    variable = np.stack([reduction.flows_on(c) for c in range(network.channel_count)], axis=-1)
    orbits: dict[int, set[Triple]] = {}
    for s, d, c in product(*map(range, variable.shape)):
        used = s != d and network.head[c] != s and network.tail[c] != d
        assert (variable[s, d, c] >= 0) == used
        if used:
            orbits.setdefault(int(variable[s, d, c]), set()).add((s, d, c))
    assert sorted(orbits) == list(range(reduction.flow_count))
    for orbit in orbits.values():
        start = next(iter(orbit))
        assert {moved(network, element, start) for element in group} == orbit


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("spec", SMALL)
def test_focus_channels_and_potentials_are_the_orbits_under_the_listed_group(
    spec: str, name: str
) -> None:
    """A channel an orbit; its stabiliser moves sources, and exchanges them with destinations."""
    network = make_network(spec)
    group = listed_group(network, generators_of(network, name))
    reduction = Reduction.build(GROUPS[name](network))
    covered: set[int] = set()
    for focus in reduction.focus:
        images = {moved(network, e, (0, 0, focus.channel))[2]: e for e in group}
        assert focus.multiplicity == len(images)
        assert covered.isdisjoint(images)
        covered |= set(images)
        size = network.node_count
        for place in range(2 * size):
            node, destination = place % size, place >= size
            same = {
                element[0][node] + size * (destination != element[1])
                for element in group
                if moved(network, element, (0, 0, focus.channel))[2] == focus.channel
            }
            alike = np.flatnonzero(focus.potential == focus.potential[place])
            assert set(alike.tolist()) == same
    assert covered == set(range(network.channel_count))


@pytest.mark.parametrize("spec", ["torus:4x4", "mesh:3x3", "hypercube:3", "complete:4", "ring:6"])
def test_a_found_group_reduces_no_less_than_the_declared_one(spec: str) -> None:
    """On all but the torus of radix 4 it is the same group."""
    network = make_network(spec)
    declared, found = (Reduction.build(group(network)) for group in (declared_group, found_group))
    if spec == "torus:4x4":
        assert (declared.flow_count, found.flow_count) == (71, 35)
    else:
        assert found.flow_count == declared.flow_count


def test_the_torus_of_radix_4_is_the_hypercube_of_dimension_4() -> None:
    """The declared group of the one is the found group of the other: 35 flow variables."""
    cube = Reduction.build(declared_group(make_network("hypercube:4")))
    assert cube.flow_count == 35
    assert [focus.multiplicity for focus in cube.focus] == [64]


def test_a_network_without_symmetry_keeps_every_triple() -> None:
    """A variable for each pair and each channel that may carry it, a focus for each channel."""
    network = network_of("lopsided")
    reduction = Reduction.build(found_group(network))
    kept = sum(
        s != d and network.head[c] != s and network.tail[c] != d
        for s, d, c in product(range(5), range(5), range(network.channel_count))
    )
    assert len(reduction.pairs) == 20
    # The two channels in parallel have different bandwidths: nothing exchanges them.
    assert len(reduction.focus) == network.channel_count
    assert reduction.flow_count == kept


SIZES = {
    ("torus:8x8", "declared"): (1335, 1102, 5100),
    ("torus:8x8", "translations"): (19601, 16141, 78404),
    ("torus:16x16", "declared"): (20715, 16698, 81840),
    ("mesh:4x4", "declared"): (880, 745, 3208),
    ("hypercube:8", "declared"): (308, 254, 1069),
}


@pytest.mark.parametrize(("spec", "symmetry"), SIZES)
def test_programs_are_as_small_as_known(spec: str, symmetry: str) -> None:
    """Rows, columns and non-zeros of the program of the least worst case."""
    task = DesignTask(DesignProblem(make_network(spec), symmetry=symmetry))
    program = task.design.program("load")
    assert (*program.shape, program.matrix.nnz) == SIZES[spec, symmetry]


@pytest.mark.parametrize("spec", ["torus:3x4", "ring:6"])
def test_elements_carry_the_base_of_an_orbit_to_each_point(spec: str) -> None:
    """One by one, all in a list, and in tables: the same elements, which do what they say."""
    network = make_network(spec)
    moves = ChannelMoves(declared_group(network))
    found = orbits_with_stabilisers(network, network.channel_count, moves)
    nodes, channels = found.elements.tables()
    assert len(set(found.base.tolist())) < network.channel_count
    for point, listed in enumerate(found.elements.listed()):
        element = found.elements[point]
        assert element.channels[found.base[point]] == point
        ends = (network.head, network.tail) if element.reverses else (network.tail, network.head)
        np.testing.assert_array_equal(network.tail[element.channels], element.nodes[ends[0]])
        np.testing.assert_array_equal(network.head[element.channels], element.nodes[ends[1]])
        for images, table in ((element.nodes, nodes), (element.channels, channels)):
            np.testing.assert_array_equal(images, table[point])
        assert listed.key == element.key
        np.testing.assert_array_equal(listed.channels, element.channels)
    for base, stabiliser in found.stabilisers.items():
        assert all(element.channels[base] == base for element in stabiliser)
