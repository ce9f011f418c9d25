"""Every family of networks: what a small member says of itself is what its channels say."""

from __future__ import annotations

import pytest
from tests.support.cases import NETWORKS, evaluated, network_of
from tests.support.plain_networks import plain

from obroute.network import Network

for_every_network = pytest.mark.parametrize("spec", NETWORKS)


@for_every_network
def test_shortcuts_of_a_family_agree_with_the_definition(spec: str) -> None:
    """The mean path length, and that every terminal can be reached."""
    network = network_of(spec)
    assert network.mean_shortest_path_length() == Network.mean_shortest_path_length(network)
    assert plain(network).mean_shortest_path_length() == network.mean_shortest_path_length()


@for_every_network
def test_generators_of_a_family_are_automorphisms(spec: str) -> None:
    """Each is a permutation of the nodes that keeps channels, bandwidths and terminals."""
    network = network_of(spec)
    channels = sorted(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    width = dict(zip(channels_of(network), network.bandwidth.fractions(), strict=True))
    for generator, image in network.automorphisms().items():
        assert sorted(image.tolist()) == list(range(network.node_count)), str(generator)
        moved = [(int(image[tail]), int(image[head])) for tail, head in channels_of(network)]
        assert sorted(moved) == channels, str(generator)
        assert [width[channel] for channel in moved] == network.bandwidth.fractions()
        assert set(image[network.sources]) == set(network.sources), str(generator)
        assert set(image[network.destinations]) == set(network.destinations), str(generator)


def channels_of(network: Network) -> list[tuple[int, int]]:
    """Give the ends of each channel; those of parallel ones are equal, as are their bandwidths."""
    return list(zip(network.tail.tolist(), network.head.tolist(), strict=True))


@for_every_network
def test_a_capacity_in_closed_form_is_no_more_than_what_shortest_paths_reach(spec: str) -> None:
    """No routing loads channels less, so that this one's uniform load is a bound."""
    network = network_of(spec)
    found = network.capacity_load()
    assert found is None or 0 < found <= evaluated(spec, "ecmp").uniform.load


@for_every_network
def test_a_series_rises_by_a_number_that_the_name_gives(spec: str) -> None:
    """A size is positive, and a radix and dimensions multiply to the nodes."""
    network = network_of(spec)
    assert network.size is None or network.size > 0
    if network.radix is not None and network.dimensions is not None:
        assert network.radix**network.dimensions == network.node_count
