"""Slow twin of the designer: the linear programs of SPAA 2003 as the paper writes them.

One variable for every (source, destination, channel) and two potentials for every terminal and
channel; no symmetry, nothing left out, floats. Nothing is shared with the package, so that an
agreement between the two means something.

A path is the tuple of the indices of the channels that it crosses.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import TypeAlias

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array
from tests.support import reference

Path: TypeAlias = tuple[int, ...]
Pair: TypeAlias = tuple[int, int]
Traffic: TypeAlias = Mapping[Pair, Fraction]
PathSet: TypeAlias = Mapping[Pair, Sequence[Path]]
Sum: TypeAlias = dict[Hashable, float]
"""A linear expression: variables, by any name, to their coefficients."""

LOAD = "w"


@dataclass(frozen=True)
class Graph:
    """A network in plain words: channels are (tail, head, bandwidth), terminals have amounts."""

    nodes: int
    channels: tuple[tuple[int, int, Fraction], ...]
    injection: Mapping[int, Fraction]
    ejection: Mapping[int, Fraction]

    @property
    def pairs(self) -> list[Pair]:
        """Every source with every other destination."""
        return [(s, d) for s, d in product(self.injection, self.ejection) if s != d]


class _Program:
    """A linear program whose variables have names; they are at least 0 unless freed."""

    def __init__(self) -> None:
        self.columns: dict[Hashable, int] = {}
        self.free: set[Hashable] = set()
        self.rows: dict[bool, list[tuple[Sum, float]]] = {True: [], False: []}

    def add(self, left: Sum, rhs: float, *, equality: bool = False) -> None:
        """Add ``left ≤ rhs``, or ``left = rhs``."""
        for name in left:
            self.columns.setdefault(name, len(self.columns))
        self.rows[equality].append((left, rhs))

    def least(self, goal: Sum) -> float:
        """Return the least value of an expression."""
        cost = np.zeros(len(self.columns))
        for name, coefficient in goal.items():
            cost[self.columns[name]] = coefficient
        found = linprog(
            cost,
            *self._arrays(equality=False),
            *self._arrays(equality=True),
            bounds=[(None if name in self.free else 0, None) for name in self.columns],
            method="highs-ipm",
        )
        if not found.success:
            raise ValueError(found.message)
        return float(found.fun)

    def _arrays(self, *, equality: bool) -> tuple[csr_array | None, list[float] | None]:
        rows = self.rows[equality]
        if not rows:
            return None, None
        entries = [
            (value, number, self.columns[name])
            for number, (left, _) in enumerate(rows)
            for name, value in left.items()
        ]
        values, numbers, columns = zip(*entries, strict=True)
        matrix = csr_array((values, (numbers, columns)), shape=(len(rows), len(self.columns)))
        return matrix, [rhs for _, rhs in rows]


def least_load(
    graph: Graph,
    *,
    matrices: Sequence[Traffic] | None = None,
    paths: PathSet | None = None,
    length: Fraction | None = None,
    exactly: bool = False,
) -> float:
    """Return the least load over all routings, as in eq. 6, 8 and 9.

    Parameters
    ----------
    graph
        The network.
    matrices
        Traffic; the load is the mean of their largest normalized channel loads. None for the
        worst case.
    paths
        The paths that each pair may use; None for all.
    length
        What the mean path length (hops) is at most, as in eq. 10; None for no matter.
    exactly
        Whether it is that, not at most that.
    """
    program = _program(graph, matrices, paths)
    if length is not None:
        program.add(_mean_length(graph), float(length), equality=exactly)
    return program.least({LOAD: 1.0})


def least_length(
    graph: Graph,
    load: Fraction,
    *,
    matrices: Sequence[Traffic] | None = None,
    paths: PathSet | None = None,
) -> float:
    """Return the least mean path length (hops) of the routings with at most this load."""
    program = _program(graph, matrices, paths)
    program.add({LOAD: 1.0}, float(load))
    return program.least(_mean_length(graph))


def uniform_traffic(graph: Graph) -> Traffic:
    """Return the traffic in which each destination gets its share from every source."""
    total = sum(graph.ejection.values())
    return {
        (s, d): graph.injection[s] * graph.ejection[d] / total
        for s, d in product(graph.injection, graph.ejection)
    }


def _program(graph: Graph, matrices: Sequence[Traffic] | None, paths: PathSet | None) -> _Program:
    program = _Program()
    for s, d in graph.pairs:
        if paths is None:
            _send_by_channels(program, graph, s, d)
        else:
            _send_by_paths(program, graph, s, d, paths[s, d])
    if matrices is None:
        _bound_worst_case(program, graph)
    else:
        _bound_mean_load(program, graph, matrices)
    return program


def _send_by_channels(program: _Program, graph: Graph, s: int, d: int) -> None:
    """Conserve flow: what leaves a node less what enters it is 1 at s, -1 at d, else 0."""
    for node in range(graph.nodes):
        balance: Sum = {}
        for c, (tail, head, _) in enumerate(graph.channels):
            if node in (tail, head):
                balance["f", s, d, c] = 1.0 if node == tail else -1.0
        if balance:
            program.add(balance, (node == s) - (node == d), equality=True)


def _send_by_paths(
    program: _Program, graph: Graph, s: int, d: int, listed: Sequence[Path]
) -> None:
    """Make path probabilities sum to one; the paths through a channel make up its flow."""
    program.add({("R", s, d, path): 1.0 for path in listed}, 1, equality=True)
    for c in range(len(graph.channels)):
        through: Sum = {("R", s, d, path): -1.0 for path in listed if c in path}
        program.add({("f", s, d, c): 1.0} | through, 0, equality=True)


def _bound_worst_case(program: _Program, graph: Graph) -> None:
    """Write eq. 8: f ≤ v_d - u_s on each channel, and Σ v - Σ u = b w.

    A terminal of more than one unit counts as several of one unit (footnote 1).
    """
    for c, (_, _, bandwidth) in enumerate(graph.channels):
        for s, d in product(graph.injection, graph.ejection):
            flow: Sum = {("f", s, d, c): 1.0} if s != d else {}
            program.add({**flow, ("v", d, c): -1.0, ("u", s, c): 1.0}, 0)
        total: Sum = {("v", d, c): float(amount) for d, amount in graph.ejection.items()}
        total |= {("u", s, c): -float(amount) for s, amount in graph.injection.items()}
        program.free |= set(total)
        program.add({**total, LOAD: -float(bandwidth)}, 0, equality=True)


def _bound_mean_load(program: _Program, graph: Graph, matrices: Sequence[Traffic]) -> None:
    """Write eq. 9: the mean over the matrices of the largest load over bandwidth."""
    for number, traffic in enumerate(matrices):
        for c, (_, _, bandwidth) in enumerate(graph.channels):
            load: Sum = {
                ("f", s, d, c): float(traffic[s, d]) for s, d in graph.pairs if traffic.get((s, d))
            }
            program.add({**load, ("t", number): -float(bandwidth)}, 0)
    mean: Sum = {("t", number): 1 / len(matrices) for number in range(len(matrices))}
    program.add({**mean, LOAD: -1.0}, 0, equality=True)


def _mean_length(graph: Graph) -> Sum:
    """Write eq. 5, each pair weighted by its uniform traffic."""
    total = sum(graph.injection.values())
    traffic = uniform_traffic(graph)
    return {
        ("f", s, d, c): float(traffic[s, d] / total)
        for s, d in graph.pairs
        for c in range(len(graph.channels))
    }


# --------------------------------------------------------------------------------- sets of paths


def minimal_paths(graph: Graph) -> dict[Pair, list[Path]]:
    """List the shortest paths of every pair."""
    edges = [(tail, head) for tail, head, _ in graph.channels]
    return {(s, d): list(reference.ecmp_paths(edges, s, d)) for s, d in graph.pairs}


def two_turn_paths(graph: Graph, radices: Sequence[int], wraps: bool) -> dict[Pair, list[Path]]:
    """List the paths of a grid with at most two turns (section 5.2).

    A path is up to three straight runs, one after another in different dimensions, that visits no
    node twice. Nothing else is asked, so that u-turns are left out too.
    """
    number = {(tail, head): c for c, (tail, head, _) in enumerate(graph.channels)}
    found: dict[Pair, set[Path]] = {pair: set() for pair in graph.pairs}
    for s in graph.injection:
        for nodes in _walks_of_runs([s], None, 3, radices, wraps):
            path = tuple(number[hop] for hop in pairwise(nodes))
            found[s, nodes[-1]].add(path)
    return {pair: sorted(paths) for pair, paths in found.items()}


def _walks_of_runs(
    nodes: list[int], last: int | None, runs: int, radices: Sequence[int], wraps: bool
) -> Iterator[list[int]]:
    """Extend a walk by one run, and by what may follow it."""
    if not runs:
        return
    for dimension, step in product(range(len(radices)), (1, -1)):
        if dimension == last:
            continue
        walk = list(nodes)
        while True:
            place = list(reference.coordinates(radices, walk[-1]))
            place[dimension] += step
            if wraps:
                place[dimension] %= radices[dimension]
            if not 0 <= place[dimension] < radices[dimension]:
                break
            node = reference.node_at(radices, place)
            if node in walk:
                break
            walk.append(node)
            yield walk
            yield from _walks_of_runs(walk, dimension, runs - 1, radices, wraps)
