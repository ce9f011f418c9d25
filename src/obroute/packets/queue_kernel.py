"""The compiled step loop of the store-and-forward simulator.

Kept apart from :mod:`obroute.packets.simulation` so that nothing else is compiled with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from obroute.compiled import compiled

FIFO, LIFO, RANDOM, FARTHEST, NEAREST = range(5)


@compiled
def _mix(value: Any, part: Any) -> Any:
    value = value + np.uint64(part) + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@compiled
def mixed(seed: Any, channel: Any, step: Any, slot: Any) -> Any:
    """Return a pseudo-random 63-bit number that depends on its arguments alone (splitmix64)."""
    value = _mix(_mix(_mix(np.uint64(seed), channel), step), slot)
    return np.int64(value >> np.uint64(1))


@compiled
def _choose(
    discipline: int,
    first: int,
    following: Any,
    length: int,
    remaining_end: Any,
    position: Any,
    draw: int,
) -> Any:
    """Return the packet of a queue to send next and the one before it (-1 at the front)."""
    if discipline in (FIFO, LIFO):
        return first, -1
    packet, before = first, -1
    if discipline == RANDOM:
        for _ in range(draw % length):
            before = packet
            packet = following[packet]
        return packet, before
    best, best_before = packet, before
    best_hops = remaining_end[packet] - position[packet]
    while following[packet] >= 0:
        before = packet
        packet = following[packet]
        hops = remaining_end[packet] - position[packet]
        if (discipline == FARTHEST and hops > best_hops) or (
            discipline == NEAREST and hops < best_hops
        ):
            best, best_before, best_hops = packet, before, hops
    return best, best_before


@compiled
def _doubled(values: Any) -> Any:
    bigger = np.zeros(2 * len(values), dtype=values.dtype)
    bigger[: len(values)] = values
    return bigger


@compiled
def run_steps(
    starts: Any,
    channels: Any,
    injected: Any,
    bandwidth: Any,
    discipline: int,
    seed: int,
    step_limit: int,
    mate: Any,
    watched: Any,
) -> Any:
    """Move packets step by step; see :func:`obroute.packets.simulation.simulate`.

    Packets are numbered in the order of injection. In a step, first packets that arrived in the
    last step and those injected now join the queue of their next channel, in the order of their
    numbers; then every channel sends up to its bandwidth; what it sends arrives when the step
    ends. A channel with a ``mate`` (not -1) shares that bandwidth with it: in even steps the one
    of lower number sends first, in odd ones the other. Returns delivery time (-1 if on the way),
    crossings and longest queue of each channel, and for each step the packets in the network at
    its end and the packets that crossed ``watched`` channels in it.
    """
    packet_count, channel_count = len(injected), len(bandwidth)
    position = starts[:-1].copy()
    delivered = np.full(packet_count, -1, dtype=np.int64)
    first = np.full(channel_count, -1, dtype=np.int32)
    last = np.full(channel_count, -1, dtype=np.int32)
    length = np.zeros(channel_count, dtype=np.int32)
    longest = np.zeros(channel_count, dtype=np.int32)
    crossings = np.zeros(channel_count, dtype=np.int64)
    following = np.full(packet_count, -1, dtype=np.int32)
    active = np.empty(channel_count, dtype=np.int32)
    is_active = np.zeros(channel_count, dtype=np.bool_)
    joining = np.empty(packet_count, dtype=np.int32)
    in_network = np.zeros(1024, dtype=np.int64)
    crossed = np.zeros(1024, dtype=np.int64)
    sent = np.zeros(channel_count, dtype=np.int64)
    passes = 2 if np.any(mate >= 0) else 1
    active_count = joining_count = inside = 0
    following_injection = 0
    step = 0
    while step < step_limit and (inside > 0 or following_injection < packet_count):
        if step == len(in_network):
            in_network = _doubled(in_network)
            crossed = _doubled(crossed)
        moved = joining_count
        while following_injection < packet_count and injected[following_injection] <= step:
            packet = following_injection
            following_injection += 1
            if starts[packet] == starts[packet + 1]:
                delivered[packet] = injected[packet]
            else:
                joining[joining_count] = packet
                joining_count += 1
                inside += 1
        if moved > 0:
            joining[:joining_count].sort()
        for place in range(joining_count):
            packet = joining[place]
            channel = channels[position[packet]]
            following[packet] = -1
            if length[channel] == 0:
                first[channel] = packet
                last[channel] = packet
                if not is_active[channel]:
                    is_active[channel] = True
                    active[active_count] = channel
                    active_count += 1
            elif discipline == LIFO:
                following[packet] = first[channel]
                first[channel] = packet
            else:
                following[last[channel]] = packet
                last[channel] = packet
            length[channel] += 1
            longest[channel] = max(longest[channel], length[channel])
        joining_count = 0
        for turn in range(passes):
            for place in range(active_count):
                channel = active[place]
                budget = bandwidth[channel]
                if passes == 2:
                    other = mate[channel]
                    ahead = other < 0 or (channel < other) == (step % 2 == 0)
                    if ahead != (turn == 0):
                        continue
                    if turn == 1:
                        budget -= sent[other]
                sent[channel] = min(budget, length[channel])
                if watched[channel]:
                    crossed[step] += sent[channel]
                for slot in range(sent[channel]):
                    draw = mixed(seed, channel, step, slot) if discipline == RANDOM else 0
                    packet, before = _choose(
                        discipline,
                        first[channel],
                        following,
                        length[channel],
                        starts[1:],
                        position,
                        draw,
                    )
                    if before < 0:
                        first[channel] = following[packet]
                    else:
                        following[before] = following[packet]
                    if last[channel] == packet:
                        last[channel] = before
                    length[channel] -= 1
                    crossings[channel] += 1
                    position[packet] += 1
                    if position[packet] == starts[packet + 1]:
                        delivered[packet] = step + 1
                        inside -= 1
                    else:
                        joining[joining_count] = packet
                        joining_count += 1
        kept = 0
        for place in range(active_count):
            channel = active[place]
            sent[channel] = 0
            if length[channel] > 0:
                active[kept] = channel
                kept += 1
            else:
                is_active[channel] = False
        active_count = kept
        in_network[step] = inside
        step += 1
    return delivered, crossings, longest, in_network[:step], crossed[:step]
