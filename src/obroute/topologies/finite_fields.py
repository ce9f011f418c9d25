"""Finite fields GF(pᵏ), whose elements are the numbers 0 … pᵏ - 1.

The base-p digits of a number are the coefficients of a polynomial, the lowest digit first, so that
0 and 1 are what they should be and, for a prime, the field is the integers modulo it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.rational import IntArray
from obroute.specs import InputError, cut


def prime_power(number: int) -> tuple[int, int] | None:
    """Return the prime and the exponent of a prime power, None of another number.

    >>> prime_power(27), prime_power(13), prime_power(12)
    ((3, 3), (13, 1), None)
    """
    if number < 2:
        return None
    divisors = itertools.chain([2], range(3, int(number**0.5) + 2, 2))
    prime = next((d for d in divisors if number % d == 0 and d < number), number)
    exponent, rest = 0, number
    while rest % prime == 0:
        exponent, rest = exponent + 1, rest // prime
    return (prime, exponent) if rest == 1 else None


@dataclass(frozen=True)
class FiniteField:
    """The field of a prime power of elements.

    Raises
    ------
    InputError
        If the order is no prime power.

    Examples
    --------
    >>> field = FiniteField(4)
    >>> field.powers.tolist(), field.add(2, 3).tolist(), field.multiply(2, 2).tolist()
    ([1, 2, 3], 1, 3)
    """

    order: int

    def __post_init__(self) -> None:
        if prime_power(self.order) is None:
            raise InputError(
                f"{cut(str(self.order))} is no prime power, and no field has so many elements; "
                "expected 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, …"
            )

    @cached_property
    def characteristic(self) -> int:
        """The prime that the order is a power of."""
        found = prime_power(self.order)
        assert found is not None
        return found[0]

    @property
    def basis(self) -> list[int]:
        """Elements of which all are sums: the powers of the prime."""
        powers = itertools.accumulate(
            itertools.repeat(self.characteristic), int.__mul__, initial=1
        )
        return list(itertools.takewhile(lambda power: power < self.order, powers))

    @cached_property
    def powers(self) -> IntArray:
        """The powers ξ⁰ … ξ^(q-2) of a primitive element: the least by its minimal polynomial."""
        degree = len(self.basis)
        for low in itertools.product(range(self.characteristic), repeat=degree):
            found = self._powers_of_root(low)
            if len(found) == self.order - 1:
                return np.array(found, dtype=np.int64)
        raise AssertionError("every finite field has a primitive element")

    def _powers_of_root(self, low: tuple[int, ...]) -> list[int]:
        """Return the powers of x modulo xᵏ - Σ lowᵢ xⁱ, until they begin again or are 0."""
        prime, place = self.characteristic, self.basis
        digits = [1] + [0] * (len(low) - 1)
        found: list[int] = []
        while any(digits) and len(found) < self.order:
            found.append(sum(d * b for d, b in zip(digits, place, strict=True)))
            top, digits = digits[-1], [0, *digits[:-1]]
            digits = [(d + top * c) % prime for d, c in zip(digits, low, strict=True)]
            if digits == [1] + [0] * (len(low) - 1):
                break
        return found

    @cached_property
    def logarithms(self) -> IntArray:
        """The exponent of each element as a power of the primitive one, 0 of 0."""
        found = np.zeros(self.order, dtype=np.int64)
        found[self.powers] = np.arange(self.order - 1)
        return found

    def add(self, left: NDArray[Any] | int, right: NDArray[Any] | int) -> IntArray:
        """Return sums; arrays broadcast."""
        prime = self.characteristic
        total = np.zeros(np.broadcast(left, right).shape, dtype=np.int64)
        for place in self.basis:
            total += (np.asarray(left) // place + np.asarray(right) // place) % prime * place
        return total

    def negative(self, elements: NDArray[Any] | int) -> IntArray:
        """Return what adds up to 0 with each."""
        prime = self.characteristic
        parts = (-(np.asarray(elements) // place) % prime * place for place in self.basis)
        return np.asarray(sum(parts), dtype=np.int64)

    def multiply(self, left: NDArray[Any] | int, right: NDArray[Any] | int) -> IntArray:
        """Return products; arrays broadcast."""
        left, right = np.asarray(left), np.asarray(right)
        exponent = (self.logarithms[left] + self.logarithms[right]) % (self.order - 1)
        return np.where((left == 0) | (right == 0), 0, self.powers[exponent])

    def inverse(self, elements: NDArray[Any] | int) -> IntArray:
        """Return what gives 1 with each element but 0."""
        return np.asarray(self.powers[-self.logarithms[elements] % (self.order - 1)])
