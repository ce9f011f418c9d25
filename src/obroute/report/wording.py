"""Numbers and objectives as the report writes them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from obroute.rational import FloatArray

OBJECTIVES = {
    "worst_case": "worst case",
    "average_case": "average case",
    "capacity": "capacity",
}
"""What an objective of designs is called."""
MOST_NAMED = 4
"""Names of a list that are said."""


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 cell``, ``2 cells``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def decimal(number: float) -> str:
    """Return four decimals; a dash for what is not known."""
    return "–" if math.isnan(number) else f"{number:.4f}"


def percent(number: Fraction) -> str:
    """Return a share in percent to one decimal, which no line is broken before.

    >>> percent(Fraction(5, 18)).replace("\N{NO-BREAK SPACE}", " ")
    '27.8 %'
    """
    return f"{float(100 * number):.1f}\N{NO-BREAK SPACE}%"


def spread(values: FloatArray) -> str:
    """Return the values of all seeds in short: one number, or the median and the range."""
    low, middle, high = values.min(), float(np.median(values)), values.max()
    return f"{middle:g}" if low == high else f"{middle:g} ({low:g}–{high:g})"


def signed(percent: float) -> str:
    """Return a difference to one decimal, with its sign unless it is nought."""
    return f"{percent:+.1f}".replace("-", "−").replace("+0.0", "0.0").replace("−0.0", "0.0")


def listed(names: list[str]) -> str:
    """Return names as a list in words, of which some are said, if there are many.

    >>> listed(["DOR", "VAL", "IVAL"])
    'DOR, VAL and IVAL'
    """
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
