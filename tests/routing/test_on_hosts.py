"""Routings of routers where every host is a node."""

from __future__ import annotations

import numpy as np
import pytest

from obroute import make_network, make_routing
from obroute.routing import Routing
from obroute.routing.on_hosts import OnHosts, on_hosts
from obroute.worst_cases import worst_cases

CASES = [
    ("ring:3,hosts=2", "dor"),
    ("ring:4,hosts=2", "valiant"),
    ("mesh:2x2,hosts=3", "o1turn"),
    ("dragonfly:p=2,a=2,h=1", "minimal"),
]


@pytest.mark.parametrize(("network", "name"), CASES)
def test_loads_are_those_of_the_paths(network: str, name: str) -> None:
    """Of every channel, of routers and of hosts."""
    hosted = make_network(f"hosted:({network})")
    routing = on_hosts(make_routing(name), hosted)
    assert isinstance(routing, OnHosts)
    for channel in range(0, hosted.channel_count, 5 if hosted.node_count > 12 else 1):
        found, plain = (
            routing.pair_loads(hosted, channel),
            Routing.pair_loads(routing, hosted, channel),
        )
        assert np.array_equal(found.rows, plain.rows)
        assert np.array_equal(found.columns, plain.columns)
        assert found.values.fractions() == plain.values.fractions()


@pytest.mark.parametrize(("network", "name"), CASES)
def test_the_worst_case_is_that_of_the_routers(network: str, name: str) -> None:
    """A router's hosts that are treated alike may be counted; a host's own cable carries 1."""
    base, hosted = make_network(network), make_network(f"hosted:({network})")
    routing = make_routing(name)
    of_routers = worst_cases(base, routing).load
    assert worst_cases(hosted, on_hosts(routing, hosted)).load == max(1, of_routers)


def test_what_no_family_knows_is_itself() -> None:
    """ECMP is itself on hosts; a routing that is defined nowhere stays as it is."""
    hosted = make_network("hosted:(ring:3,hosts=2)")
    for name in ("ecmp", "bit_fixing"):
        routing = make_routing(name)
        assert on_hosts(routing, hosted) is routing
    dor = make_routing("dor")
    assert on_hosts(dor, make_network("ring:3")) is dor


def test_paths_are_drawn_from_the_distribution() -> None:
    """With the channels of both hosts; a host reaches itself by none."""
    hosted = make_network("hosted:(ring:4,hosts=2)")
    routing = on_hosts(make_routing("dor"), hosted)
    first, last = (int(node) for node in hosted.sources[[0, -3]])
    known = {path for _, path in routing.paths(hosted, first, last)}
    generator = np.random.default_rng(0)
    drawn = {routing.sample_path(hosted, first, last, generator) for _ in range(20)}
    assert drawn == known
    assert len(known) == 2
    assert routing.sample_path(hosted, first, first, generator) == ()
