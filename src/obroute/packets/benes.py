"""Looping: vertex-disjoint paths in a Beneš network, and off-line schedules on a hypercube.

Theorem 1 of the notes on routing permutations: for any permutation of the inputs to the outputs of
a Beneš network there are vertex-disjoint paths. The network of dimension n is a first step, two
networks of dimension n - 1, and a last step; an input and its *twin*, whose row differs in the bit
of the first step, lead to the same nodes of the two, and so do an output and its twin. So twins
have to take different subnetworks. Send any input through the first subnetwork; the twin of its
output has to come from the second; the twin of the input it comes from has to take the first, and
so on until the loop closes. Then go on with another input, and last, with both subnetworks.

A row is written as its number; bits are counted from the left, as in
:mod:`obroute.topologies.butterfly`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.compiled import compiled
from obroute.rational import IntArray
from obroute.specs import InputError
from obroute.topologies.butterfly import FORWARD, Benes

LARGEST_INPUT_COUNT = 2**24
NO_MESSAGE = -1


class PathError(Exception):
    """Paths or a schedule do not do what they claim."""


def check_permutation(permutation: NDArray[Any]) -> IntArray:
    """Return a (partial) permutation of a power of two of inputs as integers.

    Entry i is the output that input i sends to, -1 where it sends nothing.

    Raises
    ------
    InputError
        If the number of inputs is no power of two, or an output is none or comes twice.
    """
    given = np.asarray(permutation)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise InputError(
            f"a permutation of shape {given.shape} and type {given.dtype}; expected a list of "
            "whole numbers, the output of each input"
        )
    count = given.size
    if count < 2 or count & (count - 1):
        raise InputError(
            f"a permutation of {count} inputs; expected a power of two, at least 2 (complete it "
            "with -1 where an input sends nothing)"
        )
    if count > LARGEST_INPUT_COUNT:
        gigabytes = count * (2 * count.bit_length() + 1) * 4 / 1e9
        raise InputError(
            f"the rows of {count} inputs would take about {gigabytes:.0f} GB; expected at most "
            f"{LARGEST_INPUT_COUNT} inputs"
        )
    outputs = given.astype(np.int64)
    wrong = np.flatnonzero((outputs < NO_MESSAGE) | (outputs >= count))
    if wrong.size:
        raise InputError(
            f"input {wrong[0]} sends to {outputs[wrong[0]]}, which is no output; expected 0 to "
            f"{count - 1}, or -1 where it sends nothing"
        )
    times = np.bincount(outputs[outputs >= 0], minlength=count)
    twice = np.flatnonzero(times > 1)
    if twice.size:
        senders = np.flatnonzero(outputs == twice[0])
        raise InputError(
            f"not a permutation: inputs {senders[0]} and {senders[1]} both send to output "
            f"{twice[0]}; name each output at most once"
        )
    return outputs


def complete_permutation(permutation: NDArray[Any]) -> IntArray:
    """Return the permutation with a destination for every input that has none.

    An input whose own output is free sends there; the rest follow in ascending order.

    >>> complete_permutation(np.array([1, -1, -1, 0])).tolist()
    [1, 3, 2, 0]
    >>> complete_permutation(np.array([1, -1, -1, -1])).tolist()
    [1, 0, 2, 3]
    """
    outputs = np.array(permutation, dtype=np.int64)
    silent = outputs < 0
    free = np.ones(len(outputs), dtype=np.bool_)
    free[outputs[~silent]] = False
    home = np.flatnonzero(silent & free)
    outputs[home] = home
    silent[home] = free[home] = False
    outputs[silent] = np.flatnonzero(free)
    return outputs


def benes_rows(permutation: NDArray[Any]) -> NDArray[np.int32]:
    """Return vertex-disjoint paths from inputs to outputs, as the row at each level.

    Parameters
    ----------
    permutation
        The output of each of N = 2ⁿ inputs, -1 where an input sends nothing. What is missing is
        completed before looping.

    Returns
    -------
    NDArray[np.int32]
        Array inputs × (2n + 1): the row at each level of ``benes:n``; -1 throughout where the
        input sends nothing.

    Raises
    ------
    InputError
        If it is no permutation, or N is no power of two.

    Notes
    -----
    Takes O(N log N) steps: one visit to each input at each of n levels of the recursion.

    Examples
    --------
    >>> benes_rows(np.array([1, 0])).tolist()
    [[0, 0, 1], [1, 1, 0]]
    >>> rows = benes_rows(np.array([2, 0, 3, 1]))
    >>> check_disjoint(rows, np.array([2, 0, 3, 1]))
    """
    outputs = check_permutation(permutation)
    rows: NDArray[np.int32] = _loop(complete_permutation(outputs).astype(np.int32))
    rows[outputs < 0] = NO_MESSAGE
    return rows


@compiled
def _loop(outputs: Any) -> Any:
    """Assign subnetworks by forced connections, one level of the recursion after the other.

    At level l the nodes (row, l) on the left and (row, 2n - l) on the right are the inputs and
    outputs of 2ˡ subnetworks, told apart by the first l bits of the row. ``output_of`` and
    ``input_of`` hold which row on the right each row on the left has to reach, and back.
    """
    count = len(outputs)
    levels = 0
    while (1 << levels) < count:
        levels += 1
    rows = np.empty((count, 2 * levels + 1), dtype=np.int32)
    message = np.arange(count).astype(np.int32)
    output_of = outputs.copy()
    input_of = np.empty_like(outputs)
    for row in range(count):
        input_of[output_of[row]] = row
        rows[row, 0] = row
        rows[row, 2 * levels] = output_of[row]
    next_message = np.empty_like(message)
    next_output_of = np.empty_like(output_of)
    next_input_of = np.empty_like(input_of)
    subnetwork = np.empty(count, dtype=np.int8)
    for level in range(levels):
        twin = count >> (level + 1)
        subnetwork[:] = -1
        for start in range(count):
            row = start
            while subnetwork[row] < 0:
                subnetwork[row] = 0
                partner = input_of[output_of[row] ^ twin]
                subnetwork[partner] = 1
                row = partner ^ twin
        for row in range(count):
            bit = twin * subnetwork[row]
            left = (row & ~twin) | bit
            right = (output_of[row] & ~twin) | bit
            next_message[left] = message[row]
            next_output_of[left] = right
            next_input_of[right] = left
            rows[message[row], level + 1] = left
            rows[message[row], 2 * levels - level - 1] = right
        message, next_message = next_message, message
        output_of, next_output_of = next_output_of, output_of
        input_of, next_input_of = next_input_of, input_of
    return rows


def check_disjoint(rows: NDArray[Any], permutation: NDArray[Any]) -> None:
    """Prove that rows are vertex-disjoint paths of a Beneš network that realise a permutation.

    Shares no code with the looping: it looks at one level after the other, at every path.

    Raises
    ------
    PathError
        Names the first input or level where something does not hold.
    """
    outputs = check_permutation(permutation)
    count = len(outputs)
    bits = count.bit_length() - 1
    if rows.shape != (count, 2 * bits + 1):
        raise PathError(f"rows of shape {rows.shape}; expected {count} × {2 * bits + 1}")
    sending = np.flatnonzero(outputs >= 0)
    levels = np.ascontiguousarray(rows[sending].T)
    wrong = sending[(levels[0] != sending) | (levels[-1] != outputs[sending])]
    if wrong.size:
        raise PathError(f"input {wrong[0]}: its path does not lead from it to its output")
    outside = np.flatnonzero(((levels < 0) | (levels >= count)).any(axis=1))
    if outside.size:
        raise PathError(f"level {outside[0]}: a path leaves the network")
    for level, here in enumerate(levels):
        visits = np.bincount(here, minlength=count)
        if visits.max() > 1:
            raise PathError(f"level {level}: {visits.max()} paths meet in row {visits.argmax()}")
    for level, here in enumerate(levels[:-1]):
        place_from_left = level if level < bits else 2 * bits - 1 - level
        value = 2 ** (bits - 1 - place_from_left)
        there = levels[level + 1]
        jump = np.abs(there - here)
        # the rows differ in that bit alone: by its value, the bits above being equal
        same_above = there // (2 * value) == here // (2 * value)
        astray = sending[(jump != 0) & ((jump != value) | ~same_above)]
        if astray.size:
            raise PathError(
                f"input {astray[0]}: no channel joins rows {rows[astray[0], level]} and "
                f"{rows[astray[0], level + 1]} of levels {level} and {level + 1}"
            )


def benes_paths(network: Benes, rows: NDArray[Any]) -> IntArray:
    """Return the channels of paths given by their rows, inputs × 2n; -1 for an input without one.

    Raises
    ------
    InputError
        If the rows are not those of the network.

    Examples
    --------
    >>> from obroute import make_network
    >>> benes = make_network("benes:1")
    >>> paths = benes_paths(benes, benes_rows(np.array([1, 0])))
    >>> [benes.path_nodes(0, tuple(paths[0])), benes.path_nodes(3, tuple(paths[1]))]
    [(0, 1, 5), (3, 4, 2)]
    """
    if rows.shape != (network.row_count, network.steps + 1):
        raise InputError(
            f"rows of shape {rows.shape} do not belong to {network.name}; expected "
            f"{network.row_count} × {network.steps + 1}"
        )
    before = np.asarray(rows[:, :-1], dtype=np.int64)
    cross = before != rows[:, 1:]
    channels = network.channel_at(FORWARD, np.arange(network.steps), cross, before)
    return np.where(before < 0, NO_MESSAGE, channels)


def offline_schedule(permutation: NDArray[Any]) -> NDArray[np.int32]:
    """Return a schedule of a permutation on ``hypercube:n`` in at most 2n - 1 steps.

    The Beneš paths, contracted to the hypercube, move every packet along the dimension of the
    level or let it stay, so that in each step a node holds one packet. The two middle levels flip
    the same bit and are one step.

    Parameters
    ----------
    permutation
        The destination of each of 2ⁿ nodes, -1 where a node sends nothing.

    Returns
    -------
    NDArray[np.int32]
        Array packets × 2n of nodes: where the packet of each node is after 0, 1, …, 2n - 1 steps;
        -1 throughout where there is none.

    Examples
    --------
    >>> offline_schedule(np.array([3, 2, 1, 0])).tolist()
    [[0, 0, 1, 3], [1, 1, 0, 2], [2, 2, 3, 1], [3, 3, 2, 0]]
    """
    rows = benes_rows(permutation)
    middle = rows.shape[1] // 2
    return np.delete(rows, middle, axis=1)


def check_schedule(schedule: NDArray[Any], permutation: NDArray[Any]) -> int:
    """Run a schedule on the hypercube and return the number of steps in which packets move.

    In every step each packet stays or crosses one channel of the hypercube, no channel carries
    two packets, and after the last one every packet is at its destination. It knows nothing of
    Beneš networks.

    Raises
    ------
    PathError
        Names the first step or packet where that does not hold.
    """
    outputs = check_permutation(permutation)
    count = len(outputs)
    if schedule.ndim != 2 or len(schedule) != count:
        raise PathError(f"a schedule of shape {schedule.shape}; expected a row for {count} nodes")
    packets = np.flatnonzero(outputs >= 0)
    place = packets.copy()
    busy = 0
    for step, goal in enumerate(np.ascontiguousarray(schedule[packets].T, dtype=np.int64)):
        moving = np.flatnonzero(goal != place)
        if step == 0 and moving.size:
            raise PathError(f"packet {packets[moving[0]]} does not start at its node")
        if goal.size and (goal.min() < 0 or goal.max() >= count):
            raise PathError(f"step {step}: a packet leaves the hypercube")
        tails, heads = place[moving], goal[moving]
        far = np.flatnonzero(np.bitwise_count(tails ^ heads) != 1)
        if far.size:
            raise PathError(
                f"step {step}: nodes {tails[far[0]]} and {heads[far[0]]} are not adjacent"
            )
        channels, packets_on = np.unique(tails * count + heads, return_counts=True)
        if channels.size and packets_on.max() > 1:
            tail, head = divmod(int(channels[packets_on.argmax()]), count)
            raise PathError(
                f"step {step}: {packets_on.max()} packets cross the channel from {tail} to {head}"
            )
        busy += channels.size > 0
        place = goal
    lost = packets[place != outputs[packets]]
    if lost.size:
        raise PathError(f"packet {lost[0]} does not arrive")
    return busy
