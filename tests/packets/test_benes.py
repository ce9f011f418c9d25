"""Looping finds vertex-disjoint paths for any permutation, and schedules from them."""

from __future__ import annotations

from itertools import permutations, product
from time import process_time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from obroute import InputError, make_network, make_pattern
from obroute.packets.benes import (
    PathError,
    benes_paths,
    benes_rows,
    check_disjoint,
    check_schedule,
    complete_permutation,
    offline_schedule,
)
from obroute.traffic import random_permutations


def check_written_out(rows: NDArray[Any], permutation: NDArray[Any]) -> None:
    """Check paths node by node, rows as strings of bits, with sets."""
    bits = len(permutation).bit_length() - 1
    order = [*range(bits), *reversed(range(bits))]
    seen = set()
    for source, destination in enumerate(permutation.tolist()):
        path = rows[source].tolist()
        assert len(path) == 2 * bits + 1
        if destination < 0:
            assert set(path) == {-1}
            continue
        assert (path[0], path[-1]) == (source, destination)
        for level, row in enumerate(path):
            assert (row, level) not in seen
            seen.add((row, level))
        for level, bit in enumerate(order):
            here, there = f"{path[level]:0{bits}b}", f"{path[level + 1]:0{bits}b}"
            assert here[:bit] + here[bit + 1 :] == there[:bit] + there[bit + 1 :]


@pytest.mark.slow
def test_all_permutations_of_eight_inputs_have_disjoint_paths() -> None:
    """All 40,320 of them (notes, Theorem 1)."""
    for permutation in permutations(range(8)):
        wanted = np.array(permutation)
        check_disjoint(benes_rows(wanted), wanted)


def test_a_thousand_random_permutations_of_1024_inputs_have_disjoint_paths() -> None:
    """Every time."""
    for wanted in random_permutations(1000, 1024, seed=7):
        check_disjoint(benes_rows(wanted), wanted)


@pytest.mark.parametrize("count", [2, 4, 8, 16, 64])
def test_paths_are_those_of_the_definition(count: int) -> None:
    """Checked once more without arrays."""
    for wanted in random_permutations(10, count, seed=3):
        check_written_out(benes_rows(wanted), wanted)


def test_all_partial_permutations_of_four_inputs_have_disjoint_paths() -> None:
    """All 209: what is missing is completed, and has no path in the result."""
    found = 0
    for outputs in product(range(-1, 4), repeat=4):
        sent = [output for output in outputs if output >= 0]
        if len(set(sent)) == len(sent):
            wanted = np.array(outputs)
            rows = benes_rows(wanted)
            check_disjoint(rows, wanted)
            check_written_out(rows, wanted)
            assert check_schedule(offline_schedule(wanted), wanted) <= 3
            found += 1
    assert found == 209


def test_completing_keeps_what_is_given() -> None:
    """Free inputs stay at home where they can."""
    given = np.array([5, -1, -1, 0, -1, -1, 7, 6])
    assert complete_permutation(given).tolist() == [5, 1, 2, 0, 4, 3, 7, 6]
    assert given[1] == -1, "the permutation given is not changed"


@pytest.mark.parametrize("dimensions", [1, 2, 5])
def test_rows_are_paths_of_the_benes_network(dimensions: int) -> None:
    """Its channels join them, from inputs to outputs, and no node is on two."""
    network: Any = make_network(f"benes:{dimensions}")
    count = 2**dimensions
    wanted = np.random.default_rng(1).permutation(count)
    channels = benes_paths(network, benes_rows(wanted))
    visited: list[int] = []
    for source in range(count):
        nodes = network.path_nodes(int(network.sources[source]), tuple(channels[source].tolist()))
        assert nodes[-1] == network.destinations[wanted[source]]
        visited += nodes
    assert sorted(visited) == list(range(network.node_count))


def test_paths_of_inputs_without_a_message_are_none() -> None:
    """-1 in place of channels."""
    network: Any = make_network("benes:2")
    channels = benes_paths(network, benes_rows(np.array([3, -1, 1, -1])))
    assert (channels == -1).all(axis=1).tolist() == [False, True, False, True]
    with pytest.raises(
        InputError, match=r"shape \(8, 7\) do not belong to benes:2; expected 4 × 5"
    ):
        benes_paths(network, benes_rows(np.arange(8)))


@pytest.mark.parametrize("pattern", ["transpose", "bit_reverse", "bit_complement", "shuffle"])
@pytest.mark.parametrize("dimensions", [2, 4, 8])
def test_a_hypercube_routes_any_permutation_in_2n_minus_1_steps(
    pattern: str, dimensions: int
) -> None:
    """Run on the hypercube's own channels, one packet a channel and step."""
    cube = make_network(f"hypercube:{dimensions}")
    wanted = make_pattern(pattern).permutation(cube)
    schedule = offline_schedule(wanted)
    assert schedule.shape == (2**dimensions, 2 * dimensions)
    assert check_schedule(schedule, wanted) <= 2 * dimensions - 1
    assert np.array_equal(schedule[:, 0], np.arange(2**dimensions))
    assert np.array_equal(schedule[:, -1], wanted)
    for step in range(2 * dimensions - 1):
        tail, head = schedule[:, step], schedule[:, step + 1]
        channels = cube.channels_between(tail, head)[tail != head]
        assert (channels >= 0).all()
        assert len(set(channels.tolist())) == len(channels)


