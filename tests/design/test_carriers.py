"""What is checked of one source and carried to the others is what checking each finds."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.cases import network_of
from tests.support.effort import few

from obroute import Network, make_network, make_routing
from obroute.certificates import CertificateError
from obroute.design import DesignProblem, carried_flows, design
from obroute.design.carriers import Carriers
from obroute.design.expansion import carriers_of, expanded_bound, expanded_prices
from obroute.design.full_problem import full_bound
from obroute.design.prices import worst_case_prices
from obroute.design.routing_check import CheckedFlows, check_copies
from obroute.design.task import DesignTask
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.routing.designed import DesignedRouting, set_pair_flows, without_cycles
from obroute.symmetry import Reduction, declared_group, preserving, translations_group

CARRIED = ["ring:5", "torus:3x4", "hypercube:3"]


def carriers(network: Network) -> Carriers:
    """Return the declared translations as carriers."""
    turns = [(g.nodes, g.channels, g.reverses) for g in translations_group(network).generators]
    found = Carriers.of(network, turns)
    assert found is not None
    return found


@cache
def task_of(name: str) -> DesignTask:
    """Write a program once."""
    return DesignTask(DesignProblem(network_of(name)))


@pytest.mark.parametrize("name", CARRIED)
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1))
def test_bounds_are_those_of_all_sources(name: str, seed: int) -> None:
    """Whatever the duals are, in floats, at the reduction's prices."""
    network, task = network_of(name), task_of(name)
    draw = np.random.default_rng(seed)
    duals = -draw.random(task.design.rows.count) * draw.integers(0, 2, task.design.rows.count)
    for objective in ("load", "length"):
        prices, _, hops = expanded_prices(task, duals, objective)
        whole = full_bound(network, prices, hops)
        found = expanded_bound(task, duals, objective)
        assert (found.cheapest, found.charge, found.hops) == (
            whole.cheapest,
            whole.charge,
            whole.hops,
        )


def test_only_groups_with_one_for_each_source_carry() -> None:
    """Not a mesh, not too few generators, not a reflection beside the translations."""
    torus = network_of("torus:3x4")
    turns = [(g.nodes, g.channels, g.reverses) for g in translations_group(torus).generators]
    assert Carriers.of(torus, turns) is not None
    assert Carriers.of(torus, []) is None
    assert Carriers.of(torus, turns[:1]) is None
    every = [(g.nodes, g.channels, g.reverses) for g in declared_group(torus).generators]
    assert Carriers.of(torus, every) is None
    assert Carriers.of(torus, [turn for turn in every if not turn[2]]) is None
    assert carriers_of(DesignTask(DesignProblem(network_of("mesh:2x3"))).reduction) is None
    reduction = DesignTask(DesignProblem(torus, symmetry="none")).reduction
    assert carriers_of(reduction) is None
    wrong = (np.roll(np.arange(12), 1), np.arange(torus.channel_count), False)
    with pytest.raises(CertificateError, match="no symmetry"):
        Carriers.of(torus, [wrong])


def test_prices_that_are_more_traffic_are_refused() -> None:
    """In the first source's row, in a destination's column, and with unequal charges."""
    network = network_of("ring:5")
    shape = (len(network.destinations), network.channel_count)
    even = RationalArray.full(network.channel_count, 1)

    def priced(places: list[tuple[int, int]], charges: RationalArray = even) -> Fraction:
        index = np.full(shape, -1, dtype=np.int32)
        for destination, channel in places:
            index[destination, channel] = 0
        one = RationalArray.full(1, 1)
        made = worst_case_prices(network, one, lambda _: index, charges, carriers(network))
        return full_bound(network, made).least_load()

    # The first channel leaves the first node; from node 4 it is the second one.
    assert network.tail[:2].tolist() == [0, 1]
    assert priced([(2, 0)]) == 0
    with pytest.raises(CertificateError, match="the first source"):
        priced([(2, 0), (1, 0)])
    with pytest.raises(CertificateError, match="the first destination"):
        priced([(2, 0), (3, 1)])
    with pytest.raises(CertificateError, match="charged unequally"):
        priced([], RationalArray(np.arange(1, network.channel_count + 1), 1))


class _Odd(Routing):
    """Dimension order, but one pair sends half of its packets the other way around."""

    name = "odd"

    def __init__(self, source: int) -> None:
        super().__init__()
        self.source = source
        self.right = make_routing("dor")

    def paths(self, network: Network, source: int, destination: int) -> Any:
        found = list(self.right.paths(network, source, destination))
        if (source, destination) != (self.source, (self.source + 1) % 5):
            return found
        ways = [((source - hop) % 5, (source - hop - 1) % 5) for hop in range(4)]
        back = [next(iter(self.right.paths(network, *way)))[1][0] for way in ways]
        return [(Fraction(1, 2), found[0][1]), (Fraction(1, 2), tuple(back))]


