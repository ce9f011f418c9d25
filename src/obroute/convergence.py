"""How an estimate from sampled paths goes to the exact worst case as more paths are drawn.

The technical report (section 3.2) says that pair loads "can be accurately approximated" by a
random sample of the paths. How many paths that takes is a matter of the worst case, whose estimate
from few paths is too high: this is the series that shows it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from obroute.delimited import csv_text, read_rows
from obroute.estimates import SampledEstimate
from obroute.network import Network
from obroute.reading import read_text
from obroute.routing import Routing
from obroute.sampling import PAIR_CHOICES
from obroute.specs import InputError, parse_fraction
from obroute.tasks import TaskRunner, run_serially
from obroute.throughput import evaluate
from obroute.worst_cases import worst_cases

DEFAULT_COUNTS = (1, 3, 10, 30, 100, 300, 1000)


@dataclass(frozen=True)
class Point:
    """One estimate: the worst-case load in the sample, and what two samples say of the exact."""

    sample_load: float
    estimate: SampledEstimate


@dataclass(frozen=True)
class Convergence:
    """Estimates of one worst case from more and more paths a pair.

    ``exact`` is the exact worst-case load, None where it was not computed.
    """

    network: str
    routing: str
    exact: Fraction | None
    points: tuple[Point, ...]

    def series(self, pairs: str) -> list[Point]:
        """Return the points of one choice of pairs, few paths first."""
        found = [point for point in self.points if point.estimate.pairs == pairs]
        return sorted(found, key=lambda point: point.estimate.paths_per_pair)


def converge(
    network: Network,
    routing: Routing,
    counts: Sequence[int] = DEFAULT_COUNTS,
    *,
    pairs: Sequence[str] = PAIR_CHOICES,
    seed: int = 0,
    exact: bool = True,
    run: TaskRunner = run_serially,
) -> Convergence:
    """Estimate the worst case from each number of paths a pair.

    Each estimate is that of :func:`~obroute.throughput.evaluate` with ``sampled_paths`` and the
    seed.

    Parameters
    ----------
    network, routing
        What to estimate.
    counts
        Numbers of paths a pair.
    pairs
        For which pairs to draw: ``canonical``, ``all`` or both.
    seed
        Seed of the draws.
    exact
        Compute the exact worst case too.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> found = converge(make_network("torus:4x4"), make_routing("romm"), [10, 1000])
    >>> found.exact, [p.estimate.drawn_paths for p in found.series("canonical")]
    (Fraction(3, 2), [160, 16000])
    """
    points = []
    for chosen in dict.fromkeys(pairs):
        for count in sorted(set(counts)):
            if count < 1:
                raise InputError(f"{count} paths a pair; expected at least 1")
            found = evaluate(
                network, routing, sampled_paths=count, sampled_pairs=chosen, seed=seed, run=run
            )
            assert found.estimate is not None
            points.append(Point(float(found.worst_case_load), found.estimate))
    worst = worst_cases(network, routing, run=run).load if exact else None
    return Convergence(network.name, routing.name, worst, tuple(points))


def to_csv(convergence: Convergence) -> str:
    """Return the series as CSV, a point a line."""
    fields = [field.name for field in dataclasses.fields(SampledEstimate)]
    rows: list[list[Any]] = [["network", "routing", "exact", "sample_load", *fields]]
    for point in convergence.points:
        exact = "" if convergence.exact is None else str(convergence.exact)
        values = [getattr(point.estimate, name) for name in fields]
        row = ["" if value is None else value for value in values]
        rows.append([convergence.network, convergence.routing, exact, point.sample_load, *row])
    return csv_text([list(map(str, row)) for row in rows])


def from_csv(file: Path) -> Convergence:
    """Read what :func:`to_csv` wrote.

    Raises
    ------
    InputError
        If the file is not such a table.
    """
    read = read_rows(file, read_text(file, "a table that `obroute convergence` writes"))
    try:
        rows = [dict(zip(read[0].cells, row.cells, strict=True)) for row in read[1:]]
        points = tuple(Point(float(row["sample_load"]), _estimate(row)) for row in rows)
        first = rows[0]
        exact = parse_fraction(first["exact"]) if first["exact"] else None
        return Convergence(first["network"], first["routing"], exact, points)
    except (KeyError, IndexError, TypeError, ValueError):
        raise InputError(
            f"{file} is no table of a convergence; expected what `obroute convergence` writes"
        ) from None


def _estimate(row: dict[str, str]) -> SampledEstimate:
    return SampledEstimate(
        paths_per_pair=int(row["paths_per_pair"]),
        seed=int(row["seed"]),
        pairs=row["pairs"],
        drawn_paths=int(row["drawn_paths"]),
        load=float(row["load"]),
        standard_error=float(row["standard_error"]) if row["standard_error"] else None,
        lower=float(row["lower"]),
        upper=float(row["upper"]),
        confidence=float(row["confidence"]),
    )
