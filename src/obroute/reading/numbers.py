"""Numbers of a file that are put over one denominator, and how long that may become."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from obroute.specs import InputError

MOST_COMMON_DIGITS = 10_000
"""Digits of the common denominator of all numbers of a file."""


def over_one_denominator(file: Path | str, numbers: Iterable[Fraction]) -> list[Fraction]:
    """Return the numbers of a file, once it is known that they have a denominator in common.

    Raises
    ------
    InputError
        If that has more digits than exact arithmetic on every number can be burdened with.

    Examples
    --------
    >>> over_one_denominator(Path("x.csv"), [Fraction(1, 3), Fraction(1, 2)])
    [Fraction(1, 3), Fraction(1, 2)]
    """
    listed = list(numbers)
    common, most = 1, 10**MOST_COMMON_DIGITS
    for below in {number.denominator for number in listed}:
        common = math.lcm(common, below)
        if common >= most:
            raise InputError(
                f"{file}: the common denominator of its numbers has more than "
                f"{MOST_COMMON_DIGITS:,} digits; write them with denominators that have factors "
                "in common, such as decimals"
            )
    return listed
