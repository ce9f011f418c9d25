"""How exact values are shown: in JSON under one convention, on a terminal in words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

LONGEST_SHOWN = 40
"""A fraction of as many characters is shown by its decimals alone."""


def exact_json(name: str, value: Fraction | None) -> dict[str, Any]:
    """Return a value as JSON has it: the float, and the fraction as text under ``…_exact``.

    The keys are those of the arrays of a store.

    >>> exact_json("load", Fraction(32, 5))
    {'load': 6.4, 'load_exact': '32/5'}
    """
    if value is None:
        return {name: None, f"{name}_exact": None}
    return {name: float(value), f"{name}_exact": str(value)}


def in_short(value: Fraction) -> str:
    """Return a fraction with its decimals, or these alone where it has very many digits.

    >>> in_short(Fraction(8, 3))
    '8/3 = 2.66666667'
    """
    exact = str(value)
    if value.denominator == 1 and len(exact) < LONGEST_SHOWN:
        return exact
    return (
        f"{exact} = {float(value):.9g}" if len(exact) < LONGEST_SHOWN else f"{float(value):.12g}"
    )


def spread(values: list[int]) -> str:
    """Return the range and the mean of the values of all seeds, or their one value."""
    if min(values) == max(values):
        return str(values[0]) + (f" over {len(values)} seeds" if len(values) > 1 else "")
    mean = sum(values) / len(values)
    return f"{min(values)} to {max(values)}, mean {mean:.2f} over {len(values)} seeds"