@pytest.mark.slow
def test_a_million_inputs_take_seconds() -> None:
    """2^20, looped, proved disjoint and scheduled."""
    wanted = np.random.default_rng(2).permutation(2**20)
    start = process_time()
    rows = benes_rows(wanted)
    assert process_time() - start < 20
    check_disjoint(rows, wanted)
    assert check_schedule(offline_schedule(wanted), wanted) <= 39


# ----------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("permutation", "message"),
    [
        ([0, 1, 2], "3 inputs; expected a power of two, at least 2"),
        ([0], "1 inputs; expected a power of two"),
        ([], "0 inputs; expected a power of two"),
        ([0, 1, 1, 2], "inputs 1 and 2 both send to output 1; name each output at most once"),
        ([0, 1, 4, 2], "input 2 sends to 4, which is no output; expected 0 to 3"),
        ([0, 1, -2, 2], "input 2 sends to -2"),
        ([0.5, 1.0], "type float64; expected a list of whole numbers"),
        ([[0, 1], [2, 3]], r"shape \(2, 2\)"),
    ],
)
def test_what_is_no_permutation_is_refused(permutation: list[Any], message: str) -> None:
    """The input, its value and the remedy are named."""
    for refuse in (benes_rows, offline_schedule):
        with pytest.raises(InputError, match=message):
            refuse(np.array(permutation))


def test_a_permutation_that_no_memory_holds_is_refused() -> None:
    """With the memory that its paths would take."""
    with pytest.raises(InputError, match=r"33554432 inputs would take about \d+ GB"):
        benes_rows(np.zeros(2**25, dtype=np.int8))


@pytest.mark.parametrize(
    ("place", "row", "message"),
    [
        ((3, 0), 2, "input 3: its path does not lead"),
        ((3, 6), 2, "input 3: its path does not lead"),
        ((3, 3), 8, "level 3: a path leaves the network"),
        ((3, 3), -1, "level 3: a path leaves the network"),
        ((3, 2), None, "level 2: 2 paths meet in row"),
    ],
)
def test_the_check_finds_paths_that_are_wrong(
    place: tuple[int, int], row: int | None, message: str
) -> None:
    """Ends, network and disjointness."""
    wanted = np.array([6, 2, 7, 0, 3, 1, 5, 4])
    rows = benes_rows(wanted)
    rows[place] = rows[4, 2] if row is None else row
    with pytest.raises(PathError, match=message):
        check_disjoint(rows, wanted)


def test_the_check_finds_channels_that_do_not_exist() -> None:
    """Two paths that change places in one level, and rows of another permutation."""
    wanted = np.random.default_rng(4).permutation(16)
    rows = benes_rows(wanted)
    found = 0
    for first, second in product(range(16), repeat=2):
        if first < second:
            swapped = rows.copy()
            swapped[[first, second], 4] = rows[[second, first], 4]
            steps = swapped[:, 4] ^ swapped[:, 3], swapped[:, 5] ^ swapped[:, 4]
            if all(set(step.tolist()) <= {0, 1} for step in steps):
                check_disjoint(swapped, wanted)  # twins in the middle may change places
                continue
            with pytest.raises(PathError, match="no channel joins rows"):
                check_disjoint(swapped, wanted)
            found += 1
    assert found > 100
    with pytest.raises(PathError, match="does not lead from it to its output"):
        check_disjoint(rows, wanted[::-1])
    with pytest.raises(PathError, match="expected 16 × 9"):
        check_disjoint(rows[:, 1:], wanted)


def test_the_check_finds_schedules_that_are_wrong() -> None:
    """A start, a jump, a shared channel, an end, a shape."""
    wanted = np.array([3, 2, 1, 0])
    for schedule, message in (
        ([[1, 3], [1, 2], [2, 1], [3, 0]], "packet 0 does not start at its node"),
        ([[0, 3], [1, 2], [2, 1], [3, 0]], "step 1: nodes 0 and 3 are not adjacent"),
        ([[0, 0, 1, 3], [1, 1, 1, 3], [2, 2, 2, 2], [3, 3, 3, 3]], "2 packets cross .* 1 to 3"),
        ([[0, 1], [1, 3], [2, 0], [3, 2]], "packet 0 does not arrive"),
        ([[0, 4], [1, 3], [2, 0], [3, 2]], "step 1: a packet leaves the hypercube"),
        ([[0, 1]], "expected a row for 4 nodes"),
    ):
        with pytest.raises(PathError, match=message):
            check_schedule(np.array(schedule), wanted)
