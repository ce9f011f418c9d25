"""Butterflies and Beneš networks, and routing by bits on them and on hypercubes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from time import process_time

import numpy as np
import pytest
from tests.support.plain_networks import plain

from obroute import InputError, evaluate, make_network, make_routing
from obroute.capacity import capacity_load
from obroute.routing import path_distribution
from obroute.routing.bit_fixing import BitFixing, numbers_with
from obroute.routing.two_phase_bits import TwoPhase
from obroute.symmetry import focus_channels, orbits
from obroute.topologies.butterfly import BACKWARD, FORWARD, Multistage

STAGES = ["butterfly:1", "butterfly:2", "butterfly:3", "benes:1", "benes:2", "benes:3"]


def stages(spec: str) -> Multistage:
    """Make a butterfly or a Beneš network."""
    network = make_network(spec)
    assert isinstance(network, Multistage)
    return network


def written_out(spec: str) -> set[tuple[str, str]]:
    """Write a network's channels out from the definition, rows as strings of bits."""
    family, _, text = spec.partition(":")
    n = int(text)
    bits = [*range(n), *(reversed(range(n)) if family == "benes" else ())]
    found = set()
    for level, bit in enumerate(bits):
        for digits in product("01", repeat=n):
            other = list(digits)
            other[bit] = "10"[int(other[bit])]
            for there in ("".join(digits), "".join(other)):
                here = "".join(digits)
                ends = f"({int(here, 2)},{level})", f"({int(there, 2)},{level + 1})"
                found |= {ends, ends[::-1]}
    return found


@pytest.mark.parametrize("spec", STAGES)
def test_channels_are_those_of_the_definition(spec: str) -> None:
    """Straight and cross at each level, both ways, each once."""
    network = stages(spec)
    found = [
        (network.describe(tail), network.describe(head))
        for tail, head in zip(network.tail.tolist(), network.head.tolist(), strict=True)
    ]
    assert len(found) == len(set(found)) == 4 * network.steps * network.row_count
    assert set(found) == written_out(spec)


@pytest.mark.parametrize("spec", STAGES)
def test_inputs_are_at_the_first_level_and_outputs_at_the_last(spec: str) -> None:
    """In the order of rows; nodes in row-major order of (row, level)."""
    network = stages(spec)
    rows = range(network.row_count)
    assert network.coordinates is not None
    assert network.coordinates[network.sources].tolist() == [[row, 0] for row in rows]
    last = network.steps
    assert network.coordinates[network.destinations].tolist() == [[row, last] for row in rows]
    assert network.coordinates.tolist() == list(map(list, product(rows, range(last + 1))))
    found = np.stack(network.rows_and_levels(np.arange(network.node_count)), axis=1)
    assert np.array_equal(found, network.coordinates)


@pytest.mark.parametrize("spec", STAGES)
def test_a_channel_s_place_leads_back_to_it(spec: str) -> None:
    """Direction, step, cross or straight, and row."""
    network = stages(spec)
    for channel in range(network.channel_count):
        direction, step, cross, row = network.place_of(channel)
        assert network.channel_at(direction, step, cross, row) == channel
        (tail_row, head_row), (tail_level, head_level) = network.rows_and_levels(
            np.array([network.tail[channel], network.head[channel]])
        )
        assert (tail_row, head_row ^ tail_row) == (row, network.flips[step] * cross)
        levels = (step, step + 1) if direction == FORWARD else (step + 1, step)
        assert (tail_level, head_level) == levels


@pytest.mark.parametrize("spec", STAGES)
def test_declared_automorphisms_keep_inputs_and_outputs_and_join_a_step_s_channels(
    spec: str,
) -> None:
    """One orbit of channels for each step and direction."""
    network = stages(spec)
    images = network.automorphisms()
    assert len(images) == network.bits + network.steps
    for image in images.values():
        assert sorted(image.tolist()) == list(range(network.node_count))
        assert set(image[network.sources]) == set(network.sources)
        assert set(image[network.destinations]) == set(network.destinations)
    channels = [network.channel_image(image) for image in images.values()]  # raises if none
    found = orbits(network.channel_count, channels)
    steps = [network.place_of(c)[:2] for c in range(network.channel_count)]
    assert len(set(found)) == len(set(steps)) == len(set(zip(found, steps, strict=True)))


