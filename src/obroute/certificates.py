"""What proves a worst case: traffic that reaches its load, and potentials that bound it.

The load of a channel under any traffic that the terminals can inject and eject is at most
``Σ injection_s · u_s + Σ ejection_d · v_d`` for potentials u, v ≥ 0 with u_s + v_d ≥ pair load
(s, d). Where traffic has just that load, nothing is worse. This is checked here in exact
arithmetic, by code that knows nothing of how the traffic and the potentials were found
(:mod:`obroute.matching`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
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
    sources: IntArray
    destinations: IntArray
    amounts: RationalArray
    source_potentials: RationalArray
    destination_potentials: RationalArray

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
    the channel more. Everything is computed in Python integers from the pair loads given.

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
    sent: dict[int, Fraction] = {}
    received: dict[int, Fraction] = {}
    load = Fraction(0)
    places = pair_loads.positions(sources, destinations).tolist()
    pairs = zip(sources.tolist(), destinations.tolist(), places, strict=True)
    for position, (source, destination, place) in enumerate(pairs):
        amount = amounts.fraction(position)
        if amount < 0:
            raise CertificateError(f"{name}: traffic {amount} from source {source} is negative")
        sent[source] = sent.get(source, Fraction(0)) + amount
        received[destination] = received.get(destination, Fraction(0)) + amount
        if place >= 0:
            load += amount * pair_loads.values.fraction(place)
    for terminals, limit, what in (
        (sent, injection, "source"),
        (received, ejection, "destination"),
    ):
        for terminal, amount in terminals.items():
            if not 0 <= terminal < len(limit) or amount > limit.fraction(terminal):
                raise CertificateError(
                    f"{name}: {what} {terminal} carries {amount} packets per cycle, more than its "
                    "bandwidth"
                )
    return load


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
        numerators = [int(n) for n in potential.numerators]
        if any(n < 0 for n in numerators):
            raise CertificateError(f"{name}: a {what} potential is negative")
        total = sum(n * int(a) for n, a in zip(numerators, limit.numerators, strict=True))
        bound += Fraction(total, potential.denominator * limit.denominator)
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
    potentials = source_potentials, destination_potentials
    common = math.lcm(
        pair_loads.values.denominator, *(potential.denominator for potential in potentials)
    )
    u, v = (
        potential.numerators.astype(object) * (common // potential.denominator)
        for potential in potentials
    )
    weights = pair_loads.values.numerators.astype(object) * (
        common // pair_loads.values.denominator
    )
    short = np.flatnonzero(u[pair_loads.rows] + v[pair_loads.columns] < weights)
    if short.size:
        place = int(short[0])
        raise CertificateError(
            f"{name}: the potentials of source {pair_loads.rows[place]} and destination "
            f"{pair_loads.columns[place]} sum to less than their pair load"
        )
