"""Values that a user gives: how they are read, and what is said of those that cannot be."""

from __future__ import annotations

from fractions import Fraction

import pytest

from obroute import InputError
from obroute.specs import parse_fraction, parse_positive_fraction, suggestion


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("1/3", Fraction(1, 3)), (" 0.25 ", Fraction(1, 4)), ("-2", -2), ("1e-2", 0.01)],
)
def test_numbers_are_read_exactly(text: str, value: Fraction) -> None:
    """Decimals in ten and not in two."""
    assert parse_fraction(text) == Fraction(str(value))


@pytest.mark.parametrize("text", ["", "x", "1/0", "1/2/3", "nan", "inf", "0x10", "1,5"])
def test_what_is_no_number_is_refused(text: str) -> None:
    """With an example of what is."""
    with pytest.raises(InputError, match="is not a number; expected a whole number, a fraction"):
        parse_fraction(text)


@pytest.mark.parametrize("text", ["0", "-1/2"])
def test_a_positive_number_is_above_zero(text: str) -> None:
    """Zero is not."""
    with pytest.raises(InputError, match=f"{text} is not positive"):
        parse_positive_fraction(text)
    assert parse_positive_fraction("1/2") == Fraction(1, 2)


def test_a_suggestion_is_the_closest_word_or_all() -> None:
    """Nothing close: the list alone."""
    assert suggestion("romn", ["romm", "dor"]) == "; did you mean 'romm'? (known: dor, romm)"
    assert suggestion("xyz", ["romm", "dor"]) == " (known: dor, romm)"
