"""Every number of the SPAA paper's section 5 beside ours, from a study, its designs and curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import xarray as xr

from obroute.trends.comparison import UNEXPECTED, printed_value, printing_of
from obroute.trends.measures import cube_path_length, measure
from obroute.trends.published import (
    AT_ONE_RADIX,
    IVAL_SETTLES,
    SPAA,
    SPAA_NETWORK,
    Published,
    Quantity,
)
from obroute.trends.published_designs import OPTIMUM_SETTLES, SPAA_DESIGNS
from obroute.trends.readings import exact, holds, network_names, routing_names, value
from obroute.trends.series import series_of
from obroute.trends.trade_offs import Curve, curve_of, worst_point

BEST_AVERAGE = "optimal:objective=average_case"
BEST_PRINTED = "62.8%"
MOST_DIGITS = 60
"""The longest fraction to write out."""
AVERAGES: frozenset[Quantity] = frozenset({"average_case", "average_shortfall"})
"""What is measured on the study's own sample of traffic matrices."""

VARIANTS: dict[Quantity, dict[str, dict[str, str]]] = {
    "interpolation_saving": {
        name: {f"{name}:order=fixed": "order fixed", name: "order random"}
        for name in ("rlb", "rlbth")
    },
    **{
        quantity: {
            "ival": {
                "ival": "first dimension fixed",
                "ival:order=random": "first dimension random",
            }
        }
        for quantity in AVERAGES
    },
}
"""The readings of a routing that the paper leaves open and that a number depends on, in words."""

_FIRST_DIMENSION = (
    "The average of IVAL depends on its first dimension: always the same one gives the "
    "throughput of VAL, a random one more"
)


@dataclass(frozen=True)
class SpaaRow:
    """One printed number beside ours.

    ``ours`` and ``difference`` are in the unit of ``printed``, to more digits; ``ours_exact`` is
    empty for what is sampled, and for fractions too long to read. ``agrees`` is ``yes`` where
    ours, rounded or cut to the printed digits, is the printed number (of an “at most”, only
    rounded; of a sampled mean, also where the printed one is within two standard errors);
    ``why`` explains a ``no``.
    """

    where: str
    quantity: str
    printed: str
    ours: str
    ours_exact: str
    difference: str
    agrees: str
    why: str


@dataclass(frozen=True)
class _Sources:
    """What numbers are read from."""

    study: xr.Dataset
    designs: xr.Dataset | None
    curves: Mapping[str, Curve]
    """The curves of the paper's network over all paths, by objective."""
    cells: Mapping[str, xr.Dataset] | None

    def in_designs(self, routing: str, network: str = SPAA_NETWORK) -> xr.Dataset | None:
        """Return the entry of a design; None if it is not there."""
        if self.designs is None or network not in network_names(self.designs):
            return None
        if routing not in routing_names(self.designs):
            return None
        found = self.designs.sel(network=network, routing=routing)
        return found if found["routing_load_exact"].item() else None


def spaa_table(
    study: xr.Dataset,
    designs: xr.Dataset | None = None,
    trade_offs: Sequence[xr.Dataset] = (),
    cells: Mapping[str, xr.Dataset] | None = None,
) -> list[SpaaRow]:
    """Return the SPAA paper's numbers that the stores cover, in the paper's order by kind.

    Parameters
    ----------
    study
        A study; the paper's network is the 8-ary 2-cube.
    designs
        Its gathered designs.
    trade_offs
        Trade-off curves; those of other networks and path sets are passed over.
    cells
        Cells by the names that the study holds, for the error of the averaged load.

    Examples
    --------
    >>> import obroute
    >>> study = obroute.compare(["torus:8x8"], ["valiant", "ival"])
    >>> for row in spaa_table(study)[:3]:
    ...     print(row.quantity, row.printed, row.ours, row.agrees)
    VAL's worst case, the best of any routing 50% 50% yes
    VAL's path length over the minimal 2.0 2 yes
    IVAL's worst case, the best of any routing 50% 50% yes
    """
    found = [curve_of(trade_off) for trade_off in trade_offs]
    curves = {
        curve.objective: curve
        for curve, stored in zip(found, trade_offs, strict=True)
        if curve.network == SPAA_NETWORK and stored.attrs["paths"] == "all"
    }
    sources = _Sources(study, designs, curves, cells)
    items = [item for item in AT_ONE_RADIX if item.source == SPAA]
    return [
        row
        for item in (*items, *SPAA_DESIGNS, *_settling(study))
        for variant in _variants(item)
        if (row := _row(sources, variant)) is not None
    ]


def _variants(item: Published) -> Iterator[Published]:
    readings = VARIANTS.get(item.quantity, {}).get(item.routing)
    if readings is None:
        yield item
        return
    for routing, words in readings.items():
        yield replace(item, routing=routing, label=f"{item.label} ({words})")


