"""Potentials held against pair loads in product form: every pair, exactly, none of them stored.

``u + v - w`` is taken in floats with a bound on their error. Where that leaves open whether it is
negative, its numerator over the common denominator is less than twice ``margin`` times that
denominator. If it vanishes modulo primes whose product is larger, it is zero. What is still open
(a difference too small for floats, yet not zero) is decided in Python integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from obroute.certificate_kernel import sweep
from obroute.product_matrix import ProductMatrix
from obroute.rational import IntArray, RationalArray

LARGEST_PRIME = 2**30
OPEN_PAIRS = 2**16
"""Pairs that one sweep leaves to Python; a second one has room for all."""


def first_short_pair(
    matrix: ProductMatrix, u: RationalArray, v: RationalArray
) -> tuple[int, int] | None:
    """Return the first pair (row-major) whose entry is more than u + v, None if there is none.

    Potentials are not negative.

    >>> from obroute import make_network, make_routing
    >>> loads = make_routing("dor").pair_loads(make_network("torus:5x5"), 0)
    >>> enough, nothing = RationalArray.full(25, 1), RationalArray.full(25, 0)
    >>> first_short_pair(loads, enough, nothing), first_short_pair(loads, nothing, nothing)
    (None, (0, 5))
    """
    halves = matrix.halves()
    a, b = len(halves[0][0]), len(halves[0][1])
    present = np.any([right.numerators != 0 for _, right in halves], axis=0)
    rows, columns = np.nonzero(present)
    starts = np.searchsorted(rows, np.arange(b + 1)).astype(np.int64)
    left = np.stack([part.to_float() for part, _ in halves])
    right = np.stack([part.take((rows, columns)).to_float() for _, part in halves])
    potentials = [part.to_float().reshape(a, b) for part in (u, v)]
    scale = sum(float(part.max(initial=0.0)) for part in potentials)
    scale += float(left.max(axis=(1, 2)) @ right.max(axis=1)) if rows.size else 0.0
    # each float is off by 3 roundings at most, each product and sum adds one
    margin = (len(halves) + 16) * 2.0**-52 * scale
    common = math.lcm(
        u.denominator,
        v.denominator,
        *(left_part.denominator * right_part.denominator for left_part, right_part in halves),
    )
    primes = _primes(2 * math.ceil(Fraction(2 * margin) * common) + 1)
    firsts = [(one, common // (one.denominator * other.denominator)) for one, other in halves]
    seconds = [(other.take((rows, columns)), 1) for _, other in halves]
    sums = [(part, common // part.denominator) for part in (u, v)]
    residues = [
        np.stack([np.stack([_residues(*part, prime) for part in parts]) for prime in primes])
        for parts in (firsts, seconds, sums)
    ]
    by_node = residues[2].reshape(len(primes), 2, a, b)

    def swept(open_pairs: IntArray) -> tuple[int, int]:
        return sweep(
            left,
            right,
            starts,
            columns,
            potentials[0],
            potentials[1],
            margin,
            np.array(primes, dtype=np.int64),
            residues[0],
            residues[1],
            by_node[:, 0],
            by_node[:, 1],
            open_pairs,
        )

    pairs = np.empty(min(OPEN_PAIRS, (a * b) ** 2), dtype=np.int64)
    failed, found = swept(pairs)
    if found > len(pairs):
        pairs = np.empty(found, dtype=np.int64)
        failed, found = swept(pairs)
    short = [int(failed)] if failed >= 0 else []
    for pair in np.sort(pairs[:found]).tolist():
        source, destination = divmod(pair, a * b)
        load = matrix.load_at(
            np.array([source]), np.array([destination]), RationalArray.full(1, 1)
        )
        if u.fraction(source) + v.fraction(destination) < load:
            short.append(pair)
            break
    return divmod(min(short), a * b) if short else None


def _residues(part: RationalArray, factor: int, prime: int) -> NDArray[np.int64]:
    reduced = (part.numerators % prime).astype(np.int64)
    return np.asarray(reduced * (factor % prime) % prime)


def _primes(product: int) -> list[int]:
    """Return primes below 2³⁰ whose product is at least a number."""
    primes: list[int] = []
    for prime in _descending_primes():
        primes.append(prime)
        if math.prod(primes) >= product:
            break
    return primes


def _descending_primes() -> Iterator[int]:
    divisors = _small_primes()
    candidate = LARGEST_PRIME - 1
    while True:
        if np.all(candidate % divisors):
            yield candidate
        candidate -= 2


def _small_primes() -> IntArray:
    limit = math.isqrt(LARGEST_PRIME) + 1
    sieve = np.ones(limit + 1, dtype=bool)
    sieve[:2] = False
    for number in range(2, math.isqrt(limit) + 1):
        if sieve[number]:
            sieve[number * number :: number] = False
    return np.flatnonzero(sieve)
