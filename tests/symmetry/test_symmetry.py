"""Symmetry leaves few channels to solve, and among them the worst of all."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.support.cases import is_defined
from tests.support.effort import few

import obroute
from obroute import InputError, Network, make_network, make_routing
from obroute.rational import RationalArray
from obroute.symmetry import canonical_sources, focus_channels, orbits

FOCUS_COUNTS = [
    ("torus:8x8", "romm", 1),
    ("torus:9x9", "romm:order=fixed", 2),
    ("torus:8x8", "dor", 2),
    ("torus:8x8", "dor:order=random", 1),
    ("torus:8x8", "dor:ties=positive", 4),
    ("torus:9x9", "dor:ties=positive", 2),
    ("torus:8x8", "o1turn", 1),
    ("torus:8x8", "valiant", 2),
    ("torus:8x8", "ival", 2),
    ("torus:8x8", "rlb", 1),
    ("torus:8x8", "ecmp", 1),
    ("torus:8x8", "1/2*dor+1/2*romm", 2),
    ("torus:4x3", "romm", 2),
    ("torus:3x3x3", "romm", 1),
    ("torus:3x3x3", "dor", 3),
    ("ring:6", "dor", 1),
    ("hypercube:4", "dor", 4),
    ("hypercube:4", "romm", 1),
    ("complete:5", "ecmp", 1),
    # three of a line's places in two directions, reflected: 3; four lines, reflected: 2
    ("mesh:4x4", "romm", 6),
    ("mesh:4x4", "dor", 12),
    ("mesh:5x3", "romm", 4 * 2 + 2 * 3),
    ("mesh:5", "dor", 4),
]


def test_focus_channels_are_as_few_as_the_symmetry_allows(subtests: pytest.Subtests) -> None:
    """One of each orbit, and together they stand for all channels."""
    for network, routing, count in FOCUS_COUNTS:
        with subtests.test(network=network, routing=routing):
            found = make_network(network)
            focus = focus_channels(found, make_routing(routing).symmetries(found))
            assert len(focus.channels) == count
            assert focus.multiplicity.sum() == found.channel_count
            assert focus.channels[0] == 0
            assert (np.diff(focus.channels) > 0).all()


def test_without_symmetry_every_channel_is_a_focus_channel() -> None:
    """Each stands for itself."""
    focus = focus_channels(make_network("ring:4"), {})
    assert focus.channels.tolist() == list(range(8))
    assert focus.multiplicity.tolist() == [1] * 8


ON_GRIDS = (
    "dor",
    "dor:order=1-0",
    "dor:ties=positive",
    "o1turn",
    "romm",
    "romm:order=fixed",
    "valiant",
    "valiant:order=random",
    "ival",
    "ival:order=random",
    "rlb",
    "rlb:order=fixed",
    "rlbth",
    "ecmp",
    "ecmp:split=hops",
    "1/3*dor+2/3*ival",
)
SOLVED = {
    **dict.fromkeys(
        ("torus:3x3", "torus:4x3", "torus:2x4", "ring:6", "mesh:3x4", "mesh:2x2x3"), ON_GRIDS
    ),
    "torus:4x4": ("romm",),
    "torus:5x5": ("ival",),
    "hypercube:3": ("o1turn",),
    "complete:4": ("ecmp",),
}


@pytest.mark.parametrize(
    "network", few(SOLVED, ["torus:4x4", "torus:5x5", "hypercube:3", "complete:4"])
)
def test_the_worst_focus_channel_is_the_worst_of_all_channels(
    network: str, subtests: pytest.Subtests
) -> None:
    """Worst case, uniform load and path length do not change with all channels solved."""
    for routing in SOLVED[network]:
        if is_defined(network, routing):
            with subtests.test(routing=routing):
                check_focus_channels(network, routing)


def check_focus_channels(network: str, routing: str) -> None:
    """Hold what the focus channels say against all channels solved one by one."""
    focus, everything = (
        obroute.evaluate(network, routing, all_channels=all_channels)
        for all_channels in (False, True)
    )
    assert len(everything.channels) == everything.network.channel_count
    assert focus.worst_case_load == everything.worst_case_load
    assert focus.uniform.load == everything.uniform.load
    assert focus.mean_path_length == everything.mean_path_length
    loads = {result.worst.channel: result.normalized_load for result in everything.channels}
    expanded = sorted(
        load
        for result in focus.channels
        for load in [result.normalized_load] * result.multiplicity
    )
    assert expanded == sorted(loads.values())
    assert all(loads[r.worst.channel] == r.normalized_load for r in focus.channels)


def test_orbits_are_numbered_by_their_first_member() -> None:
    """A transposition and a cycle."""
    assert orbits(5, []).tolist() == [0, 1, 2, 3, 4]
    images = [np.array([3, 1, 2, 0, 4]), np.array([0, 2, 4, 3, 1])]
    assert orbits(5, images).tolist() == [0, 1, 1, 0, 1]


@pytest.mark.parametrize(
    ("network", "routing", "canonical"),
    [
        ("torus:4x3", "dor", 1),
        ("torus:4x4", "romm", 1),
        ("hypercube:3", "dor", 1),
        ("mesh:3x3", "romm", 3),
        ("mesh:3x4", "dor", 4),
        ("complete:4", "ecmp", 1),
    ],
)
def test_every_source_is_the_image_of_a_canonical_one(
    network: str, routing: str, canonical: int
) -> None:
    """By an automorphism, on nodes and on channels alike."""
    found = make_network(network)
    sources = canonical_sources(found, make_routing(routing).symmetries(found))
    assert len(sources.nodes) == canonical
    for place, source in enumerate(found.sources.tolist()):
        nodes, channels = sources.node_image[place], sources.channel_image[place]
        assert nodes[sources.nodes[sources.canonical[place]]] == source
        assert sorted(nodes.tolist()) == list(range(found.node_count))
        assert found.tail[channels].tolist() == nodes[found.tail].tolist()
        assert found.head[channels].tolist() == nodes[found.head].tolist()


def test_a_symmetry_that_moves_a_terminal_is_refused() -> None:
    """Neither onto a switch nor onto a terminal of another bandwidth."""
    ends = {"tail": [0, 1, 2], "head": [1, 2, 0]}
    turn = {"turn": np.array([1, 2, 0])}
    hosts = Network("hosts", 3, **ends, sources=[0, 1], destinations=[0, 1])
    unequal = Network(
        "unequal", 3, **ends, injection=RationalArray.from_fractions([1, 2, Fraction(1, 2)])
    )
    for network in (hosts, unequal):
        with pytest.raises(InputError, match=f"{network.name}: .*does not keep the terminals"):
            focus_channels(network, turn)
    assert len(focus_channels(Network("even", 3, **ends), turn).channels) == 1


def test_a_symmetry_that_is_no_automorphism_is_refused() -> None:
    """A one-way ring has no reflection."""
    network = Network("one-way", 3, [0, 1, 2], [1, 2, 0])
    with pytest.raises(InputError, match="does not map channels to channels"):
        focus_channels(network, {"reflect": np.array([0, 2, 1])})


def test_channels_of_unequal_bandwidth_are_all_solved(tmp_path: Path) -> None:
    """A network from a file has no symmetry to know of."""
    (tmp_path / "e.csv").write_text("0,1\n1,2,2\n2,0,1/2\n", encoding="utf-8")
    found = obroute.evaluate(str(tmp_path / "e.csv"), "ecmp")
    loads = {r.worst.channel: r.normalized_load for r in found.channels}
    assert loads == {0: 2, 1: 1, 2: 4}
    assert found.critical.worst.channel == 2