@pytest.mark.parametrize("spec", [*STAGES, "benes:2,bandwidth=3/2"])
def test_closed_forms_are_those_of_a_network_without_them(spec: str) -> None:
    """Capacity by the cut at the inputs and equal-cost multipath, path length by search."""
    network = stages(spec)
    same = plain(network)
    assert network.capacity_load() == capacity_load(same)
    assert network.mean_shortest_path_length() == same.mean_shortest_path_length()
    reached = evaluate(network, "two_phase" if "benes" in spec else "bit_fixing")
    assert (
        reached.uniform.load == network.capacity_load() == 1 / (2 * network.bandwidth.fraction(0))
    )


def test_a_million_channels_are_built_in_seconds() -> None:
    """By arrays; benes:14 has 1.8 million."""
    start = process_time()
    network = make_network("benes:14")
    assert process_time() - start < 5
    assert network.channel_count == 4 * 28 * 2**14


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("butterfly:0", "0 is too small; expected at least 1"),
        ("benes:-1", "-1 is too small"),
        ("benes:x", "'x' is not a whole number"),
        ("butterfly", "dimensions is missing"),
        ("benes:2,bandwidth=0", "0 is not positive"),
    ],
)
def test_bad_parameters_are_refused(spec: str, message: str) -> None:
    """The message names what is wrong."""
    with pytest.raises(InputError, match=message):
        make_network(spec)


# ------------------------------------------------------------------------------------- routing


@pytest.mark.parametrize(
    ("network", "routing", "same"),
    [
        ("butterfly:3", "bit_fixing", "ecmp"),
        ("benes:2", "two_phase", "ecmp"),
        ("hypercube:4", "bit_fixing", "dor"),
        ("hypercube:3", "greedy:order=1-2-0", "dor:order=1-2-0"),
        ("hypercube:3", "two_phase", "valiant"),
    ],
)
def test_a_routing_by_bits_has_the_paths_of_another(network: str, routing: str, same: str) -> None:
    """Where definitions meet: the only, or all, shortest paths; dimension order; Valiant."""
    found, known, where = make_routing(routing), make_routing(same), make_network(network)
    for pair in product(where.sources.tolist(), where.destinations.tolist()):
        assert path_distribution(found, where, *pair) == path_distribution(known, where, *pair)
    for channel in range(where.channel_count):
        assert found.pair_loads(where, channel).equals(known.pair_loads(where, channel))


