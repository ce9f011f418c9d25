"""Both verdicts on deadlock checked again, path by path, in plain Python."""

from __future__ import annotations

from itertools import pairwise

from obroute.deadlock import Verdict
from obroute.network import Network, Path

Vertex = tuple[int, int]


def virtual_paths(verdict: Verdict) -> list[tuple[Path, list[Vertex]]]:
    """Give every path of the judged assignment, with the virtual channel of each hop."""
    found = []
    for batch, hops in verdict.assignment:
        channels, numbers = batch.channels.tolist(), hops.tolist()
        for begin, end in pairwise(batch.starts.tolist()):
            pairs = zip(channels[begin:end], numbers[begin:end], strict=True)
            found.append((tuple(channels[begin:end]), list(pairs)))
    return found


def dependencies_of(network: Network, paths: list[tuple[Path, list[Vertex]]]) -> dict:
    """Give what each virtual channel waits for, after looking at each path."""
    waits: dict[Vertex, set[Vertex]] = {}
    for path, vertices in paths:
        assert all(network.head[a] == network.tail[b] for a, b in pairwise(path))
        for vertex in vertices:
            waits.setdefault(vertex, set())
        for before, after in pairwise(vertices):
            waits[before].add(after)
    return waits


def has_cycle(waits: dict[Vertex, set[Vertex]]) -> bool:
    """Search depth first, without recursion, for a vertex that is met again while open."""
    state: dict[Vertex, int] = {}
    for root, first in waits.items():
        if root in state:
            continue
        state[root] = 1
        stack = [(root, iter(first))]
        while stack:
            vertex, onwards = stack[-1]
            for there in onwards:
                if state.get(there) == 1:
                    return True
                if there not in state:
                    state[there] = 1
                    stack.append((there, iter(waits[there])))
                    break
            else:
                state[vertex] = 2
                stack.pop()
    return False


def check_verdict(network: Network, verdict: Verdict) -> None:
    """Hold proof or cycle against every path."""
    paths = virtual_paths(verdict)
    waits = dependencies_of(network, paths)
    assert len(verdict.graph) == sum(len(onwards) for onwards in waits.values())
    assert all(0 <= number < verdict.virtual_channels for _, number in waits)
    assert has_cycle(waits) is not verdict.deadlock_free
    if verdict.numbering is not None:
        number = verdict.numbering.tolist()
        assert verdict.cycle == []
        for _, vertices in paths:
            steps = [number[channel][virtual] for channel, virtual in vertices]
            assert steps[0] >= 0
            assert all(before < after for before, after in pairwise(steps))
    else:
        assert len(verdict.cycle) == len(set(verdict.cycle)) >= 2
        for before, after in pairwise([*verdict.cycle, verdict.cycle[0]]):
            assert after in waits[before]
