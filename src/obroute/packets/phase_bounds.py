"""Theorem 3 with its constants: how long a phase of Valiant's takes on the hypercube, proved.

One packet starts at every node of a hypercube of N = 2ⁿ nodes, for a destination drawn uniformly
and independently, and takes the path of bit fixing (the first phase; the second is its mirror
image). Links are full duplex, a channel sends one packet a step, and a queue that is not empty
sends, whatever its discipline. Then:

- *Lemma 1.* A packet whose path has k channels, and shares one with the paths of d others,
  arrives within k + d steps. (Paths of bit fixing that part never meet again.)
- *Who meets whom.* Let x → z be a path. Another packet x′ has x's bits from some bit j on, but not
  bit j - 1; there are 2^(j-2) such packets for each j from 2 to n. Their paths share a channel if
  and only if z′ agrees with z up to the first bit from j on that x → z crosses; if that is bit i,
  the chance is 2^-i. All these events are independent, and each bit is crossed with chance 1/2.
  That is the exact law of k and d (:func:`law_tail`). The notes use only that the mean of d is at
  most n/2, as each crossed bit j brings (2^(j-1) - 1)·2^-j packets.
- *Chernoff.* A sum of independent 0/1 variables of mean at most μ is m or more, m > μ, with
  chance at most e^(m-μ)·(μ/m)^m (:func:`chernoff_tail`, with μ = n/2 and k ≤ n).
- *Negative binomial.* Without Lemma 1: a packet waits at a channel at most as long as others cross
  it, so for at most as many steps as there are crossings by others of channels on its path. A
  packet that shares a channel shares the next one crossed with chance at most 1/2. So m packets
  share at most as many channels as it takes tosses of a coin to see m heads, and more than w with
  at most the chance of fewer than m heads in w tosses (:func:`negative_binomial_tail`).
- *Union.* Some of N packets is late with at most N times the chance that one is.

Every number here is an upper bound that is rounded up: exact rationals, integers scaled by a power
of two and rounded the safe way, or decimals with directed rounding.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from obroute.specs import InputError

SCALE_BITS = 320
"""Probabilities of the exact law are integers over 2 to this power, rounded down."""
_ONE = 1 << SCALE_BITS
_CEILING = decimal.Context(prec=60, rounding=decimal.ROUND_CEILING)
LARGEST_DIMENSION = 24


def chernoff_tail(n: int, steps: int) -> Fraction:
    """Return a bound of the chance that a phase takes more steps: Chernoff's bound and Lemma 1.

    >>> float(chernoff_tail(10, 31)) < 1 / 1024
    True
    """
    _check(n, steps)
    return _at_most_one(2**n * _chernoff(n, steps - n + 1))


def negative_binomial_tail(n: int, steps: int) -> Fraction:
    """Return a bound of the same chance that needs no Lemma 1: Chernoff and a negative binomial.

    The best number m of packets met is taken: more than m are met with Chernoff's chance, and m
    share more than ``steps - n`` channels with that of the negative binomial.
    """
    _check(n, steps)
    tosses = steps - n
    best, heads = Fraction(1), Fraction(0)
    for m in range(max(0, tosses) + 1):
        best = min(best, _chernoff(n, m + 1) + heads)
        heads += Fraction(math.comb(max(0, tosses), m), 2 ** max(0, tosses))
    return _at_most_one(2**n * best)


def law_tail(n: int, steps: int) -> Fraction:
    """Return the union bound of the same chance with the exact law of k + d, and Lemma 1.

    >>> [float(law_tail(2, steps)) for steps in (1, 2, 3)]
    [1.0, 0.25, 0.0]
    """
    _check(n, steps)
    within = sum(_law(n, steps))
    return _at_most_one(2**n * Fraction(_ONE - within, _ONE))


def mean_met(n: int) -> Fraction:
    """Return the exact mean number of other packets whose paths share a channel with a path.

    >>> [str(mean_met(n)) for n in (1, 2, 3)], round(float(mean_met(10)), 3)
    (['0', '1/8', '9/32'], 1.444)
    """
    _check(n, 0)
    return sum(
        (
            2 ** (j - 2) * Fraction(1, 2 ** (i - j + 1)) * Fraction(1, 2**i)
            for j in range(2, n + 1)
            for i in range(j, n + 1)
        ),
        Fraction(0),
    )


TAILS: dict[str, Callable[[int, int], Fraction]] = {
    "Chernoff and Lemma 1": chernoff_tail,
    "Chernoff and negative binomial": negative_binomial_tail,
    "exact law and Lemma 1": law_tail,
}
"""The proved bounds by what they rest on."""


def steps_within(tail: Callable[[int, int], Fraction], n: int, exponent: int = 1) -> int:
    """Return the least steps that a phase exceeds with a chance of at most N^-exponent.

    >>> [steps_within(tail, 10) for tail in TAILS.values()]
    [30, 95, 18]
    """
    limit = Fraction(1, 2 ** (n * exponent))
    low, high = n - 1, n
    while tail(n, high) > limit:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if tail(n, middle) > limit:
            low = middle
        else:
            high = middle
    return high


def chernoff_constant(exponent: int, digits: int = 2) -> Fraction:
    """Return a κ, of so many decimals, for which ``(1 + κ)·n`` steps do for every n.

    A phase takes more with a chance of at most N^-exponent: N times Chernoff's bound of κ·n or
    more packets met is at most that if ``2^(1 + exponent) · e^(κ - 1/2) · (2κ)^-κ ≤ 1``.

    >>> [str(float(chernoff_constant(c))) for c in (1, 2, 3)]
    ['2.09', '2.54', '2.95']
    """
    unit = 10**digits
    kappa = unit // 2 + 1
    while not _suffices(Fraction(kappa, unit), exponent):
        kappa += 1
    return Fraction(kappa, unit)


def _suffices(kappa: Fraction, exponent: int) -> bool:
    """Check the inequality to the power of κ's denominator q, where it is of e and rationals."""
    power = kappa.numerator
    ratio = 1 / (2 * kappa)
    left: Fraction = _exp_above(kappa - Fraction(1, 2), kappa.denominator) * ratio**power
    return bool(left * 2 ** ((1 + exponent) * kappa.denominator) <= 1)


