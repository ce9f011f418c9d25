"""Exact routings from a solver's floats.

The flow of each canonical pair is taken apart into paths, probabilities are rounded so that they
sum to one exactly, and the result is averaged over the pair's stabiliser. It is a routing whatever
the solver did; its loads are found by exact matchings, and bound the optimum from above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from obroute.compiled import compiled
from obroute.design.formulation import DesignProgram, PathColumns
from obroute.network import Network, Path
from obroute.rational import FloatArray, IntArray, RationalArray
from obroute.routing.designed import set_pair_flows
from obroute.symmetry import CanonicalPair

PROBABILITY_BITS = 40
"""Path probabilities are multiples of 2 to the minus this."""

SMALLEST_FLOW = 1e-9


def rounded_flows(program: DesignProgram, values: FloatArray) -> list[Fraction]:
    """Return exact flows near the solver's: a true routing, whatever the floats are.

    It keeps the bound on path length, by as large a share of shortest paths as that takes.

    Parameters
    ----------
    program
        The program that was solved.
    values
        The solver's values of the columns.
    """
    return _flows_of(program, rounded_paths(program, values))


def rounded_paths(program: DesignProgram, values: FloatArray) -> list[dict[Path, Fraction]]:
    """Return exact path probabilities of the canonical pairs near the solver's."""
    values = np.where(np.isfinite(values), np.maximum(values, 0.0), 0.0)
    paths = (
        [_paths_of(program.network, pair, values[pair.flow]) for pair in program.reduction.pairs]
        if program.path_columns is None
        else _listed_paths(program, program.path_columns, values)
    )
    limit = program.limit("locality")
    if limit is None:
        return paths
    length = _mean_length(program, paths)
    if length <= limit:
        return paths
    shortest = _shortest_paths(program)
    least = _mean_length(program, shortest)
    share = min((length - limit) / (length - least), Fraction(1)) if least < length else 0
    return [_mixed(a, b, share) for a, b in zip(paths, shortest, strict=True)]


def _mean_length(
    program: DesignProgram, distributions: Sequence[Mapping[Path, Fraction]]
) -> Fraction:
    return program.mean_length(RationalArray.from_fractions(_flows_of(program, distributions)))


def _flows_of(
    program: DesignProgram, distributions: Sequence[Mapping[Path, Fraction]]
) -> list[Fraction]:
    flows = [Fraction(0)] * program.reduction.flow_count
    for pair, distribution in zip(program.reduction.pairs, distributions, strict=True):
        set_pair_flows(pair, distribution, flows)
    return flows


def _listed_paths(
    program: DesignProgram, columns: PathColumns, values: FloatArray
) -> list[dict[Path, Fraction]]:
    distributions = []
    probabilities = values[program.columns["path"].slice]
    for listed, variable in zip(columns.paths, columns.variable, strict=True):
        weights = probabilities[variable]
        # Paths of one orbit must keep equal probabilities: round orbits, not paths.
        orbits, sizes = np.unique(variable, return_counts=True)
        shares = _rounded(np.array([weights[variable == o].sum() for o in orbits]))
        share = {o: s / int(n) for o, s, n in zip(orbits, shares, sizes, strict=True)}
        distributions.append(
            {p: share[v] for p, v in zip(listed, variable, strict=True) if share[v]}
        )
    return distributions


def _shortest_paths(program: DesignProgram) -> list[dict[Path, Fraction]]:
    """Return a shortest path of each canonical pair; of listed ones, its whole orbit evenly."""
    columns = program.path_columns
    if columns is None:
        return [
            {_shortest_path(program.network, pair): Fraction(1)}
            for pair in program.reduction.pairs
        ]
    shortest = []
    for listed, variable in zip(columns.paths, columns.variable, strict=True):
        best = variable[min(range(len(listed)), key=lambda place: len(listed[place]))]
        orbit = [path for path, v in zip(listed, variable, strict=True) if v == best]
        shortest.append(dict.fromkeys(orbit, Fraction(1, len(orbit))))
    return shortest


def _shortest_path(network: Network, pair: CanonicalPair) -> Path:
    """Search the channels that the pair may use, breadth first."""
    order, starts = network.out_channels
    paths: dict[int, Path] = {pair.source: ()}
    for node in (queue := [pair.source]):
        for channel in order[starts[node] : starts[node + 1]].tolist():
            there = int(network.head[channel])
            if pair.flow[channel] >= 0 and there not in paths:
                paths[there] = (*paths[node], channel)
                queue.append(there)
    return paths[pair.destination]


def _mixed(
    first: Mapping[Path, Fraction], second: Mapping[Path, Fraction], share: Fraction | int
) -> dict[Path, Fraction]:
    """Take the second distribution with the given probability, else the first."""
    mixed = {path: (1 - share) * probability for path, probability in first.items()}
    for path, probability in second.items():
        mixed[path] = mixed.get(path, Fraction(0)) + share * probability
    return {path: probability for path, probability in mixed.items() if probability}


def _rounded(weights: FloatArray) -> list[Fraction]:
    """Round weights to multiples of 2^-40 that sum to one; the largest takes what is left."""
    if not weights.any():
        weights = np.ones_like(weights)
    units = np.rint(weights / weights.sum() * 2.0**PROBABILITY_BITS).astype(np.int64)
    units[np.argmax(units)] += 2**PROBABILITY_BITS - units.sum()
    return [Fraction(int(unit), 2**PROBABILITY_BITS) for unit in units]


