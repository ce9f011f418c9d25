"""Series: a study's networks of one family in order of size, such as k-ary n-cubes by k."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import xarray as xr

from obroute.theorems.statement import Bounds
from obroute.topologies.grid import Grid
from obroute.trends.theory import ClosedForm, Theory, theory_of
from obroute.trends.values import exact, holds, network_names, network_of, routing_names, value

BY_RADIX = Grid.size_is
SMALLEST_SIZE = 2
Agreement = Literal["agrees", "within bounds", "differs", ""]
Standing = Literal["proved", "checked", "measured"]
"""How a load is known: proved by a theorem for every such k; checked for this k alone, by the
certificate of this study; or measured, from sampled paths."""


@dataclass(frozen=True)
class Series:
    """Networks of one family and set of options, by rising size.

    Of families that rise by the radix those of one number of dimensions, which is -1 for others.
    """

    family: str
    dimensions: int
    options: str
    networks: dict[int, str]
    """Network name by size."""
    size_is: str = BY_RADIX
    """What the size is, with its letter."""

    @property
    def title(self) -> str:
        """The field's name of the series, such as ``k-ary 2-cubes``."""
        if self.size_is != BY_RADIX:
            name = f"{self.family.replace('_', ' ')}, by {self.size_is}"
        elif self.family == "mesh":
            name = f"k-ary {self.dimensions}-meshes"
        elif self.family == "torus":
            name = f"k-ary {self.dimensions}-cubes"
        else:
            name = f"{self.family}, {self.dimensions}-dimensional"
        return f"{name} ({self.options})" if self.options else name

    @property
    def theory(self) -> Theory:
        """What is proved of these networks."""
        return theory_of(self.family, self.dimensions)

    def closed_form(self, routing: str) -> ClosedForm | None:
        """Return the closed form that covers this series, None where there is none."""
        return self.theory.closed_form(routing)


@dataclass(frozen=True)
class TrendRow:
    """The worst case of one routing at one radix of a series, or size if it rises by another.

    Loads are packets per cycle over channel bandwidth. ``closed_form_exact`` is empty where no
    closed form covers the radix; ``lower_exact`` and ``upper_exact`` are what a theorem proves of
    the load there, a bracket where it has no closed form, and empty where there is no theorem.
    ``load_over_h`` is the load over ``h = (k - 1)/2``, which is DOR's load on a k-ary 2-cube, and
    ``growth_of_load_over_h`` what it grows like where that is known, else NaN.
    """

    series: str
    family: str
    dimensions: int
    radix: int
    network: str
    routing: str
    worst_case_load_exact: str
    worst_case_load: float
    fraction_of_capacity_exact: str
    fraction_of_capacity: float
    closed_form_exact: str
    closed_form: float
    lower_exact: str
    upper_exact: str
    agreement: Agreement
    standing: Standing
    load_over_h: float
    growth_of_load_over_h: float
    certified: bool


def series_of(study: xr.Dataset) -> list[Series]:
    """Return the series of a study: those with at least two sizes.

    >>> import obroute
    >>> study = obroute.compare(["torus:3x3", "torus:4x4", "mesh:3x3"], ["valiant"])
    >>> [(series.title, list(series.networks)) for series in series_of(study)]
    [('k-ary 2-cubes', [3, 4])]
    >>> study = obroute.compare(["complete:3", "complete:4"], ["ecmp"])
    >>> [(series.title, list(series.networks)) for series in series_of(study)]
    [('complete, by nodes N', [3, 4])]
    """
    groups: dict[tuple[str, int, str, str], dict[int, str]] = {}
    for name in network_names(study):
        family = str(value(study, "family", network=name))
        network = network_of(family, name)
        if network is None or network.size is None or network.size < SMALLEST_SIZE:
            continue
        by_radix = network.size_is == BY_RADIX
        dimensions = int(value(study, "dimensions", network=name)) if by_radix else -1
        options = name.partition(":")[2].partition(",")[2]
        key = (family, dimensions, options, network.size_is)
        groups.setdefault(key, {})[network.size] = name
    return [
        Series(family, dimensions, options, dict(sorted(networks.items())), size_is)
        for (family, dimensions, options, size_is), networks in groups.items()
        if len(networks) > 1
    ]


def trend_table(study: xr.Dataset) -> list[TrendRow]:
    """Return the rows of every series and routing, by rising radix.

    Examples
    --------
    >>> import obroute
    >>> study = obroute.compare(["torus:4x4", "torus:5x5"], ["dor", "romm"])
    >>> for row in trend_table(study):
    ...     print(row.radix, row.routing, row.worst_case_load_exact, row.agreement or "-")
    4 dor 3/2 agrees
    5 dor 2 agrees
    4 romm 3/2 within bounds
    5 romm 8/3 agrees
    """
    return [
        _row(study, series, radix, network, routing)
        for series in series_of(study)
        for routing in routing_names(study)
        for radix, network in series.networks.items()
        if holds(study, network, routing)
    ]


def _row(study: xr.Dataset, series: Series, radix: int, network: str, routing: str) -> TrendRow:
    load = exact(study, "worst_case_load", network=network, routing=routing)
    assert load is not None  # every cell has a worst case
    capacity = exact(study, "capacity_load", network=network)
    fraction = capacity / load if capacity and load else None
    bounds = _bounds(series, routing, radix, capacity)
    expected = bounds.exact if bounds else None
    certified = bool(value(study, "certified", network=network, routing=routing))
    return TrendRow(
        series=series.title,
        family=series.family,
        dimensions=series.dimensions,
        radix=radix,
        network=network,
        routing=routing,
        worst_case_load_exact=str(load),
        worst_case_load=float(load),
        fraction_of_capacity_exact="" if fraction is None else str(fraction),
        fraction_of_capacity=math.nan if fraction is None else float(fraction),
        closed_form_exact="" if expected is None else str(expected),
        closed_form=math.nan if expected is None else float(expected),
        lower_exact="" if bounds is None else str(bounds.lower),
        upper_exact="" if bounds is None else str(bounds.upper),
        agreement=_agreement(bounds, load),
        standing="proved" if expected == load else "checked" if certified else "measured",
        load_over_h=2 * float(load) / (radix - 1) if series.dimensions > 0 else math.nan,
        growth_of_load_over_h=series.theory.growth(routing, radix),
        certified=certified,
    )


def _agreement(bounds: Bounds | None, load: Fraction) -> Agreement:
    if bounds is None:
        return ""
    if not bounds.allow(load):
        return "differs"
    return "within bounds" if bounds.exact is None else "agrees"


def _bounds(series: Series, routing: str, radix: int, capacity: Fraction | None) -> Bounds | None:
    """Return what is proved of the load at the study's channel bandwidth."""
    bounds = series.theory.bounds(routing, radix)
    at_unit = series.theory.capacity_load(radix)
    if bounds is None or capacity is None or at_unit is None:
        return None
    inverse = capacity / at_unit
    return Bounds(bounds.lower * inverse, bounds.upper * inverse)
