"""Speeds of links as people write them: ``100G``, ``10 Gbps``, ``4xEDR``, ``2.5e9 bps``.

A speed with a unit is read in gigabits per second, exactly; a number without one is as many
packets per cycle, the multiple of a terminal's unit injection bandwidth that every number of
obroute is. InfiniBand's names are those of data: what a lane carries after its line code, 8 of 10
bits of SDR to QDR and 64 of 66 of FDR to EDR. A lane of EDR is 25 Gb/s, four of them 100.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from obroute.specs import InputError, cut, parse_fraction

LANES = {
    "SDR": Fraction(2),
    "DDR": Fraction(4),
    "QDR": Fraction(8),
    "FDR10": Fraction(10),
    "FDR": Fraction(150, 11),
    "EDR": Fraction(25),
    "HDR": Fraction(50),
    "NDR": Fraction(100),
    "XDR": Fraction(200),
}
"""Gigabits of data per second of one lane, by InfiniBand's name of its speed."""
_PREFIXES = {"": -9, "k": -6, "K": -6, "M": -3, "G": 0, "T": 3, "P": 6}
_BITS = re.compile(
    r"(?P<number>[^\sA-Za-z]+(?:[eE][-+]?\d+)?)\s*(?P<prefix>[kKMGTP]?)"
    r"(?:(?P<unit>b|B|bit|bits|Bit|Byte|byte|bytes)?(?P<per>(?:/s|ps|/sec))?)"
)
_INFINIBAND = re.compile(r"(?:(?P<lanes>\d{1,2})\s*[xX]\s*)?(?P<speed>[A-Z]{3}(?:10)?)")
_LANES_AND_SPEED = re.compile(r"(?P<lanes>\d{1,2})\s*[xX]\s+(?P<rest>\S.*)")


@dataclass(frozen=True)
class Rate:
    """A speed: gigabits per second, or packets per cycle where it was written without a unit."""

    amount: Fraction
    has_unit: bool


def parse_rate(text: str) -> Rate:
    """Read a speed.

    Raises
    ------
    InputError
        If it is none, or not above zero.

    Examples
    --------
    >>> parse_rate("100G").amount, parse_rate("4xEDR").amount, parse_rate("1/2").has_unit
    (Fraction(100, 1), Fraction(100, 1), False)
    >>> parse_rate("250 Mbps"), parse_rate("12.5 GB/s").amount
    (Rate(amount=Fraction(1, 4), has_unit=True), Fraction(100, 1))
    >>> parse_rate("4x 14.0625 Gbps").amount
    Fraction(225, 4)
    """
    text = text.strip()
    by_name = _INFINIBAND.fullmatch(text.upper())
    if by_name and by_name["speed"] in LANES:
        amount, has_unit = int(by_name["lanes"] or 4) * LANES[by_name["speed"]], True
    elif lanes := _LANES_AND_SPEED.fullmatch(text):
        one = parse_rate(lanes["rest"])
        amount, has_unit = int(lanes["lanes"]) * one.amount, one.has_unit
    else:
        amount, has_unit = _in_bits(text)
    if amount <= 0:
        raise InputError(
            f"bandwidth {cut(text)} is not positive; give every channel a bandwidth above zero, "
            "or leave it out"
        )
    return Rate(amount, has_unit)


def _in_bits(text: str) -> tuple[Fraction, bool]:
    found = _BITS.fullmatch(text)
    if not found or not (found["prefix"] or found["unit"]):
        try:
            return parse_fraction(text), False
        except InputError as error:
            if "is not a number" not in str(error):
                raise
            raise InputError(f"{error}, or a speed such as 100G, 10Gbps or 4xEDR") from None
    amount = parse_fraction(found["number"]) * Fraction(10) ** _PREFIXES[found["prefix"]]
    return amount * (8 if (found["unit"] or "").startswith(("B", "byte")) else 1), True


def rate_text(gigabits: Fraction) -> str:
    """Write a speed as people do.

    >>> rate_text(Fraction(100)), rate_text(Fraction(1, 4)), rate_text(Fraction(1, 3))
    ('100 Gb/s', '250 Mb/s', '1/3 Gb/s')
    """
    for unit, factor in (("Tb/s", 1000), ("Gb/s", 1), ("Mb/s", Fraction(1, 1000))):
        number = gigabits / factor
        if number >= 1 and 1000 % number.denominator == 0:
            return f"{float(number):g} {unit}"
    return f"{gigabits} Gb/s"
