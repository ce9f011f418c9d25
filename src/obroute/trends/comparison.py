"""Our numbers beside the published ones: the technical report's Table 1, and every difference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import xarray as xr

from obroute.specs import InputError, suggestion
from obroute.trends.closed_forms import closed_forms
from obroute.trends.measures import cube_path_length, measure
from obroute.trends.published import (
    APPROACHED_AT,
    APPROACHES,
    AT_ONE_RADIX,
    IVAL_SETTLES,
    REPORT,
    TABLE1,
    TABLE1_NETWORK,
    TABLE1_ROWS,
    Published,
    Quantity,
)
from obroute.trends.readings import (
    holds,
    network_names,
    routing_names,
    value,
    worst_case_fraction,
)
from obroute.trends.series import Series, series_of

Cells = Mapping[str, xr.Dataset] | None
Verdict = Literal["equal as printed", "sample", "differs", "not published", "not in the study"]
UNEXPECTED = (
    "Not expected: both follow from the same definitions, so look at the study's settings and "
    "check its certificates with `obroute verify`."
)
SAMPLED: frozenset[Quantity] = frozenset({"random_permutations", "overestimate", "average_case"})


@dataclass(frozen=True)
class Comparison:
    """One number, ours beside the published one.

    ``ours`` and ``difference`` (ours less the published) are NaN, and ``ours_exact`` and
    ``printed`` empty, where there is none. ``note`` says how an equal number was printed or a
    sample drawn; ``explanation`` why a number differs.
    """

    source: str
    where: str
    label: str
    network: str
    routing: str
    printed: str
    ours_exact: str
    ours: float
    difference: float
    verdict: Verdict
    note: str = ""
    explanation: str = ""

    @property
    def ours_as_printed(self) -> str:
        """Our value with at least three decimals, in per cent where the paper prints that."""
        if math.isnan(self.ours):
            return ""
        if self.printed.endswith("%"):
            return f"{self.ours * 100:.4g}%"
        return self.ours_exact if self.ours_exact.isdigit() else f"{self.ours:.5f}"


def printed_value(printed: str) -> tuple[Fraction, int]:
    """Return a printed number and the decimals that it shows, those of a percentage plus two.

    >>> printed_value("62.3%"), printed_value("0.173")
    ((Fraction(623, 1000), 3), (Fraction(173, 1000), 3))
    """
    number = printed.removesuffix("%")
    percent = 2 if printed.endswith("%") else 0
    return Fraction(number) / 10**percent, len(number.partition(".")[2]) + percent


def printing_of(ours: Fraction, printed: str) -> str | None:
    """Say how ``ours`` becomes the printed number: exact, rounded or cut; None if it does not.

    >>> printing_of(Fraction(25, 144), "0.173")
    'cut after 3 decimals (rounded it would be 0.174)'
    >>> printing_of(Fraction(5, 9), "0.556")
    'rounded to 3 decimals'
    >>> printing_of(Fraction(1, 2), "0.556") is None
    True
    """
    published, decimals = printed_value(printed)
    unit = 10**decimals
    if ours == published:
        return "exact"
    rounded = Fraction(math.floor(ours * unit + Fraction(1, 2)), unit)
    shown = decimals - 2 if printed.endswith("%") else decimals
    places = f"{shown} decimal{'' if shown == 1 else 's'}" if shown else "a whole number"
    if rounded == published:
        return f"rounded to {places}"
    if Fraction(math.floor(ours * unit), unit) == published:
        nearest = f"{float(rounded):.{shown}{'%' if printed.endswith('%') else 'f'}}"
        return f"cut {'after' if shown else 'to'} {places} (rounded it would be {nearest})"
    return None


def table1(
    study: xr.Dataset, network: str = TABLE1_NETWORK, cells: Cells = None
) -> list[Comparison]:
    """Return the technical report's Table 1 for a network: row by row, a routing a column.

    Throughput as a fraction of capacity. Only DOR and ROMM on the 9-ary 2-cube have published
    values; every other entry is ours alone.

    Parameters
    ----------
    study
        A study that holds the network.
    network
        Its name.
    cells
        Cells by their names, to take uniform traffic from them where the study lacks it.

    Examples
    --------
    >>> import obroute
    >>> study = obroute.compare(["torus:9x9"], ["romm"], ["tornado"])
    >>> for entry in table1(study):
    ...     print(entry.label, entry.ours_exact or "-", entry.printed, entry.verdict)
    Uniform - 1 not in the study
    Bit-complement - 0.362 not in the study
    Transpose - 0.556 not in the study
    Tornado 5/18 0.278 equal as printed
    Worst of random permutations - 0.255 not in the study
    Worst case 25/144 0.173 equal as printed
    """
    if network not in network_names(study):
        raise InputError(
            f"the study has no network '{network}'" + suggestion(network, network_names(study))
        )
    found = []
    for label, quantity, pattern in TABLE1_ROWS:
        for routing in routing_names(study):
            if holds(study, network, routing):
                item = _table1_item(label, quantity, pattern, network, routing)
                found.append(_compare(study, item, measure(study, item, cells)))
    return found


def _table1_item(
    label: str, quantity: Quantity, pattern: str, network: str, routing: str
) -> Published:
    for item in TABLE1:
        if (item.network, item.routing, item.label) == (network, routing, label):
            return item
    return Published("", "", label, "", quantity, network, routing, pattern=pattern)


def differences(study: xr.Dataset, cells: Cells = None) -> list[Comparison]:
    """Return every published number that the study covers, with ours, equal or not.

    ``cells`` serve as for :func:`table1`.

    Examples
    --------
    >>> import obroute
    >>> study = obroute.compare(["torus:9x9"], ["dor", "romm"])
    >>> for entry in differences(study):
    ...     print(entry.label, entry.printed, entry.ours_as_printed, entry.verdict)
    Worst case 0.278 0.27778 equal as printed
    Worst case 0.173 0.17361 equal as printed
    ROMM's worst case over DOR's 62.3% 62.5% differs
    """
    found = [
        _compare(study, item, measured)
        for item in (*TABLE1, *AT_ONE_RADIX)
        if holds(study, item.network, item.routing)
        and (measured := measure(study, item, cells)) is not None
    ]
    return found + _settles(study) + _approaches(study)


def _compare(study: xr.Dataset, item: Published, ours: Fraction | None) -> Comparison:
    verdict, note, explanation = _verdict(study, item, ours)
    difference = math.nan
    if ours is not None and item.printed:
        difference = float(ours - printed_value(item.printed)[0])
    return Comparison(
        source=item.source,
        where=item.where,
        label=item.label,
        network=item.network,
        routing=item.routing,
        printed=item.printed,
        ours_exact="" if ours is None else str(ours),
        ours=math.nan if ours is None else float(ours),
        difference=difference,
        verdict=verdict,
        note=note,
        explanation=explanation,
    )


def _verdict(
    study: xr.Dataset, item: Published, ours: Fraction | None
) -> tuple[Verdict, str, str]:
    """Return a verdict, the note to it and the explanation of a difference."""
    if ours is None:
        return "not in the study", "", ""
    if item.quantity in SAMPLED:
        verdict: Verdict = "sample" if item.printed else "not published"
        return verdict, _sample(study, item, ours), item.why
    if not item.printed:
        return "not published", "", ""
    printing = printing_of(ours, item.printed)
    if printing is None:
        return "differs", "", item.why or UNEXPECTED
    return "equal as printed", printing, ""


def _sample(study: xr.Dataset, item: Published, ours: Fraction) -> str:
    """Say how a sample was drawn, and if it prints as the published number does."""
    place = {"network": item.network, "routing": item.routing}
    average = item.quantity == "average_case"
    name = "average_case_samples" if average else "random_permutation_samples"
    count = int(value(study, name, **place))
    seed = int(value(study, "seed", **place))
    drawn = f"{count} {'matrices' if average else 'permutations'}"
    drawn += f", seed {'not recorded' if seed < 0 else seed}"
    printing = printing_of(ours, item.printed) if item.printed else None
    return f"{drawn}; equals the printed number ({printing})" if printing else drawn


def _two_cubes(study: xr.Dataset) -> list[Series]:
    return [
        series
        for series in series_of(study)
        if (series.family, series.dimensions, series.options) == ("torus", 2, "")
    ]


def _settles(study: xr.Dataset) -> list[Comparison]:
    """Return “IVAL settles near 1.64” beside the path length of the largest radix."""
    found = []
    for series in _two_cubes(study):
        for network in reversed(series.networks.values()):
            length = cube_path_length(study, network, IVAL_SETTLES.routing)
            if length is not None:
                found.append(_compare(study, replace(IVAL_SETTLES, network=network), length))
                break
    return found


def _approaches(study: xr.Dataset) -> list[Comparison]:
    """Return “as k increases DOR approaches about 0.26, ROMM 0.14” beside k = 17, 19 and ∞."""
    found = []
    for series in _two_cubes(study):
        for routing, printed in APPROACHES.items():
            if any(holds(study, network, routing) for network in series.networks.values()):
                found += [
                    _approach(study, series, routing, printed, radix) for radix in APPROACHED_AT
                ]
                found.append(_limit(routing, printed))
    return found


def _approach(
    study: xr.Dataset, series: Series, routing: str, printed: str, radix: int
) -> Comparison:
    network = series.networks.get(radix, f"torus:{radix}x{radix}")
    ours = None
    if holds(study, network, routing):
        ours = worst_case_fraction(study, network, routing)
    origin = "computed" if ours is not None else "from the closed form; not in the study"
    item = Published(
        REPORT,
        "section 5",
        f"{routing.upper()} as k increases, at k = {radix}",
        printed,
        "worst_case",
        network,
        routing,
    )
    compared = _compare(study, item, ours or closed_forms[routing].fraction(radix))
    note = ", ".join(filter(None, (compared.note, origin)))
    return replace(compared, note=note)


def _limit(routing: str, printed: str) -> Comparison:
    limit = closed_forms[routing].limit
    assert limit.value is not None  # both published series have one
    return Comparison(
        REPORT,
        "section 5",
        f"{routing.upper()} as k increases, the limit",
        "k-ary 2-cubes",
        routing,
        printed,
        str(limit.value),
        float(limit.value),
        float(limit.value - printed_value(printed)[0]),
        "differs",
        explanation=f"{printed} is what k = 17 and k = 19 show, not a limit: the fraction of "
        f"capacity {limit.text}.",
    )
