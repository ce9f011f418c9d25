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

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from obroute.design.linear_program import Block, Blocks, LinearProgram, Rows
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.symmetry import CanonicalPair, Reduction

ColumnName = Literal["flow", "load", "path", "largest"]
"""Columns by name: flows, ``w``, path probabilities ``x``, largest loads ``t`` of a sample."""
RowName = Literal["flow", "traffic", "mean", "locality", "load"]
"""Rows by name: what makes flows a routing, loads of given traffic, the mean of a sample, and the
bounds on path length and load."""


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

    ``columns`` are those of its orbits of potentials, ``budget`` the integer weight of each in the
    budget row; ``flows`` the flow variables on the channel with ``source`` and ``destination`` the
    potential orbits of each; ``pair_rows`` and ``budget_row`` the rows; ``bandwidth`` the weight
    of ``w`` in the budget row.
    """

    channel: int
    columns: Block
    budget: IntArray
    flows: IntArray
    source: IntArray
    destination: IntArray
    pair_rows: Block
    budget_row: Block
    bandwidth: int


class DesignProgram:
    """A reduced design problem: its rows and columns in named blocks.

    Parameters
    ----------
    reduction
        The orbits that flows are about.
    paths
        The orbits of listed paths; None where any path may be taken.

    Attributes
    ----------
    rows, columns
        The blocks written so far (:data:`RowName`, :data:`ColumnName`).
    length
        The integer weight of each flow in the mean path length, over ``length_denominator``.
    potentials
        The potentials of each focus channel.
    sample_rows
        The row of each load of the sample that is bounded: by sample and channel.
    """

    def __init__(self, reduction: Reduction, paths: PathColumns | None = None) -> None:
        self.reduction = reduction
        self.path_columns = paths
        self.length, self.length_denominator = _length_weights(reduction)
        self.potentials: list[PotentialRows] = []
        self.sample_rows: dict[tuple[int, int], int] = {}
        self.columns: Blocks[ColumnName] = Blocks()
        self.columns.add(reduction.flow_count, "flow")
        self.columns.add(1, "load")
        self.rows: Rows[RowName] = Rows()
        if paths is None:
            _add_conservation(reduction, self.rows)
        else:
            _add_path_rows(
                reduction, paths, self.rows, self.columns.add(paths.count, "path").start
            )

    @property
    def network(self) -> Network:
        """The network."""
        return self.reduction.network

    @property
    def load_column(self) -> int:
        """The column of ``w``."""
        return self.columns["load"].number

    def add_worst_case(self) -> None:
        """Bound the worst case of every focus channel by ``w``."""
        network = self.network
        terminals = np.concatenate(_over_common(network.injection, network.ejection))
        scale = _common(network.injection, network.ejection)
        for focus in self.reduction.focus:
            variables, where = np.unique(self.reduction.flows_on(focus.channel), return_index=True)
            where = where[variables >= 0]
            flows: IntArray = variables[variables >= 0].astype(np.int64)
            places, ends = np.divmod(where, len(network.destinations))
            source = focus.potential[places]
            destination = focus.potential[len(network.sources) + ends]
            budget = np.bincount(focus.potential, weights=terminals).astype(np.int64)
            columns = self.columns.add(len(budget))
            count = len(flows)
            at = np.arange(count)
            pair_rows = self.rows.add(
                np.concatenate([at, at, at]),
                np.concatenate([flows, columns.start + source, columns.start + destination]),
                np.repeat([1, -1, -1], count),
                [0] * count,
            )
            bandwidth = network.bandwidth.fraction(focus.channel) * scale
            budget *= bandwidth.denominator
            budget_row = self.rows.add(
                np.zeros(len(budget) + 1, dtype=np.int64),
                np.append(columns.numbers, self.load_column),
                np.append(budget, -bandwidth.numerator),
                [0],
            )
            self.potentials.append(
                PotentialRows(
                    focus.channel,
                    columns,
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
        rows, columns, values = [], [], []
        for at, focus in enumerate(self.reduction.focus):
            used, weights = self._load_weights(focus.channel, amounts, self.load_column)
            rows.append(np.full(len(used), at))
            columns.append(used)
            values.append(weights)
        self.rows.add(
            np.concatenate(rows),
            np.concatenate(columns),
            np.concatenate(values),
            [0] * len(rows),
            name="traffic",
        )

    def _load_weights(
        self, channel: int, amounts: RationalArray, column: int
    ) -> tuple[IntArray, IntArray]:
        """Return columns and coefficients of a row: the channel's load is at most a column."""
        on = self.reduction.flows_on(channel)
        used = (on >= 0) & (amounts.numerators != 0)
        sums = np.zeros(self.reduction.flow_count, dtype=np.int64)
        np.add.at(sums, on[used], amounts.numerators[used])
        flows: IntArray = np.flatnonzero(sums)
        bandwidth = self.network.bandwidth.fraction(channel) * amounts.denominator
        return (
            np.append(flows, column),
            np.append(sums[flows] * bandwidth.denominator, -bandwidth.numerator),
        )

    def add_samples(self, count: int) -> None:
        """Add the largest load ``t`` of each sampled permutation, with their mean at most ``w``.

        The rows that bound the loads are added one by one, by :meth:`add_sample_row`.
        """
        largest = self.columns.add(count, "largest")
        self.rows.add(
            np.zeros(count + 1, dtype=np.int64),
            np.append(largest.numbers, self.load_column),
            np.append(np.ones(count, dtype=np.int64), -count),
            [0],
            name="mean",
        )

    def add_sample_row(self, sample: int, channel: int, amounts: RationalArray) -> int:
        """Bound the load of one channel under one sampled matrix by its ``t``; return the row."""
        largest = self.columns["largest"].start + sample
        columns, values = self._load_weights(channel, amounts, largest)
        row = self.rows.add(np.zeros(len(columns), dtype=np.int64), columns, values, [0]).number
        self.sample_rows[sample, channel] = row
        return row

    def bound_locality(self, mean_path_length: Fraction, *, equality: bool = False) -> None:
        """Bound the mean path length (hops), or fix it."""
        flows = np.flatnonzero(self.length)
        self.rows.add(
            np.zeros(len(flows), dtype=np.int64),
            flows,
            self.length[flows],
            [mean_path_length * self.length_denominator],
            equality=equality,
            name="locality",
        )

    def bound_load(self, load: Fraction) -> None:
        """Bound ``w``."""
        self.rows.add(np.zeros(1), np.array([self.load_column]), np.ones(1), [load], name="load")

    def limit(self, name: Literal["locality", "load"]) -> Fraction | None:
        """Return the mean path length (hops) or the load at most allowed, None if any is."""
        block = self.rows.blocks.get(name)
        if block is None:
            return None
        limit = self.rows.rhs[block.number]
        return limit / self.length_denominator if name == "locality" else limit

    def program(self, objective: str) -> LinearProgram:
        """Return the linear program that minimises ``load`` or ``length``."""
        cost = np.zeros(self.columns.count, dtype=np.int64)
        if objective == "load":
            cost[self.load_column] = 1
        else:
            cost[self.columns["flow"].slice] = self.length
        return LinearProgram(
            self.rows.matrix(self.columns.count),
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

    def mean_length(self, flows: RationalArray) -> Fraction:
        """Return the mean path length (hops) of exact flows."""
        return flows.times(RationalArray(self.length, 1)).sum() / self.length_denominator


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


def _add_conservation(reduction: Reduction, rows: Rows[RowName]) -> None:
    """Add one row for every orbit of (pair, node): what leaves less what enters."""
    network = reduction.network
    at, columns, values = [], [], []
    rhs: list[int] = []
    for pair in reduction.pairs:
        used = np.flatnonzero(pair.flow >= 0)
        row_of = np.full(network.node_count, -1, dtype=np.int64)
        kept = _conserved_nodes(pair)
        row_of[kept] = len(rhs) + np.arange(len(kept))
        for ends, sign in ((network.tail, 1), (network.head, -1)):
            row = row_of[ends[used]]
            inside = row >= 0
            at.append(row[inside])
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
    rows.add(
        number[coordinates.row],
        coordinates.col,
        coordinates.data,
        [rhs[row] for row in filled],
        equality=True,
        name="flow",
    )


def _add_path_rows(
    reduction: Reduction, paths: PathColumns, rows: Rows[RowName], first: int
) -> None:
    """Add rows: probabilities of the paths of a pair sum to one; they make up the flows.

    ``first`` is the first column of probabilities.
    """
    at, columns, values = [], [], []
    for place, variable in enumerate(paths.variable):
        at.append(np.full(len(variable), place))
        columns.append(first + variable)
        values.append(np.ones(len(variable)))
    pairs = len(paths.variable)
    for pair, listed, variable in zip(reduction.pairs, paths.paths, paths.variable, strict=True):
        flows, channels = np.unique(pair.flow, return_index=True)
        representative = np.full(len(pair.flow), -1, dtype=np.int64)
        representative[channels[flows >= 0]] = flows[flows >= 0]
        for path, column in zip(listed, variable.tolist(), strict=True):
            made = representative[list(path)]
            made = made[made >= 0]
            at.append(pairs + made)
            columns.append(np.full(len(made), first + column))
            values.append(np.full(len(made), -1))
    everyone = np.arange(reduction.flow_count)
    rows.add(
        np.concatenate([pairs + everyone, *at]),
        np.concatenate([everyone, *columns]),
        np.concatenate([np.ones(len(everyone)), *values]),
        [1] * pairs + [0] * len(everyone),
        equality=True,
        name="flow",
    )
