"""Certificates of worst cases whose numbers have no denominator in common, checked exactly.

As :func:`obroute.certificates.check_certificate`, which brings all numbers over one denominator.
Here floats decide where their error cannot matter, and fractions everywhere else.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from obroute.additive_matrix import AdditiveMatrix
from obroute.certificates import CertificateError, WorstCase
from obroute.quotients import sum_of_fractions
from obroute.rational import RationalArray, SparseRationalMatrix

FLOAT_ERROR = 2.0**-50
"""Relative, of the largest number, more than three of them and two additions are off."""


def check_quotients(
    worst: WorstCase,
    pair_loads: SparseRationalMatrix,
    injection: RationalArray,
    ejection: RationalArray,
) -> None:
    """Check in exact arithmetic that a worst case is one; raise where it is not.

    Raises
    ------
    CertificateError
        Names the first thing that does not hold.
    """
    name = f"channel {worst.channel}"
    u, v = worst.source_potentials, worst.destination_potentials
    for ends, limits, what in (
        (worst.sources, injection, "source"),
        (worst.destinations, ejection, "destination"),
    ):
        if ends.size and (ends.min() < 0 or ends.max() >= len(limits)):
            raise CertificateError(f"{name}: traffic of a {what} that is none")
        carried = np.zeros(len(limits), dtype=object)
        np.add.at(carried, ends, worst.amounts.numerators.astype(object))
        above = carried * limits.denominator > limits.numerators.astype(object) * (
            worst.amounts.denominator
        )
        if above.any():
            place = int(np.argmax(above))
            raise CertificateError(f"{name}: {what} {place} carries more than its bandwidth")
    if worst.amounts.numerators.min(initial=0) < 0:
        raise CertificateError(f"{name}: a part of the traffic is negative")
    load = _load(worst, pair_loads)
    if load != worst.load:
        raise CertificateError(f"{name}: the traffic loads it with {load}, recorded {worst.load}")
    bound = Fraction(0)
    for potentials, limits, what in ((u, injection, "source"), (v, ejection, "destination")):
        if len(potentials) != len(limits):
            raise CertificateError(
                f"{name}: {len(potentials)} {what} potentials, not {len(limits)}"
            )
        given = potentials.fractions()
        if min(given, default=Fraction(0)) < 0:
            raise CertificateError(f"{name}: a {what} potential is negative")
        bound += sum_of_fractions(p * a for p, a in zip(given, limits.fractions(), strict=True))
    if bound != load:
        raise CertificateError(f"{name}: the potentials bound the load by {bound}, not {load}")
    _check_cover(name, u, v, pair_loads)


def _load(worst: WorstCase, pair_loads: SparseRationalMatrix) -> Fraction:
    if isinstance(pair_loads, AdditiveMatrix):
        return pair_loads.load_at(worst.sources, worst.destinations, worst.amounts)
    places = pair_loads.positions(worst.sources, worst.destinations)
    loaded = np.flatnonzero(places >= 0)
    weights = pair_loads.values.take(places[loaded]).fractions()
    amounts = worst.amounts.take(loaded).fractions()
    return sum_of_fractions(a * w for a, w in zip(amounts, weights, strict=True))


def _check_cover(
    name: str, u: RationalArray, v: RationalArray, pair_loads: SparseRationalMatrix
) -> None:
    if isinstance(pair_loads, AdditiveMatrix):
        short = pair_loads.first_short_pair(u, v)
        if short is not None:
            raise CertificateError(
                f"{name}: the potentials of source {short[0]} and destination {short[1]} sum to "
                "less than their pair load"
            )
        return
    values = pair_loads.values
    of_row, of_column, weights = u.to_float(), v.to_float(), values.to_float()
    slack = of_row[pair_loads.rows] + of_column[pair_loads.columns] - weights
    largest = max(
        of_row.max(initial=0.0), of_column.max(initial=0.0), weights.max(initial=0.0), 1e-300
    )
    doubtful = np.flatnonzero(~(slack > 4 * largest * FLOAT_ERROR))
    exact_u, exact_v = u.fractions(), v.fractions()
    for place, weight in zip(doubtful.tolist(), values.take(doubtful).fractions(), strict=True):
        row, column = int(pair_loads.rows[place]), int(pair_loads.columns[place])
        if exact_u[row] + exact_v[column] < weight:
            raise CertificateError(
                f"{name}: the potentials of source {row} and destination {column} sum to less "
                "than their pair load"
            )
