"""Exact values in a few digits, rounded to the side on which a statement about them stays true."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction


def no_more_than(value: Fraction | float, digits: int = 6) -> str:
    """Return a value in so many digits, rounded down: what is at least the value is at least this.

    >>> no_more_than(Fraction(5, 3)), no_more_than(Fraction(-5, 3)), no_more_than(Fraction(40))
    ('1.66666', '-1.66667', '40')
    """
    return _rounded(value, Context(prec=digits, rounding=ROUND_FLOOR))


def no_less_than(value: Fraction | float, digits: int = 6) -> str:
    """Return a value in so many digits, rounded up: what is at most the value is at most this.

    >>> no_less_than(Fraction(4, 3)), no_less_than(Fraction(-4, 3)), no_less_than(Fraction(40))
    ('1.33334', '-1.33333', '40')
    """
    return _rounded(value, Context(prec=digits, rounding=ROUND_CEILING))


def interval(lower: Fraction | float, upper: Fraction | float, digits: int = 6) -> str:
    """Return an interval in so many digits, rounded outwards.

    >>> interval(Fraction(4, 3), Fraction(5, 3), 3)
    'from 1.33 to 1.67'
    >>> interval(Fraction(1), 1.25), interval(1.23456, 1.23454, 4)
    ('from 1 to 1.25', 'from 1.234 to 1.235')
    """
    return f"from {no_more_than(lower, digits)} to {no_less_than(upper, digits)}"


def _rounded(value: Fraction | float, context: Context) -> str:
    exact = Fraction(value)
    divided = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return format(divided.normalize(context), "f" if -6 < divided.adjusted() < 15 else "g")
