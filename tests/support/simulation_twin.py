"""The slow, obvious twin of the store-and-forward simulator: lists, one event at a time.

It takes the same sampled paths and draws the same random choices, so every number must agree.
"""

from __future__ import annotations

MASK = 2**64 - 1


def mixed(seed: int, channel: int, step: int, slot: int) -> int:
    """Return the pseudo-random number that the compiled loop draws for the random discipline."""
    value = seed & MASK
    for part in (channel, step, slot):
        value = (value + part + 0x9E3779B97F4A7C15) & MASK
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
        value ^= value >> 31
    return value >> 1


def choose(queue: list[int], paths, place: dict[int, int], discipline: str, draw: int) -> int:
    """Return the position in a queue (in order of arrival) of the packet that goes next."""
    to_go = [len(paths[packet]) - place[packet] for packet in queue]
    if discipline == "fifo":
        return 0
    if discipline == "lifo":
        return len(queue) - 1
    if discipline == "random":
        return draw % len(queue)
    wanted = max(to_go) if discipline == "farthest" else min(to_go)
    return to_go.index(wanted)


def simulate(paths, injected, bandwidths, discipline, seed, step_limit=10**9, cables=()):
    """Return delivery times, crossings, longest queues and packets in the network per step.

    The two channels of each of ``cables`` share their bandwidth; the lower one goes first in even
    steps.
    """
    place = dict.fromkeys(range(len(paths)), 0)
    delivered = [-1] * len(paths)
    queues: dict[int, list[int]] = {channel: [] for channel in range(len(bandwidths))}
    crossings = [0] * len(bandwidths)
    longest = [0] * len(bandwidths)
    in_network: list[int] = []
    waiting = list(range(len(paths)))
    arrived: list[int] = []
    step = 0
    while step < step_limit and (waiting or arrived or any(queues.values())):
        entering = [packet for packet in waiting if injected[packet] <= step]
        waiting = [packet for packet in waiting if injected[packet] > step]
        for packet in entering:
            if not paths[packet]:
                delivered[packet] = injected[packet]
        joining = sorted(arrived + [packet for packet in entering if paths[packet]])
        for packet in joining:
            channel = paths[packet][place[packet]]
            queues[channel].append(packet)
            longest[channel] = max(longest[channel], len(queues[channel]))
        arrived = []
        left = dict(enumerate(bandwidths))
        for low, high in cables:
            ahead, behind = (low, high) if step % 2 == 0 else (high, low)
            left[behind] -= min(left[ahead], len(queues[ahead]))
        for channel, queue in queues.items():
            for slot in range(min(left[channel], len(queue))):
                draw = mixed(seed, channel, step, slot)
                packet = queue.pop(choose(queue, paths, place, discipline, draw))
                crossings[channel] += 1
                place[packet] += 1
                if place[packet] == len(paths[packet]):
                    delivered[packet] = step + 1
                else:
                    arrived.append(packet)
        in_network.append(len(arrived) + sum(len(queue) for queue in queues.values()))
        step += 1
    return delivered, crossings, longest, in_network