def _paths_of(network: Network, pair: CanonicalPair, flow: FloatArray) -> dict[Path, Fraction]:
    """Take a float flow apart into paths, widest step first, and round their probabilities."""
    flow = _acyclic(
        *network.out_channels,
        network.tail,
        network.head,
        np.where(pair.flow >= 0, flow, 0.0),
        SMALLEST_FLOW,
    )
    paths: list[Path] = []
    amounts: list[float] = []
    left = 1.0
    while left > SMALLEST_FLOW:
        path = _widest_path(network, pair.source, pair.destination, flow)
        if path is None:
            break
        amount = min(left, float(flow[list(path)].min()))
        flow[list(path)] -= amount
        left -= amount
        paths.append(path)
        amounts.append(amount)
    if not paths:
        allowed = np.where(pair.flow >= 0, 1.0, 0.0)
        path = _widest_path(network, pair.source, pair.destination, allowed)
        assert path is not None
        paths, amounts = [path], [1.0]
    distribution: dict[Path, Fraction] = {}
    for path, probability in zip(paths, _rounded(np.array(amounts)), strict=True):
        distribution[path] = distribution.get(path, Fraction(0)) + probability
    return distribution


def _widest_path(network: Network, source: int, destination: int, flow: FloatArray) -> Path | None:
    order, starts = network.out_channels
    path = _widest(
        order, starts, network.tail, network.head, flow, source, destination, SMALLEST_FLOW / 100
    )
    return tuple(path.tolist()) if len(path) else None


@compiled
def _cancel(
    tail: IntArray, left: FloatArray, way: IntArray, hops: int, channel: int, there: int
) -> int:  # pragma: no cover  # compiled
    """Take out the cycle that a channel to a node on the way closes.

    Return the first place of the way whose channel is used up, or ``hops`` where only the closing
    channel is.
    """
    first = hops
    while first > 0 and tail[way[first - 1]] != there:
        first -= 1
    first -= 1
    amount = left[channel]
    for place in range(first, hops):
        amount = min(amount, left[way[place]])
    left[channel] -= amount
    cut = hops
    for place in range(hops - 1, first - 1, -1):
        left[way[place]] -= amount
        if left[way[place]] <= 0.0:
            cut = place
    return cut


@compiled
def _acyclic(
    order: IntArray,
    starts: IntArray,
    tail: IntArray,
    head: IntArray,
    flow: FloatArray,
    least: float,
) -> FloatArray:  # pragma: no cover  # compiled
    """Return a flow without its cycles, and without what is below ``least`` (depth first).

    Paths that a flow without cycles is taken apart into make none together.
    """
    left = np.where(flow > least, flow, 0.0)
    nodes = len(starts) - 1
    state = np.zeros(nodes, dtype=np.int64)  # 0 new, 1 on the way, 2 done
    place = starts[:-1].copy()
    way = np.empty(nodes, dtype=np.int64)
    for root in range(nodes):
        if state[root]:
            continue
        node, hops = root, 0
        state[root] = 1
        while True:
            if place[node] == starts[node + 1]:
                state[node] = 2
                if hops == 0:
                    break
                hops -= 1
                node = tail[way[hops]]
                place[node] += 1
                continue
            channel = order[place[node]]
            there = head[channel]
            if left[channel] <= 0.0 or state[there] == 2:
                place[node] += 1
            elif state[there] == 0:
                way[hops] = channel
                hops += 1
                state[there] = 1
                node = there
            else:
                cut = _cancel(tail, left, way, hops, channel, there)
                # Go back to the tail of the first channel that is used up.
                while hops > cut:
                    hops -= 1
                    state[node] = 0
                    place[node] = starts[node]
                    node = tail[way[hops]]
    return left


@compiled
def _widest(
    order: IntArray,
    starts: IntArray,
    tail: IntArray,
    head: IntArray,
    flow: FloatArray,
    source: int,
    destination: int,
    least: float,
) -> IntArray:  # pragma: no cover  # compiled
    """Return a path whose narrowest channel is as wide as can be (Prim's search)."""
    count = len(starts) - 1
    width = np.zeros(count)
    by = np.full(count, -1, dtype=np.int64)
    done = np.zeros(count, dtype=np.bool_)
    width[source] = np.inf
    while True:
        node, widest = -1, least
        for candidate in range(count):
            if not done[candidate] and width[candidate] > widest:
                node, widest = candidate, width[candidate]
        if node < 0:
            return np.zeros(0, dtype=np.int64)
        if node == destination:
            break
        done[node] = True
        for place in range(starts[node], starts[node + 1]):
            channel = order[place]
            reach = min(widest, flow[channel])
            if reach > width[head[channel]] and not done[head[channel]]:
                width[head[channel]] = reach
                by[head[channel]] = channel
    hops = 0
    node = destination
    while node != source:
        hops += 1
        node = tail[by[node]]
    path = np.empty(hops, dtype=np.int64)
    node = destination
    while node != source:
        hops -= 1
        path[hops] = by[node]
        node = tail[by[node]]
    return path
