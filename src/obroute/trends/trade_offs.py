"""Trade-off curves read exactly: path length at a load, and how far above one others lie.

Everything is in loads and hops, where the mix of two routings is a straight line and the optimal
curve convex and piecewise linear; fractions of capacity are what the loads are shown as.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import xarray as xr

from obroute.decimals import no_less_than
from obroute.rational import FloatArray
from obroute.specs import InputError
from obroute.trends.values import exact, holds, routing_names, value
from obroute.views import StudyData

Point = tuple[Fraction, Fraction]
"""A load (packets per cycle over channel bandwidth) and a mean path length (hops)."""


@dataclass(frozen=True)
class CurveSample:
    """The sampled matrices of an average case, and the symmetry whose images of them count too."""

    matrices: int
    seed: int
    kind: str
    symmetry: str

    @property
    def drawn(self) -> tuple[int, int, str]:
        """What it takes to draw the same matrices."""
        return self.matrices, self.seed, self.kind

    @classmethod
    def of(cls, trade_off: xr.Dataset) -> CurveSample | None:
        """Return the sample that a trade-off store is about; None where there is none."""
        sample = json.loads(trade_off.attrs.get("scope", "{}")).get("sample")
        return sample and cls(*(sample[key] for key in ("matrices", "seed", "kind", "symmetry")))


@dataclass(frozen=True)
class Curve:
    """The least mean path length of all routings with at most a load, breakpoint by breakpoint.

    Parameters
    ----------
    network, routing, objective
        The network, the design whose bound on path length moves along the curve, and what its
        load is: ``worst_case``, ``average_case`` (mean over a sample) or ``capacity``.
    points
        The breakpoints by rising load; the first has the best load, the last the shortest paths.
    capacity, shortest
        Load of uniform traffic under the best routing (None if not known), and the mean path
        length of shortest paths.
    complete
        Whether it is proved that there is no other breakpoint.
    gap
        The most that path lengths on the segments are above the true curve, relative; 0 where it
        is complete.
    sample
        The traffic of an average case.
    """

    network: str
    routing: str
    objective: str
    points: tuple[Point, ...]
    capacity: Fraction | None
    shortest: Fraction
    complete: bool
    gap: float
    sample: CurveSample | None = None

    @property
    def best_load(self) -> Fraction:
        """The least load of the routings that it is the curve of."""
        return self.points[0][0]

    def length_at(self, load: Fraction) -> Fraction | None:
        """Return the path length of the curve at a load; None if no routing has so small a one.

        >>> points = ((Fraction(1), Fraction(3)), (Fraction(2), Fraction(2)))
        >>> curve = Curve("", "", "", points, None, Fraction(2), True, 0.0)
        >>> (
        ...     curve.length_at(Fraction(3, 2)),
        ...     curve.length_at(Fraction(5)),
        ...     curve.length_at(Fraction(1, 2)),
        ... )
        (Fraction(5, 2), Fraction(2, 1), None)
        """
        if load < self.best_load:
            return None
        if load >= self.points[-1][0]:
            return self.points[-1][1]
        place = bisect_left([point[0] for point in self.points], load)
        if self.points[place][0] == load:
            return self.points[place][1]
        (low, long), (high, short) = self.points[place - 1 : place + 1]
        return long + (load - low) / (high - low) * (short - long)

    def excess(self, point: Point) -> Fraction | None:
        """Return how far above the curve a routing's path length is, relative, at its load."""
        least = self.length_at(point[0])
        return None if least is None else point[1] / least - 1

    def most_excess(self, one: Point, other: Point) -> tuple[Fraction, Fraction] | None:
        """Return the largest excess of the mixes of two routings, and the share of ``other``.

        The loads of a mix are at most the mix of the loads. Between neighbouring breakpoints the
        excess is the ratio of two straight lines, which is monotone, so its maximum is at a
        breakpoint or an end. None if no routing has so small a load.

        >>> points = ((Fraction(1), Fraction(3)), (Fraction(2), Fraction(2)))
        >>> curve = Curve("", "", "", points, None, Fraction(2), True, 0.0)
        >>> curve.most_excess((Fraction(3), Fraction(2)), (Fraction(1), Fraction(3)))
        (Fraction(1, 4), Fraction(1, 2))
        """
        loads = {one[0], other[0]}
        low, high = min(loads), max(loads)
        if low < self.best_load or low == high:
            return None
        loads |= {load for load, _ in self.points if low < load < high}
        found = []
        for load in sorted(loads):
            share = (load - one[0]) / (other[0] - one[0])
            excess = self.excess((load, one[1] + share * (other[1] - one[1])))
            assert excess is not None  # the load is not below the best one
            found.append((excess, share))
        return max(found)

    def fractions(self) -> FloatArray:
        """Return the throughput of the breakpoints as a fraction of capacity; NaN if unknown."""
        return fractions_of([load for load, _ in self.points], self.capacity)

    def normalized_lengths(self) -> FloatArray:
        """Return the path lengths of the breakpoints over that of shortest paths."""
        return np.array([float(length / self.shortest) for _, length in self.points])


