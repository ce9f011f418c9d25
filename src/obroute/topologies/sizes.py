"""How large a network will be, found from its parameters without building it.

Counts are whole numbers however large the parameters are: :func:`power` and :func:`product` stop
at :data:`MOST_COUNTED`, so that ``hypercube:1000000`` is refused at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from obroute.machine import MEGABYTE, available_megabytes
from obroute.specs import InputError

MOST_COUNTED_BITS = 62
MOST_COUNTED: int = 2**MOST_COUNTED_BITS
"""What counts stop at: far more than any machine holds."""
MOST_CHANNELS = 2**28
"""The most nodes, and the most channels, that a network may have."""
BYTES_A_CHANNEL = 90
BYTES_A_NODE = 40
"""Largest memory in use while a network is built, as the tests measure it of every family."""


@dataclass(frozen=True)
class Size:
    """How many nodes and channels a network has; :data:`MOST_COUNTED` stands for any number above.

    Examples
    --------
    >>> Size(16, 64).check()
    >>> Size(power(2, 26), 26 * power(2, 26)).check()
    Traceback (most recent call last):
    obroute.specs.InputError: 67108864 nodes and 1744830464 channels would take about 160 GB; \
expected at most 268435456 of each; take a smaller network
    """

    nodes: int
    channels: int

    def check(self) -> None:
        """Refuse what is above the limit, or above what this machine has.

        Raises
        ------
        InputError
            Names the counts, the memory that they would take, and what is allowed.
        """
        needed = self.nodes * BYTES_A_NODE + self.channels * BYTES_A_CHANNEL
        if max(self.nodes, self.channels) > MOST_CHANNELS:
            if max(self.nodes, self.channels) >= MOST_COUNTED:
                counted = f"more than 2^{MOST_COUNTED_BITS} nodes or channels"
            else:
                counted = (
                    f"{self.nodes} nodes and {self.channels} channels would take about "
                    f"{needed / 1e9:.0f} GB"
                )
            raise InputError(
                f"{counted}; expected at most {MOST_CHANNELS} of each; take a smaller network"
            )
        available = available_megabytes()
        if available is not None and needed > available * MEGABYTE:
            raise InputError(
                f"{self.nodes} nodes and {self.channels} channels would take about "
                f"{needed // MEGABYTE} MB, and {available} MB are available here; take a smaller "
                "network, or a machine with more"
            )


def power(base: int, exponent: int) -> int:
    """Return a whole number above one to a power, or :data:`MOST_COUNTED` if that is less.

    >>> power(2, 10), power(2, 10**1000) == MOST_COUNTED
    (1024, True)
    """
    count: int = base ** min(exponent, MOST_COUNTED_BITS)
    return min(count, MOST_COUNTED)


def product(factors: Iterable[int]) -> int:
    """Return the product of whole numbers, or :data:`MOST_COUNTED` if that is less.

    >>> product([3, 4]), product([3] * 500) == MOST_COUNTED
    (12, True)
    """
    total = 1
    for factor in factors:
        total *= factor
        if abs(total) >= MOST_COUNTED:
            return MOST_COUNTED
    return total
