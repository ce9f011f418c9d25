"""What proves a worst case: traffic that reaches its load, and potentials that bound it.

The load of a channel under any traffic that the terminals can inject and eject is at most
``Σ injection_s · u_s + Σ ejection_d · v_d`` for potentials u, v ≥ 0 with u_s + v_d ≥ pair load
(s, d). Where traffic has just that load, nothing is worse. This is checked here in exact
arithmetic, by code that knows nothing of how the traffic and the potentials were found
(:mod:`obroute.matching`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.additive_matrix import AdditiveMatrix
from obroute.product_certificates import first_short_pair
from obroute.product_matrix import ProductMatrix
from obroute.rational import INT64_ROOM, IntArray, RationalArray, SparseRationalMatrix
from obroute.specs import CertificateError

__all__ = [
    "CertificateError",
    "WorstCase",
    "check_certificate",
    "check_potentials",
    "potentials_value",
    "traffic_load",
]


@dataclass(frozen=True, eq=False)
class WorstCase:
    """The worst traffic for one channel, and the proof that it is the worst.

    Parameters
    ----------
    channel
        The channel.
    load
        Its exact load under the traffic (packets per cycle), the largest of all traffic that the
        terminals can inject and eject.
    sources, destinations, amounts
        The traffic: ``amounts[i]`` packets per cycle from the source at position ``sources[i]``
        to the destination at position ``destinations[i]``. With unit terminals it is a
        permutation.
    source_potentials, destination_potentials
        The dual potentials u and v, one for each source and destination.
    """

    channel: int
    load: Fraction
    sources: IntArray = field(repr=False)
    destinations: IntArray = field(repr=False)
    amounts: RationalArray = field(repr=False)
    source_potentials: RationalArray = field(repr=False)
    destination_potentials: RationalArray = field(repr=False)

    @property
    def permutation(self) -> IntArray | None:
        """Position of the destination of each source, or None where sources split traffic."""
        count = len(self.source_potentials)
        if not np.array_equal(self.sources, np.arange(count)):
            return None
        if len(np.unique(self.destinations)) < count:
            return None
        return self.destinations


def check_certificate(
    worst: WorstCase,
    pair_loads: SparseRationalMatrix,
    injection: RationalArray,
    ejection: RationalArray,
) -> None:
    """Check in exact arithmetic that a worst case is one; raise where it is not.

    The traffic must be one that the terminals can inject and eject, its load must be the recorded
    one, the potentials must be feasible, and both must give the same value: then no traffic loads
    the channel more. Everything is computed exactly from the pair loads given: in 63-bit integers
    where they provably fit, else by floats where their error cannot matter, and by integers of any
    size, or residues, where it could.

    Raises
    ------
    CertificateError
        Names the first thing that does not hold.
    """
    name = f"channel {worst.channel}"
    ends = worst.sources, worst.destinations
    load = traffic_load(name, *ends, worst.amounts, pair_loads, injection, ejection)
    if load != worst.load:
        raise CertificateError(f"{name}: the traffic loads it with {load}, recorded {worst.load}")
    potentials = worst.source_potentials, worst.destination_potentials
    bound = potentials_value(name, *potentials, injection, ejection)
    if bound != load:
        raise CertificateError(f"{name}: the potentials bound the load by {bound}, not {load}")
    check_potentials(name, *potentials, pair_loads)


def traffic_load(
    name: str,
    sources: IntArray,
    destinations: IntArray,
    amounts: RationalArray,
    pair_loads: SparseRationalMatrix,
    injection: RationalArray,
    ejection: RationalArray,
) -> Fraction:
    """Return the load of given traffic, which the largest load of a channel is at least.

    Raises
    ------
    CertificateError
        If the terminals cannot inject or eject that traffic; ``name`` says where.
    """
    negative = np.flatnonzero(amounts.numerators < 0)
    if negative.size:
        place = int(negative[0])
        raise CertificateError(
            f"{name}: traffic {amounts.fraction(place)} from source {sources[place]} is negative"
        )
    for terminals, limit, what in (
        (sources, injection, "source"),
        (destinations, ejection, "destination"),
    ):
        carried, first, places = np.unique(terminals, return_index=True, return_inverse=True)
        common = math.lcm(amounts.denominator, limit.denominator)
        carries = _sums(amounts.over(common), places, len(carried))
        known = (carried >= 0) & (carried < len(limit))
        allowed = limit.over(common)[np.where(known, carried, 0)]
        wrong = np.flatnonzero(~known | (carries > allowed))
        if wrong.size:
            worst = wrong[np.argmin(first[wrong])]
            raise CertificateError(
                f"{name}: {what} {carried[worst]} carries {Fraction(int(carries[worst]), common)} "
                "packets per cycle, more than its bandwidth"
            )
    if isinstance(pair_loads, ProductMatrix | AdditiveMatrix):
        return pair_loads.load_at(sources, destinations, amounts)
    places = pair_loads.positions(sources, destinations)
    used = np.flatnonzero(places >= 0)
    return pair_loads.values.take(places[used]).times(amounts.take(used)).sum()


def _sums(amounts: NDArray[Any], places: IntArray, count: int) -> NDArray[Any]:
    """Add the amounts of each place, in Python integers where 63 bits might not hold the sum."""
    if amounts.dtype != object and int(amounts.max(initial=0)) * amounts.size >= INT64_ROOM:
        amounts = amounts.astype(object)
    sums = np.zeros(count, dtype=amounts.dtype)
    np.add.at(sums, places, amounts)
    return sums


def potentials_value(
    name: str,
    source_potentials: RationalArray,
    destination_potentials: RationalArray,
    injection: RationalArray,
    ejection: RationalArray,
) -> Fraction:
    """Return the value of dual potentials, ``Σ injection · u + Σ ejection · v``.

    Raises
    ------
    CertificateError
        If they are negative, or not one a terminal; ``name`` says where.
    """
    bound = Fraction(0)
    for potential, limit, what in (
        (source_potentials, injection, "source"),
        (destination_potentials, ejection, "destination"),
    ):
        if len(potential) != len(limit):
            raise CertificateError(f"{name}: {len(potential)} {what} potentials, not {len(limit)}")
        if potential.numerators.size and int(potential.numerators.min()) < 0:
            raise CertificateError(f"{name}: a {what} potential is negative")
        bound += potential.times(limit).sum()
    return bound


def check_potentials(
    name: str,
    source_potentials: RationalArray,
    destination_potentials: RationalArray,
    pair_loads: SparseRationalMatrix,
) -> None:
    """Check that dual potentials cover every pair load: then no traffic exceeds their value.

    Raises
    ------
    CertificateError
        Names the first pair whose load is larger than its potentials.
    """
    if isinstance(pair_loads, ProductMatrix):
        short = first_short_pair(pair_loads, source_potentials, destination_potentials)
    elif isinstance(pair_loads, AdditiveMatrix):
        short = pair_loads.first_short_pair(source_potentials, destination_potentials)
    else:
        place = _first_short_entry(pair_loads, source_potentials, destination_potentials)
        short = None if place is None else (pair_loads.rows[place], pair_loads.columns[place])
    if short is not None:
        raise CertificateError(
            f"{name}: the potentials of source {short[0]} and destination {short[1]} sum to less "
            "than their pair load"
        )


def _first_short_entry(
    pair_loads: SparseRationalMatrix, u: RationalArray, v: RationalArray
) -> int | None:
    """Return the first triplet that potentials do not cover, None if they cover all."""
    values = pair_loads.values
    common = math.lcm(values.denominator, u.denominator, v.denominator)
    parts = [
        (part.numerators, common // part.denominator) for part in (u, v, values)
    ]  # not negative, but for numerators of pair loads that a file made wrong
    rows, columns = pair_loads.rows, pair_loads.columns
    if all(_scaled_fits(*part) for part in parts):
        u_units, v_units, weights = (numerators * factor for numerators, factor in parts)
        short = u_units[rows] + v_units[columns] < weights
        return int(np.argmax(short)) if short.any() else None
    near = _near(pair_loads, u, v)
    u_units, v_units = (part.astype(object) * factor for part, factor in parts[:2])
    weights = values.numerators[near].astype(object) * parts[2][1]
    found = np.flatnonzero(u_units[rows[near]] + v_units[columns[near]] < weights)
    return int(near[found[0]]) if found.size else None


def _scaled_fits(numerators: NDArray[Any], factor: int) -> bool:
    if numerators.dtype == object or factor >= INT64_ROOM:
        return False
    return not numerators.size or int(np.abs(numerators).max()) * factor < INT64_ROOM


def _near(pair_loads: SparseRationalMatrix, u: RationalArray, v: RationalArray) -> IntArray:
    """Return the entries that floats cannot tell to be covered: all where floats cannot hold them.

    A float is off by less than 2⁻⁵⁰ of what it stands for, and sums of two add as much.
    """
    try:
        floats = [part.to_float() for part in (u, v, pair_loads.values)]
    except OverflowError:
        return np.arange(pair_loads.nonzeros)
    scale = sum(float(np.abs(part).max(initial=0.0)) for part in floats)
    if not 1e-200 < scale < 1e200:
        return np.arange(pair_loads.nonzeros)
    slack = floats[0][pair_loads.rows] + floats[1][pair_loads.columns] - floats[2]
    return np.flatnonzero(slack < 2.0**-45 * scale)