def test_bit_fixing_on_benes_goes_straight_in_the_second_half() -> None:
    """Rows equal the destination's from the middle level on."""
    network = stages("benes:3")
    routing = make_routing("bit_fixing")
    for source, destination in product(network.sources, network.destinations):
        path = routing.sample_path(network, source, destination, np.random.default_rng(0))
        rows, levels = network.rows_and_levels(np.array(network.path_nodes(source, path)))
        assert levels.tolist() == list(range(7))
        assert set(rows[3:].tolist()) == {int(destination) // 7}


def test_two_phases_on_a_butterfly_go_forth_back_and_forth() -> None:
    """3n hops, the second n straight back along the row that was drawn."""
    network = stages("butterfly:3")
    seen = set()
    for _, path in TwoPhase().paths(network, 0, 7):
        places = [network.place_of(channel) for channel in path]
        assert [place[:2] for place in places] == [
            *((FORWARD, step) for step in (0, 1, 2)),
            *((BACKWARD, step) for step in (2, 1, 0)),
            *((FORWARD, step) for step in (0, 1, 2)),
        ]
        back = {place[2:] for place in places[3:6]}
        assert len(back) == 1
        seen |= back
    assert seen == {(0, row) for row in range(8)}


@pytest.mark.parametrize("spec", ["hypercube:4", "butterfly:4", "benes:3"])
def test_channel_paths_are_the_definition_s(spec: str) -> None:
    """Many packets at once, as one at a time."""
    network = make_network(spec)
    generator = np.random.default_rng(5)
    sources, destinations = (
        generator.choice(network.sources, 30),
        generator.choice(network.destinations, 30),
    )
    greedy = BitFixing().channel_paths(network, sources, destinations)
    middles = generator.integers(len(network.sources), size=30)
    through = TwoPhase().channel_paths(network, sources, middles, destinations)
    for packet in range(30):
        pair = int(sources[packet]), int(destinations[packet])
        ((_, path),) = BitFixing().paths(network, *pair)
        assert tuple(greedy[packet][greedy[packet] >= 0].tolist()) == path
        path = tuple(through[packet][through[packet] >= 0].tolist())
        assert path in path_distribution(TwoPhase(), network, *pair)
    batch = BitFixing().sample_paths(network, sources, destinations, generator)
    assert [batch.path(i) for i in range(30)] == [tuple(row[row >= 0].tolist()) for row in greedy]


@pytest.mark.parametrize(
    ("network", "routing", "orbits_left", "worst"),
    [
        ("butterfly:4", "bit_fixing", 8, Fraction(2)),
        ("butterfly:4", "two_phase", 16, Fraction(1)),
        ("benes:4", "two_phase", 16, Fraction(1, 2)),
        ("hypercube:4", "two_phase", 4, Fraction(1)),
    ],
)
def test_symmetry_leaves_a_few_channels_and_the_worst_case(
    network: str, routing: str, orbits_left: int, worst: Fraction
) -> None:
    """As heavy as over all channels; two phases spread any permutation."""
    where, how = make_network(network), make_routing(routing)
    assert len(focus_channels(where, how.symmetries(where)).channels) == orbits_left
    assert evaluate(where, how).worst_case_load == worst
    assert evaluate(where, how, all_channels=True).worst_case_load == worst


def test_numbers_with_free_bits_are_ascending() -> None:
    """All of them, each once."""
    for bits, free in product(range(16), repeat=2):
        expected = [number for number in range(16) if number & ~free == bits & ~free]
        assert numbers_with(bits, free).tolist() == expected


@pytest.mark.parametrize("routing", ["bit_fixing", "two_phase"])
@pytest.mark.parametrize("network", ["torus:4x4", "complete:4", "mesh:2x3"])
def test_routing_by_bits_is_refused_elsewhere(routing: str, network: str) -> None:
    """With what it is defined for, and what to use."""
    expected = rf"{routing} is not defined on {network}.* hypercube, butterfly and benes.*ecmp"
    with pytest.raises(InputError, match=expected):
        make_routing(routing).check(make_network(network))


@pytest.mark.parametrize("routing", ["bit_fixing", "two_phase"])
def test_a_pair_that_is_no_input_and_output_is_refused(routing: str) -> None:
    """The node is named."""
    network = make_network("butterfly:2")
    with pytest.raises(InputError, match=r"node \(0,1\) is not an input"):
        list(make_routing(routing).paths(network, 1, 2))
    with pytest.raises(InputError, match=r"node \(1,0\) is not an output"):
        list(make_routing(routing).paths(network, 0, 3))


@pytest.mark.parametrize(
    ("network", "routing", "message"),
    [
        ("butterfly:2", "bit_fixing:order=1-0", "levels of butterfly:2 give the order"),
        ("hypercube:3", "bit_fixing:order=1-0", "names 2 dimensions, the network has 3"),
        ("hypercube:3", "bit_fixing:order=random", "dor:order=random"),
        ("hypercube:3", "bit_fixing:order=0-0-1", "not an order"),
        ("butterfly:2", "dor", "not defined on butterfly:2"),
    ],
)
def test_an_order_that_does_not_fit_is_refused(network: str, routing: str, message: str) -> None:
    """With the remedy."""
    with pytest.raises(InputError, match=message):
        make_routing(routing).check(make_network(network))
