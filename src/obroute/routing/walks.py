"""Drawing paths on grids by the million: plans and orders vectorised, the walk compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.compiled import compiled
from obroute.rational import FloatArray, IntArray
from obroute.routing.contract import PathBatch
from obroute.routing.grid_moves import Plan
from obroute.topologies.grid import Grid

Coordinates = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PlanSampler:
    """Draws plans in one dimension: the cumulative probabilities of all plans, in one array.

    Plans of the same key (the offset round a ring, or source and destination in a line) are
    neighbours; their cumulative probabilities are shifted by the key, so that one sorted search
    finds the plan of every packet.
    """

    radix: int
    wrap: bool
    cumulative: FloatArray
    intermediates: IntArray
    first_directions: IntArray
    second_directions: IntArray

    @classmethod
    def build(
        cls, plans_between: Callable[[int, bool, int, int], list[Plan]], radix: int, wrap: bool
    ) -> PlanSampler:
        """Tabulate the plans of a dimension."""
        starts = range(1) if wrap else range(radix)
        pairs = [(s, t) for s in starts for t in range(radix)]
        cumulative: list[float] = []
        drawn: list[Plan] = []
        for key, pair in enumerate(pairs):
            plans = plans_between(radix, wrap, *pair)
            total = np.cumsum([float(plan.probability) for plan in plans])
            total[-1] = 1.0
            cumulative += (key + total).tolist()
            drawn += plans
        return cls(
            radix,
            wrap,
            np.array(cumulative),
            np.array([plan.intermediate for plan in drawn]),
            np.array([plan.first_direction for plan in drawn]),
            np.array([plan.second_direction for plan in drawn]),
        )

    def draw(
        self, start: IntArray, end: IntArray, generator: np.random.Generator
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Return an intermediate coordinate and both directions for each packet."""
        key = (end - start) % self.radix if self.wrap else start * self.radix + end
        # The sum may round up to the next key, whose first plan is another pair's.
        drawn = np.minimum(key + generator.random(len(key)), np.nextafter(key + 1.0, 0.0))
        chosen = np.searchsorted(self.cumulative, drawn, side="right")
        middle = self.intermediates[chosen]
        if self.wrap:
            middle = (middle + start) % self.radix
        return middle, self.first_directions[chosen], self.second_directions[chosen]


def walk_batch(
    grid: Grid,
    sources: NDArray[Any],
    destinations: NDArray[Any],
    samplers: list[PlanSampler],
    orders: tuple[Coordinates, Coordinates],
    generator: np.random.Generator,
    *,
    removes_loops: bool,
) -> PathBatch:
    """Draw a plan in each dimension for every pair and walk it in the given orders."""
    assert grid.coordinates is not None
    shape = (len(sources), len(grid.radices))
    start, end = grid.coordinates[sources], grid.coordinates[destinations]
    middle, there, onwards = (np.empty(shape, dtype=np.int32) for _ in range(3))
    for dimension, sampler in enumerate(samplers):
        middle[:, dimension], there[:, dimension], onwards[:, dimension] = sampler.draw(
            start[:, dimension], end[:, dimension], generator
        )
    radices = np.array(grid.radices, dtype=np.int64)
    legs = (
        _hops(start, middle, there, radices, grid.wraps),
        _hops(middle, end, onwards, radices, grid.wraps),
    )
    starts = np.concatenate([[0], np.cumsum(sum(leg.sum(axis=1) for leg in legs))])
    channels, lengths = _walk(
        np.asarray(sources, dtype=np.int64),
        *legs,
        there,
        onwards,
        *orders,
        grid.channel_at,
        grid.head,
        starts,
        removes_loops,
    )
    if not removes_loops:
        return PathBatch(starts, channels)
    kept = np.arange(len(channels)) - np.repeat(starts[:-1], np.diff(starts))
    channels = channels[kept < np.repeat(lengths, np.diff(starts))]
    return PathBatch(np.concatenate([[0], np.cumsum(lengths)]), channels)


def _hops(
    start: NDArray[Any],
    end: NDArray[Any],
    directions: NDArray[Any],
    radices: IntArray,
    wraps: tuple[bool, ...],
) -> Coordinates:
    distance = np.where(directions == 0, end - start, start - end)
    found: Coordinates = np.where(wraps, distance % radices, distance).astype(np.int32)
    return found


@compiled
def _walk(
    sources: Any,
    first_hops: Any,
    second_hops: Any,
    first_directions: Any,
    second_directions: Any,
    first_orders: Any,
    second_orders: Any,
    channel_at: Any,
    head: Any,
    starts: Any,
    removes_loops: bool,
) -> Any:
    channels = np.empty(starts[-1], dtype=np.int32)
    lengths = np.empty(len(sources), dtype=np.int64)
    visit = np.full(channel_at.shape[2] if removes_loops else 0, -1, dtype=np.int64)
    trail = np.empty(channel_at.shape[2] if removes_loops else 0, dtype=np.int64)
    for packet in range(len(sources)):
        node = sources[packet]
        base = starts[packet]
        length = 0
        if removes_loops:
            visit[node] = 0
            trail[0] = node
        for phase in range(2):
            hops = first_hops if phase == 0 else second_hops
            directions = first_directions if phase == 0 else second_directions
            orders = first_orders if phase == 0 else second_orders
            for turn in range(orders.shape[1]):
                dimension = orders[packet, turn]
                direction = directions[packet, dimension]
                for _ in range(hops[packet, dimension]):
                    channel = channel_at[dimension, direction, node]
                    node = head[channel]
                    if removes_loops and visit[node] >= 0:
                        kept = visit[node]
                        while length > kept:
                            visit[trail[length]] = -1
                            length -= 1
                        continue
                    channels[base + length] = channel
                    length += 1
                    if removes_loops:
                        visit[node] = length
                        trail[length] = node
        lengths[packet] = length
        if removes_loops:
            while length >= 0:
                visit[trail[length]] = -1
                length -= 1
    return channels, lengths