def _chernoff(n: int, met: int) -> Fraction:
    """Bound the chance that so many others or more are met; 1 where the mean n/2 is no less."""
    mean = Fraction(n, 2)
    if met <= mean:
        return Fraction(1)
    return _exp_above(met - mean) * (mean / met) ** met


@cache
def _exp_above(exponent: Fraction, times: int = 1) -> Fraction:
    """Return a rational at least e to a rational power times an integer."""
    power = exponent * times
    exact = decimal.Decimal(power.numerator), decimal.Decimal(power.denominator)
    rounded = _CEILING.exp(_CEILING.divide(*exact))  # rounded to nearest, so the next one is above
    return Fraction(_CEILING.next_plus(rounded))


def _law(n: int, most: int) -> list[int]:
    """Return lower bounds of the chances that k + d is 0, 1, …, most, times 2^SCALE_BITS.

    Bits are taken from the last to the first. The state is the first bit crossed so far, by which
    the packets that agree with x from a bit on are met.
    """
    states: dict[int, list[int]] = {0: [_ONE] + [0] * most}
    for bit in range(n, 0, -1):
        following: dict[int, list[int]] = {}
        for crossed, chances in states.items():
            halves = [chance >> 1 for chance in chances]
            _add(following, bit, [0, *halves[:-1]])
            _add(following, crossed, halves)
        if bit > 1:
            following = {
                crossed: _product(chances, _met(2 ** (bit - 2), crossed, most))
                if crossed
                else chances
                for crossed, chances in following.items()
            }
        states = following
    return [sum(column) for column in zip(*states.values(), strict=True)]


def _add(states: dict[int, list[int]], state: int, chances: list[int]) -> None:
    known = states.get(state, [0] * len(chances))
    states[state] = [a + b for a, b in zip(known, chances, strict=True)]


def _met(packets: int, bit: int, most: int) -> list[int]:
    """Return the chances that 0, 1, …, most of so many are met, each with chance 2^-bit."""
    others = 2**bit - 1
    chance = _power(others * (_ONE >> bit), packets)
    chances = []
    for met in range(most + 1):
        chances.append(chance)
        chance = chance * (packets - met) // ((met + 1) * others)
    return chances


def _power(base: int, exponent: int) -> int:
    result = _ONE
    while exponent:
        if exponent & 1:
            result = result * base >> SCALE_BITS
        base = base * base >> SCALE_BITS
        exponent >>= 1
    return result


def _product(left: list[int], right: list[int]) -> list[int]:
    return [
        sum(left[i] * right[place - i] for i in range(place + 1)) >> SCALE_BITS
        for place in range(len(left))
    ]


def _at_most_one(bound: Fraction) -> Fraction:
    return min(Fraction(1), bound)


def _check(n: int, steps: int) -> None:
    if not 1 <= n <= LARGEST_DIMENSION:
        raise InputError(f"dimension {n} is out of range; expected 1 to {LARGEST_DIMENSION}")
    if steps < 0:
        raise InputError(f"{steps} steps; expected at least 0")


@dataclass(frozen=True)
class PhaseBound:
    """What is proved of a phase: bounds of the chance of more steps, by what they rest on."""

    steps: int
    tails: dict[str, Fraction]


def phase_bounds(n: int, steps: list[int]) -> list[PhaseBound]:
    """Return every bound for each number of steps."""
    return [PhaseBound(t, {name: tail(n, t) for name, tail in TAILS.items()}) for t in steps]


def rounded_up(bound: Fraction, digits: int = 2) -> str:
    """Return a bound in decimals, rounded up.

    >>> rounded_up(Fraction(1, 3)), rounded_up(Fraction(1)), rounded_up(Fraction(1, 10**7))
    ('0.34', '1', '1.0e-7')
    """
    if bound in (0, 1):
        return str(bound)
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING)
    value = context.divide(decimal.Decimal(bound.numerator), decimal.Decimal(bound.denominator))
    return f"{value:f}" if value >= decimal.Decimal("0.001") else f"{value:.{digits - 1}e}"
