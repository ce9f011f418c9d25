"""Design problems as linear programs in exact integers.

Variables, all at least zero: the flow ``f`` of each orbit of (pair, channel); the largest
normalized load ``w``; and what the objective needs. Rows, all ``=`` or ``≤``:

- *flow*: each canonical pair sends one unit from its source to its destination (SPAA 2003,
  section 4); or, for a set of paths, path probabilities ``x`` sum to one and make up the flow;
- *worst case*: for a focus channel, ``f ≤ u_s + v_d`` for every orbit of pairs, and
  ``Σ injection·u + Σ ejection·v ≤ bandwidth·w``: the dual of the matching (SPAA 2003, eq. 8; the
  paper's ``-u`` is our ``u``);
- *traffic*: the load of given traffic on each focus channel is at most ``bandwidth·w``;
- *average case*: each sampled matrix has its largest load ``t``, and their mean is at most ``w``
  (SPAA 2003, eq. 9);
- *locality*: the mean path length is at most, or exactly, a given one; *load*: ``w`` is at most a
  given one.

The objective is ``w`` or the mean path length. Numbers are integers, so that a basis of the
solver can be checked exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.symmetry import CanonicalPair, Reduction


@dataclass
class LinearProgram:
    """Minimise ``cost · x`` over x ≥ 0 with rows ``matrix · x = rhs`` or ``≤ rhs``.

    ``matrix`` and ``cost`` are integers (``int64``), right-hand sides are rationals.
    """

    matrix: csr_array
    equality: NDArray[np.bool_]
    rhs: list[Fraction]
    cost: IntArray

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.matrix.shape
        return int(rows), int(columns)


class _Rows:
    """Rows under construction."""

    def __init__(self) -> None:
        self.rows: list[NDArray[Any]] = []
        self.columns: list[NDArray[Any]] = []
        self.values: list[NDArray[Any]] = []
        self.equality: list[bool] = []
        self.rhs: list[Fraction] = []
        self._built: csr_array | None = None

    @property
    def count(self) -> int:
        return len(self.rhs)

    def add(
        self,
        rows: NDArray[Any],
        columns: NDArray[Any],
        values: NDArray[Any],
        rhs: Sequence[Fraction | int],
        *,
        equality: bool,
    ) -> slice:
        first = self.count
        self.rows.append(np.asarray(rows, dtype=np.int64) + first)
        self.columns.append(np.asarray(columns, dtype=np.int64))
        self.values.append(np.asarray(values, dtype=np.int64))
        self.rhs.extend(Fraction(value) for value in rhs)
        self.equality.extend([equality] * len(rhs))
        return slice(first, self.count)

    def row(self, number: int) -> tuple[NDArray[Any], NDArray[Any], Fraction]:
        """Return columns, coefficients and right-hand side of a row that was added alone."""
        place = next(
            i
            for i in reversed(range(len(self.rows)))
            if self.rows[i].size and self.rows[i][0] == number
        )
        return self.columns[place], self.values[place], self.rhs[number]

    def matrix(self, columns: int) -> csr_array:
        """Return the coefficients; the same matrix until rows or columns are added."""
        if self._built is not None and self._built.shape == (self.count, columns):
            return self._built
        places = (np.concatenate(self.rows), np.concatenate(self.columns))
        matrix = csr_array(
            (np.concatenate(self.values), places), shape=(self.count, columns), dtype=np.int64
        )
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        self._built = matrix
        return matrix


@dataclass(frozen=True, eq=False)
class PathColumns:
    """Orbits of the paths of a set: the paths of every canonical pair and their variables.

    ``variable[i]`` is the variable of path i, whose channels are ``channels[starts[i]:starts[i +
    1]]`` and whose canonical pair is ``pair[i]``.
    """

    paths: list[list[tuple[int, ...]]]
    variable: list[IntArray]
    count: int


@dataclass(frozen=True, eq=False)
class PotentialRows:
    """The potentials of a focus channel: columns and the rows that use them.

    ``first`` is the column of the first orbit of potentials; ``budget`` the integer weight of
    each orbit in the budget row; ``flows`` the flow variables on the channel with ``source`` and
    ``destination`` the potential orbits of each; ``pair_rows`` and ``budget_row`` the rows;
    ``bandwidth`` the weight of ``w`` in the budget row.
    """

    channel: int
    first: int
    budget: IntArray
    flows: IntArray
    source: IntArray
    destination: IntArray
    pair_rows: slice
    budget_row: int
    bandwidth: int


@dataclass(eq=False)
class DesignProgram:
    """A reduced design problem and where everything is in it.

    ``length`` is the integer weight of each flow in the mean path length, over
    ``length_denominator``; ``load_column`` the column of ``w``.
    """

    reduction: Reduction
    rows: _Rows
    columns: int
    length: IntArray
    length_denominator: int
    load_column: int
    flow_rows: slice
    path_columns: PathColumns | None = None
    path_first: int = 0
    potentials: list[PotentialRows] = field(default_factory=list)
    traffic_rows: slice | None = None
    sample_first: int = 0
    samples: int = 0
    mean_row: int = -1
    sample_rows: list[tuple[int, int, int]] = field(default_factory=list)
    locality_row: int = -1
    load_row: int = -1

    @property
    def network(self) -> Network:
        """The network."""
        return self.reduction.network

    @classmethod
    def start(cls, reduction: Reduction, paths: PathColumns | None = None) -> DesignProgram:
        """Write the flow rows."""
        rows = _Rows()
        length, denominator = _length_weights(reduction)
        load_column = reduction.flow_count
        columns = load_column + 1
        if paths is None:
            flow_rows = _conservation(reduction, rows)
            return cls(reduction, rows, columns, length, denominator, load_column, flow_rows)
        flow_rows = _path_rows(reduction, paths, rows, columns)
        return cls(
            reduction,
            rows,
            columns + paths.count,
            length,
            denominator,
            load_column,
            flow_rows,
            path_columns=paths,
            path_first=columns,
        )

    def add_worst_case(self) -> None:
        """Bound the worst case of every focus channel by ``w``."""
        network = self.network
        terminals = np.concatenate(_over_common(network.injection, network.ejection))
        scale = _common(network.injection, network.ejection)
        for focus in self.reduction.focus:
            on = self.reduction.flows_on(focus.channel)
            found, where = np.unique(on, return_index=True)
            where = where[found >= 0]
            flows: IntArray = found[found >= 0].astype(np.int64)
            places, ends = np.divmod(where, len(network.destinations))
            first = self.columns
            source = focus.potential[places]
            destination = focus.potential[len(network.sources) + ends]
            count = len(flows)
            at = np.arange(count)
            pair_rows = self.rows.add(
                np.concatenate([at, at, at]),
                np.concatenate([flows, first + source, first + destination]),
                np.repeat([1, -1, -1], count),
                [0] * count,
                equality=False,
            )
            budget = np.bincount(focus.potential, weights=terminals).astype(np.int64)
            self.columns += len(budget)
            bandwidth = network.bandwidth.fraction(focus.channel) * scale
            budget *= bandwidth.denominator
            budget_row = self.rows.add(
                np.zeros(len(budget) + 1, dtype=np.int64),
                np.append(first + np.arange(len(budget)), self.load_column),
                np.append(budget, -bandwidth.numerator),
                [0],
                equality=False,
            ).start
            self.potentials.append(
                PotentialRows(
                    focus.channel,
                    first,
                    budget,
                    flows,
                    source,
                    destination,
                    pair_rows,
                    budget_row,
                    bandwidth.numerator,
                )
            )

    def add_traffic(self, amounts: RationalArray) -> None:
        """Bound the loads of given traffic (sources × destinations, packets per cycle) by ``w``.

        The traffic must be the same all over the group.
        """
        first = self.rows.count
        for focus in self.reduction.focus:
            self._add_load_row(focus.channel, amounts, self.load_column)
        self.traffic_rows = slice(first, self.rows.count)

    def _add_load_row(self, channel: int, amounts: RationalArray, column: int) -> int:
        on = self.reduction.flows_on(channel)
        used = (on >= 0) & (amounts.numerators != 0)
        sums = np.zeros(self.reduction.flow_count, dtype=np.int64)
        np.add.at(sums, on[used], amounts.numerators[used])
        flows: IntArray = np.flatnonzero(sums)
        bandwidth = self.network.bandwidth.fraction(channel) * amounts.denominator
        added = self.rows.add(
            np.zeros(len(flows) + 1, dtype=np.int64),
            np.append(flows, column),
            np.append(sums[flows] * bandwidth.denominator, -bandwidth.numerator),
            [0],
            equality=False,
        )
        return int(added.start)

    def add_samples(self, count: int) -> None:
        """Add the largest load ``t`` of each sampled permutation, with their mean at most ``w``.

        The rows that bound the loads are added one by one, by :meth:`add_sample_row`.
        """
        self.sample_first, self.samples = self.columns, count
        self.columns += count
        self.mean_row = self.rows.add(
            np.zeros(count + 1, dtype=np.int64),
            np.append(self.sample_first + np.arange(count), self.load_column),
            np.append(np.ones(count, dtype=np.int64), -count),
            [0],
            equality=False,
        ).start

    def add_sample_row(self, sample: int, channel: int, amounts: RationalArray) -> int:
        """Bound the load of one channel under one sampled matrix by its ``t``."""
        row = self._add_load_row(channel, amounts, self.sample_first + sample)
        self.sample_rows.append((row, sample, channel))
        return row

    def bound_locality(self, mean_path_length: Fraction, *, equality: bool = False) -> None:
        """Bound the mean path length (hops), or fix it."""
        flows = np.flatnonzero(self.length)
        self.locality_row = self.rows.add(
            np.zeros(len(flows), dtype=np.int64),
            flows,
            self.length[flows],
            [mean_path_length * self.length_denominator],
            equality=equality,
        ).start

    def bound_load(self, load: Fraction) -> None:
        """Bound ``w``."""
        self.load_row = self.rows.add(
            np.zeros(1), np.array([self.load_column]), np.ones(1), [load], equality=False
        ).start

    def program(self, objective: str) -> LinearProgram:
        """Return the linear program that minimises ``load`` or ``length``."""
        cost = np.zeros(self.columns, dtype=np.int64)
        if objective == "load":
            cost[self.load_column] = 1
        else:
            cost[: len(self.length)] = self.length
        return LinearProgram(
            self.rows.matrix(self.columns),
            np.array(self.rows.equality),
            list(self.rows.rhs),
            cost,
        )

    def least_listed_length(self) -> Fraction | None:
        """Return the mean length (hops) of the shortest listed paths; None if none are listed."""
        if self.path_columns is None:
            return None
        total = Fraction(0)
        for pair, listed in zip(self.reduction.pairs, self.path_columns.paths, strict=True):
            # Every hop of a pair weighs the same, whatever the channel.
            flow = int(pair.flow.max())
            a_hop = Fraction(int(self.length[flow]), int((pair.flow == flow).sum()))
            total += a_hop * min(map(len, listed))
        return total / self.length_denominator

    def mean_length(self, flows: Sequence[Fraction]) -> Fraction:
        """Return the mean path length (hops) of exact flows."""
        total = sum(
            (int(w) * f for w, f in zip(self.length.tolist(), flows, strict=True) if w and f),
            Fraction(0),
        )
        return total / self.length_denominator


def _common(*arrays: RationalArray) -> int:
    return int(np.lcm.reduce([array.denominator for array in arrays]))


def _over_common(*arrays: RationalArray) -> list[IntArray]:
    common = _common(*arrays)
    return [array.over(common).astype(np.int64) for array in arrays]


def _length_weights(reduction: Reduction) -> tuple[IntArray, int]:
    """Weights of the flows in the mean path length under uniform traffic (SPAA 2003, eq. 5)."""
    network = reduction.network
    injection, ejection = _over_common(network.injection, network.ejection)
    length = np.zeros(reduction.flow_count, dtype=np.int64)
    for at, source in enumerate(reduction.sources):
        sent = int(injection[network.source_index[source]]) * int(reduction.multiplicity[at])
        frame = reduction.flow_of[at]
        used = frame >= 0
        weights = np.broadcast_to((sent * ejection)[:, None], frame.shape)
        np.add.at(length, frame[used], weights[used])
    denominator = int(injection.sum()) * int(ejection.sum())
    common = int(np.gcd.reduce(np.append(length, denominator)))
    return length // common, denominator // common


def _conserved_nodes(pair: CanonicalPair) -> IntArray:
    """Return a node of each orbit whose row says something: of the source's, the source itself.

    The destination's row follows from the others. Where reversal makes source and destination
    one orbit it is the source's row too, and stays as that: its right-hand side is the demand.
    """
    _, first = np.unique(pair.node_orbit, return_index=True)
    with_source = pair.node_orbit[first] == pair.node_orbit[pair.source]
    with_destination = pair.node_orbit[first] == pair.node_orbit[pair.destination]
    first[with_source] = pair.source
    return np.asarray(first[with_source | ~with_destination])


def _conservation(reduction: Reduction, rows: _Rows) -> slice:
    """One row for every orbit of (pair, node): what leaves less what enters."""
    network = reduction.network
    at, columns, values = [], [], []
    rhs: list[int] = []
    for pair in reduction.pairs:
        used = np.flatnonzero(pair.flow >= 0)
        row_of = np.full(network.node_count, -1, dtype=np.int64)
        kept = _conserved_nodes(pair)
        row_of[kept] = len(rhs) + np.arange(len(kept))
        for ends, sign in ((network.tail, 1), (network.head, -1)):
            found = row_of[ends[used]]
            inside = found >= 0
            at.append(found[inside])
            columns.append(pair.flow[used[inside]])
            values.append(np.full(int(inside.sum()), sign))
        rhs += [1 if node == pair.source else 0 for node in kept.tolist()]
    matrix = csr_array(
        (np.concatenate(values), (np.concatenate(at), np.concatenate(columns))),
        shape=(len(rhs), reduction.flow_count),
    )
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    coordinates = matrix.tocoo()
    # A row whose flows cancel says nothing: reversal already makes it hold.
    filled = np.flatnonzero(np.diff(matrix.indptr))
    number = np.full(len(rhs), -1, dtype=np.int64)
    number[filled] = np.arange(len(filled))
    return rows.add(
        number[coordinates.row],
        coordinates.col,
        coordinates.data,
        [rhs[row] for row in filled],
        equality=True,
    )


def _path_rows(reduction: Reduction, paths: PathColumns, rows: _Rows, first: int) -> slice:
    """Probabilities of the paths of a pair sum to one; they make up the flows."""
    start = rows.count
    for listed, variable in zip(paths.paths, paths.variable, strict=True):
        rows.add(np.zeros(len(listed)), first + variable, np.ones(len(listed)), [1], equality=True)
    at, columns, values = [], [], []
    for pair, listed, variable in zip(reduction.pairs, paths.paths, paths.variable, strict=True):
        flows, channels = np.unique(pair.flow, return_index=True)
        representative = np.full(len(pair.flow), -1, dtype=np.int64)
        representative[channels[flows >= 0]] = flows[flows >= 0]
        for path, column in zip(listed, variable.tolist(), strict=True):
            made = representative[list(path)]
            made = made[made >= 0]
            at.append(made)
            columns.append(np.full(len(made), first + column))
            values.append(np.full(len(made), -1))
    everyone = np.arange(reduction.flow_count)
    rows.add(
        np.concatenate([everyone, *at]),
        np.concatenate([everyone, *columns]),
        np.concatenate([np.ones(len(everyone)), *values]),
        [0] * len(everyone),
        equality=True,
    )
    return slice(start, rows.count)