@pytest.mark.parametrize("at_once", [1, 2**20])
@pytest.mark.parametrize("source", range(5))
def test_a_routing_that_is_not_carried_is_refused(
    source: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its odd source is read, or loads a channel that is looked at; all at once, or one by one."""
    monkeypatch.setattr(carried_flows, "LOADS_AT_ONCE", at_once)
    network = network_of("ring:5")
    group = translations_group(network)
    copies = [(c, [(g.nodes, g.channels, g.reverses) for g in group.generators]) for c in (0, 5)]
    check_copies(network, make_routing("dor"), copies, carriers(network))
    with pytest.raises(CertificateError, match="carried by a symmetry"):
        check_copies(network, _Odd(source), copies, carriers(network))
    with pytest.raises(CertificateError, match="was not looked at"):
        check_copies(network, make_routing("dor"), copies[:1], carriers(network))


@pytest.mark.parametrize("name", ["torus:3x4", "hypercube:3"])
def test_designs_are_the_same_when_one_source_is_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when each is; and what a routing says of another source is held against it."""
    network = network_of(name)
    whole = design(network, then="locality")
    monkeypatch.setattr(import_module("obroute.design.proofs"), "TRIPLES_READ", 0)
    read: list[int] = []
    of = CheckedFlows.of.__func__  # type: ignore[attr-defined]

    def noted(cls: type, *given: Any, **named: Any) -> CheckedFlows:
        read.append(named["carriers"] is not None)
        return of(cls, *given, **named)  # type: ignore[no-any-return]

    monkeypatch.setattr(CheckedFlows, "of", classmethod(noted))
    found = design(network, then="locality")
    assert all(read)
    assert (found.load, found.least_path_length, found.path_length) == (
        whole.load,
        whole.least_path_length,
        whole.path_length,
    )
    last = int(network.sources[-1])
    right = DesignedRouting.channel_loads

    def wrong(
        self: DesignedRouting, net: Network, starts: Any, stops: Any
    ) -> SparseRationalMatrix:
        loads = right(self, net, starts, stops)
        return loads.scaled(Fraction(2)) if np.all(np.asarray(starts) == last) else loads

    monkeypatch.setattr(DesignedRouting, "channel_loads", wrong)
    with pytest.raises(CertificateError, match="carried by a symmetry"):
        design(network, then="locality")


def test_translations_of_a_torus_are_where_they_should_be() -> None:
    """The table of carriers, against coordinates."""
    network = make_network("torus:3x4")
    found = carriers(network)
    for source in range(12):
        away = (np.arange(12) // 4 - source // 4) % 3, (np.arange(12) - source) % 4
        image = 4 * away[0] + away[1]
        assert np.array_equal(found.nodes[source], image)
        assert np.array_equal(found.channels[source], preserving(network, image).channels)


@pytest.mark.parametrize(
    "name", few(["ring:4", "torus:3x3", "mesh:3x3", "complete:4"], ["torus:3x3"])
)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_flows_without_cycles_are_those_of_their_paths(name: str, seed: int) -> None:
    """Of walks at random, that go in circles; no flow grows, and each is still one unit."""
    network, draw = network_of(name), np.random.default_rng(seed)
    reduction = Reduction.build(declared_group(network))
    order, starts = network.out_channels
    flows = [Fraction(0)] * reduction.flow_count
    for pair in reduction.pairs:
        walks: dict[tuple[int, ...], Fraction] = {}
        for _ in range(3):
            node, walk = pair.source, []
            while node != pair.destination:
                allowed = [
                    c for c in order[starts[node] : starts[node + 1]].tolist() if pair.flow[c] >= 0
                ]
                walk.append(int(draw.choice(allowed)))
                node = int(network.head[walk[-1]])
            walks[tuple(walk)] = walks.get(tuple(walk), Fraction(0)) + Fraction(1, 3)
        set_pair_flows(pair, walks, flows)
    whole = RationalArray.from_fractions(flows)
    found = without_cycles(reduction, whole)
    assert all(new <= old for new, old in zip(found.fractions(), flows, strict=True))
    routing = DesignedRouting("mine", reduction, flows=found)
    for source in network.sources[:2].tolist():
        for destination in network.destinations.tolist():
            loads = routing.channel_loads(network, np.array([source]), np.array([destination]))
            of_paths: dict[int, Fraction] = {}
            for share, path in routing.paths(network, source, destination):
                for channel in path:
                    of_paths[channel] = of_paths.get(channel, Fraction(0)) + share
            stored = zip(loads.columns.tolist(), loads.values.fractions(), strict=True)
            assert {c: load for c, load in stored if load} == of_paths