def _settling(study: xr.Dataset) -> Iterator[Published]:
    """Give what is printed of large radices, held against the largest of the study."""
    for item in (IVAL_SETTLES, OPTIMUM_SETTLES):
        for series in series_of(study):
            if (series.family, series.dimensions, series.options) != ("torus", 2, ""):
                continue
            networks = [n for n in series.networks.values() if holds(study, n, item.routing)]
            if networks:
                radix = int(value(study, "radix", network=networks[-1]))
                label = f"{item.label} (here k = {radix})"
                yield replace(item, network=networks[-1], label=label)


def _row(sources: _Sources, item: Published) -> SpaaRow | None:
    ours = _measured(sources, item)
    if ours is None:
        return None
    at_most = "at most" in item.label
    printing = printing_of(ours, item.printed)
    agrees = printing is not None and not (at_most and printing.startswith("cut"))
    if item.quantity == "approximation_error":
        agrees = ours <= printed_value(item.printed)[0]
    if item.quantity == "average_case" and not agrees:
        agrees = abs(ours - printed_value(item.printed)[0]) <= 2 * _standard_error(sources, item)
    percent = 100 if item.printed.endswith("%") else 1
    difference = float(ours - printed_value(item.printed)[0]) * percent
    sampled = item.quantity in AVERAGES or item.quantity == "approximation_error"
    return SpaaRow(
        where=item.where,
        quantity=item.label,
        printed=item.printed,
        ours=f"{float(ours) * percent:.5g}{'%' if percent > 1 else ''}",
        ours_exact="" if sampled or len(str(ours)) > MOST_DIGITS else str(ours),
        difference=(f"{difference:+.2g}" if abs(difference) > 1e-9 else "0")
        + (" points" if percent > 1 else ""),
        agrees="yes" if agrees else "no",
        why=_why(sources, item, agrees, printing),
    )


def _measured(sources: _Sources, item: Published) -> Fraction | None:
    """Return our value; None where the stores lack what it takes."""
    reader = _READERS.get(item.quantity)
    if reader is not None:
        return reader(sources, item)
    study = sources.study
    return measure(study, item, None) if holds(study, item.network, item.routing) else None


def _best_worst_case(sources: _Sources, item: Published) -> Fraction | None:
    """Return capacity over the proved lower bound of the load of any routing."""
    design, curve = sources.in_designs(item.routing), sources.curves.get("worst_case")
    if design is not None and design["load_lower_exact"].item():
        lower = Fraction(design["load_lower_exact"].item())
        return Fraction(design["capacity_load_exact"].item()) / lower
    return curve.capacity / curve.best_load if curve and curve.capacity else None


def _largest_excess(sources: _Sources, item: Published) -> tuple[Fraction, Fraction] | None:
    curve = sources.curves.get("worst_case")
    ends = [worst_point(sources.study, item.network, name) for name in ("dor", item.routing)]
    if curve is None or ends[0] is None or ends[1] is None:
        return None
    return curve.most_excess(ends[0], ends[1])


def _most_above(sources: _Sources, item: Published) -> Fraction | None:
    found = _largest_excess(sources, item)
    return None if found is None else found[0]


def _best_in_sample(sources: _Sources, item: Published) -> Fraction | None:
    """Return capacity over the best mean load, on the sample that it was designed for."""
    curve, design = sources.curves.get("average_case"), sources.in_designs(BEST_AVERAGE)
    if design is not None and design["capacity_load_exact"].item():
        return Fraction(design["capacity_load_exact"].item()) / Fraction(
            design["routing_load_exact"].item()
        )
    return curve.capacity / curve.best_load if curve and curve.capacity else None


def _shortfall(sources: _Sources, item: Published) -> Fraction | None:
    study = sources.study
    ours, best = (
        measure(study, replace(item, quantity="average_case", routing=name), None)
        if holds(study, item.network, name)
        else None
        for name in (item.routing, item.reference)
    )
    return 1 - ours / best if ours and best else None


def _above_the_average_curve(sources: _Sources, item: Published) -> Fraction | None:
    """Return how far a design is above the curve at its own load, both on the curve's sample."""
    curve, design = sources.curves.get("average_case"), sources.in_designs(item.routing)
    if curve is None or design is None or curve.routing != BEST_AVERAGE:
        return None  # another sample than the design's
    load = Fraction(design["routing_load_exact"].item())
    return curve.excess((load, Fraction(design["mean_path_length_exact"].item())))


