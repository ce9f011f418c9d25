"""The dual of a best worst case as traffic: no routing serves the listed permutations better."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.support.cases import network_of

import obroute
from obroute import InputError, make_routing
from obroute.design import design, hard_permutations
from obroute.design.task import DesignTask
from obroute.loads import loads_of
from obroute.traffic import Traffic


@pytest.mark.parametrize("name", ["ring:5", "torus:3x3", "mesh:2x3", "complete:4", "lopsided"])
@pytest.mark.parametrize("routing", ["dor", "ecmp", "valiant", "the best"])
def test_the_mean_load_of_any_routing_over_the_list_is_the_best_or_more(
    name: str, routing: str
) -> None:
    """Over all images of the list; of the best routing it is exactly the best worst case."""
    network = network_of(name)
    found = design(network)
    assert found.load is not None
    if routing in ("dor", "valiant") and name in ("complete:4", "lopsided"):
        routing = "ecmp"
    held = found.routing if routing == "the best" else make_routing(routing)
    group = DesignTask(found.problem).reduction.group
    total = Fraction(0)
    hard = hard_permutations(found)
    images = group.elements()
    assert images is not None
    for one in hard:
        sources = np.flatnonzero(one.destinations >= 0)
        ends = network.destinations[one.destinations[sources]]
        for g in images:
            pairs = g.nodes[network.sources[sources]], g.nodes[ends]
            channel = int(g.channels[one.channel])
            starts, stops = pairs[::-1] if g.reverses else pairs
            loads = held.channel_loads(network, starts, stops).column_sums()
            load = loads.fraction(channel) / network.bandwidth.fraction(channel)
            total += one.weight * load / len(images)
    assert sum(one.weight for one in hard) <= 1
    assert total >= found.load.lower
    if routing == "the best":
        assert total == found.load.lower


def test_the_worst_of_a_single_permutation_of_the_list_is_at_least_the_mean() -> None:
    """On a network without symmetry the list itself has one that VAL cannot serve better."""
    network = network_of("lopsided")
    found = design(network, symmetry="none")
    assert found.load is not None
    worst = Fraction(0)
    for one in hard_permutations(found):
        ends = one.destinations.copy()
        ends[ends < 0] = np.setdiff1d(np.arange(5), ends)
        loads = loads_of(make_routing("ecmp"), Traffic.of_permutation(network, ends))
        bandwidths = network.bandwidth.fractions()
        worst = max(
            worst, *(load / b for load, b in zip(loads.fractions(), bandwidths, strict=True))
        )
    assert worst >= found.load.lower


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("ring:5", {"objective": "capacity"}, "best worst case"),
        ("ring:5", {"locality": Fraction(5, 4)}, "best worst case"),
        ("fabric", {}, "one packet per cycle"),
    ],
)
def test_other_designs_have_no_such_list(name: str, settings: dict, words: str) -> None:
    """Said in one line."""
    with pytest.raises(InputError, match=words):
        hard_permutations(design(network_of(name), **settings))


def test_the_command_writes_the_list(answer, tmp_path) -> None:
    """A line a pair, with weight and channel."""
    file = tmp_path / "hard.csv"
    answer("design", "ring:5", "--hard", file)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "permutation,weight,channel,source,destination"
    weights = {line.split(",")[0]: Fraction(line.split(",")[1]) for line in lines[1:]}
    hard = hard_permutations(obroute.design(network_of("ring:5")))
    assert list(weights.values()) == [one.weight for one in hard]
