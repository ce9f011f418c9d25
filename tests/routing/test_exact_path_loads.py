"""Exact loads of many channels in one call: those of one channel after the other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from tests.support.irregular_networks import digraphs, regular

from obroute import Network
from obroute.routing.exact_path_kernels import LARGEST_COMMON
from obroute.routing.shortest_paths import EqualCostMultipath
from obroute.solved_channels import solve_channels
from obroute.worst_cases import worst_cases


@given(digraphs())
@settings(max_examples=60)
def test_each_is_as_it_is_alone(network: Network) -> None:
    """Whatever the hosts, units, parallel and one-way channels."""
    routing, channels = EqualCostMultipath(), range(network.channel_count)
    together = routing.pair_loads_of_each(network, channels)
    for channel, found in zip(channels, together, strict=True):
        alone = routing.pair_loads(network, channel)
        assert np.array_equal(found.rows, alone.rows)
        assert np.array_equal(found.columns, alone.columns)
        assert found.values.fractions() == alone.values.fractions()


def test_denominators_that_do_not_fit_are_left_to_large_integers() -> None:
    """From 0 by 1 or by 2 to leaves, with a prime number of shortest paths to each."""
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
    assert math.prod(primes) > LARGEST_COMMON
    channels = [(0, 1), (0, 2)]
    for leaf, prime in enumerate(primes, 3):
        channels += [(1, leaf)] * (prime - 1) + [(2, leaf), (leaf, 0)]
    network = Network("primes", 3 + len(primes), *map(list, zip(*channels, strict=True)))
    routing = EqualCostMultipath()
    counted = routing._counted(network)
    assert counted is not None
    assert set(counted.exact_each(np.arange(4))) == {2, 3}
    first = routing.pair_loads_of_each(network, [0])[0]
    assert math.prod(primes) % first.values.denominator == 0
    assert first.values.denominator >= LARGEST_COMMON
    found = {result.worst.channel: result for result in solve_channels(network, routing, [2, 0])}
    assert found[0].normalized_load > found[2].normalized_load


@pytest.mark.slow
def test_every_channel_of_a_network_is_solved_as_few_are() -> None:
    """The largest of all is the worst case that bounds leave."""
    network, routing = regular(40, 3), EqualCostMultipath()
    every = worst_cases(network, routing, all_channels=True)
    assert every.load == worst_cases(network, EqualCostMultipath()).load
    assert all(result.certified for result in every.channels)
    assert [result.worst.channel for result in every.channels] == list(range(120))