def _approximation_error(sources: _Sources, item: Published) -> Fraction | None:
    """Return the largest relative error of 1 over the mean load, over the cells with a sample."""
    study, errors = sources.study, []
    for routing in routing_names(study) if sources.cells else []:
        if holds(study, item.network, routing):
            name = str(value(study, "cell", network=item.network, routing=routing))
            cell = (sources.cells or {}).get(name)
            if cell is not None and "average_case_load" in cell:
                loads = cell["average_case_load"].values
                errors.append(1 - 1 / (float(np.mean(loads)) * float(np.mean(1 / loads))))
    return Fraction(max(errors)).limit_denominator(10**6) if errors else None


_READERS: dict[Quantity, Callable[[_Sources, Published], Fraction | None]] = {
    "best_worst_case": _best_worst_case,
    "interpolation_excess": _most_above,
    "best_average_in_sample": _best_in_sample,
    "average_shortfall": _shortfall,
    "curve_excess": _above_the_average_curve,
    "approximation_error": _approximation_error,
}
"""How the quantities are read that take more than a study does."""


def _why(sources: _Sources, item: Published, agrees: bool, printing: str | None) -> str:
    if agrees and printing is not None:
        return printing if printing.startswith("cut") else ""
    if agrees and item.quantity == "average_case":
        return f"within two standard errors of {_standard_error(sources, item):.2%} of capacity"
    if agrees:
        return ""
    parts = [item.why.rstrip(".") or UNEXPECTED.rstrip(".")]
    if item.quantity in AVERAGES:
        if item.routing.startswith("ival"):
            parts.append(_FIRST_DIMENSION)
        parts.append(_sample(sources, item))
    parts += _details(sources, item)
    return ". ".join(part for part in parts if part) + "."


def _standard_error(sources: _Sources, item: Published) -> float:
    """Return the standard error of a study's average, as a fraction of capacity."""
    place = {"network": item.network, "routing": item.routing}
    error = float(value(sources.study, "average_case_standard_error", **place))
    capacity = exact(sources.study, "capacity_load", network=item.network)
    return error * float(capacity) if capacity is not None else math.nan


def _sample(sources: _Sources, item: Published) -> str:
    """Say on what sample the study's average is, with its standard error."""
    place = {"network": item.network, "routing": item.routing}
    study = sources.study
    fraction = float(value(study, "average_case_fraction", **place))
    error = _standard_error(sources, item)
    count, seed = (int(value(study, n, **place)) for n in ("average_case_samples", "seed"))
    drawn = f"{count} matrices, seed {'not recorded' if seed < 0 else seed}"
    text = f"Its average is {fraction:.2%} of capacity, standard error {error:.2%} ({drawn})"
    if item.quantity == "average_shortfall":
        best = {"the printed best": float(printed_value(BEST_PRINTED)[0])}
        in_sample = _best_in_sample(sources, item)
        if in_sample is not None:
            best["ours in sample"] = float(in_sample)
        text += "; below " + ", below ".join(
            f"{name}, {of:.2%}, it would be {1 - fraction / of:.1%}" for name, of in best.items()
        )
    return text


def _details(sources: _Sources, item: Published) -> Iterator[str]:
    """Give what our own number rests on."""
    if item.quantity == "interpolation_excess":
        yield _place(sources, item)
    if item.quantity == "interpolation_saving" and item.reference:
        saving = _measured(sources, item)
        if saving is not None:
            excess = float(1 / (1 - saving) - 1)
            yield f"Taken as the excess over the mix's length ours is {excess:.1%}"
    if item.quantity in ("best_average_in_sample", "curve_excess"):
        design = sources.in_designs(BEST_AVERAGE)
        if design is not None:
            yield (
                "Ours: random permutations, reduced by the "
                f"{design['symmetry'].item()} symmetry of the network"
            )
    if item.quantity == "curve_excess":
        curve = sources.curves["average_case"]
        if not curve.complete:
            yield (
                f"Our curve is not complete: its path lengths are at most {curve.gap:.2%} above "
                "the optimum"
            )
    if item.routing == "optimal" and item.quantity == "path_length":
        length = cube_path_length(sources.study, item.network, item.routing)
        if length is not None:
            yield f"Here it is {float(length):.4f}"


def _place(sources: _Sources, item: Published) -> str:
    """Say where the largest excess is: how far from DOR to the other, by throughput."""
    found = _largest_excess(sources, item)
    dor, other = (worst_point(sources.study, item.network, n) for n in ("dor", item.routing))
    if found is None or dor is None or other is None:
        return ""
    share = found[1]
    throughputs = [
        1 / load for load in (dor[0], (1 - share) * dor[0] + share * other[0], other[0])
    ]
    way = (throughputs[1] - throughputs[0]) / (throughputs[2] - throughputs[0])
    return f"It is {float(way):.0%} of the way from DOR, by throughput"