def fractions_of(loads: list[Fraction], capacity: Fraction | None) -> FloatArray:
    """Return the throughputs at loads as fractions of capacity; NaN where it is not known."""
    return np.array([np.nan if capacity is None else float(capacity / load) for load in loads])


def curve_of(trade_off: xr.Dataset) -> Curve:
    """Return the curve of a trade-off store.

    Raises
    ------
    InputError
        If the dataset is of another kind, or holds no breakpoint.
    """
    kind = trade_off.attrs.get("kind")
    if kind != "trade_off":
        raise InputError(f"a dataset of kind {kind!r} is no curve; expected a trade_off store")
    points = tuple(
        sorted(
            (Fraction(load), Fraction(length))
            for load, length in zip(
                trade_off["routing_load_exact"].values.tolist(),
                trade_off["mean_path_length_exact"].values.tolist(),
                strict=True,
            )
        )
    )
    if not points:
        raise InputError("a trade_off store without a breakpoint; make it again")
    capacity = trade_off["capacity_load_exact"].item()
    return Curve(
        network=str(trade_off.attrs["network"]),
        routing=str(trade_off.attrs["routing"]),
        objective=str(trade_off.attrs["objective"]),
        points=points,
        capacity=Fraction(capacity) if capacity else None,
        shortest=Fraction(trade_off["mean_shortest_path_length_exact"].item()),
        complete=bool(trade_off["complete"]),
        gap=float(trade_off["gap"]),
        sample=CurveSample.of(trade_off),
    )


def curves(data: StudyData) -> list[xr.Dataset]:
    """Return the trade-off stores of a study, in their order."""
    return [data.cell("trade_offs", name) for name in data.readable_cells("trade_offs")]


def shares_sample(study: xr.Dataset, curve: Curve) -> bool:
    """Say whether all averages of a study on the network of a curve are over its sample."""
    names = ("average_case_samples", "seed", "average_case_kind")
    drawn = {
        tuple(value(study, name, network=curve.network, routing=routing) for name in names)
        for routing in routing_names(study)
        if holds(study, curve.network, routing)
        and value(study, "average_case_samples", network=curve.network, routing=routing) > 0
    }
    return curve.sample is not None and drawn == {curve.sample.drawn}


def sample_note(study: xr.Dataset, curve: Curve) -> str | None:
    """Say whether a study's averages are over the sample of a curve; None for no average case."""
    if curve.objective != "average_case":
        return None
    sample = curve.sample
    if sample is None or not shares_sample(study, curve):
        return "points are on the study's own sample, the curve on the one it was made for"
    return (
        f"points and curve are of the same {sample.matrices} {sample.kind} matrices (seed "
        f"{sample.seed}), the curve with their images under the {sample.symmetry} symmetry"
    )


def worst_point(study: xr.Dataset, network: str, routing: str) -> Point | None:
    """Return the exact worst-case load and mean path length of a routing; None if not there."""
    if not holds(study, network, routing):
        return None
    load = exact(study, "worst_case_load", network=network, routing=routing)
    length = exact(study, "mean_path_length", network=network, routing=routing)
    return None if load is None or length is None else (load, length)


def complete_in_words(curve: Curve) -> str:
    """Say whether a curve is complete, how many breakpoints it has, and what is left open."""
    count = len(curve.points)
    noun = "breakpoint" if count == 1 else "breakpoints"
    if curve.complete:
        return f"complete, {count} {noun}"
    gap = no_less_than(100 * curve.gap, 3)
    return f"not complete, {count} points, at most {gap} % above the optimum"
