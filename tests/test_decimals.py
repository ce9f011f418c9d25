"""Bounds in a few digits: rounded outwards, and nowhere printed otherwise."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import obroute
from obroute.decimals import interval, no_less_than, no_more_than

VALUES = st.fractions() | st.floats(allow_nan=False, allow_infinity=False).map(Fraction)


@given(VALUES, st.integers(1, 12))
def test_a_bound_stays_true_and_near(value: Fraction, digits: int) -> None:
    """Below and above, by less than one in the last digit."""
    below, above = Fraction(no_more_than(value, digits)), Fraction(no_less_than(value, digits))
    assert below <= value <= above
    assert above - below <= abs(value) * Fraction(10) ** (1 - digits)
    assert interval(value, value, digits) == (
        f"from {no_more_than(value, digits)} to {no_less_than(value, digits)}"
    )


def test_no_end_of_an_interval_is_written_to_the_nearest() -> None:
    """No module formats what it calls lower or upper by itself, but where the value is known."""
    nearest = re.compile(r"\{float\([\w.]*(lower|upper)\):")
    assert {
        (file.name, line.strip())
        for file in Path(obroute.__file__).parent.rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if nearest.search(line)
    } == {("ratios.py", 'f"{float(row.upper):.6g}",')}  # of a row that is exact
