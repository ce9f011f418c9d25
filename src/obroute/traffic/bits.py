"""Permutations of the bits of a terminal's number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from obroute.network import Network
from obroute.rational import IntArray
from obroute.traffic.registry import POWERS_OF_TWO, Pattern, patterns


def bits_of(network: Network) -> int | None:
    """Return how many bits number the sources, None where they are no power of two."""
    count = len(network.sources)
    return count.bit_length() - 1 if count & (count - 1) == 0 else None


def _permuted(image: Callable[[IntArray, int], IntArray]) -> Pattern:
    def destinations(network: Network) -> IntArray | None:
        bits = bits_of(network)
        return None if bits is None else image(np.arange(len(network.sources)), bits)

    return Pattern(destinations)


@patterns.register(
    "bit_reverse",
    "the bits in reverse order",
    defined_for=POWERS_OF_TWO,
    examples=("bit_reverse",),
    small=("bit_reverse",),
)
def bit_reverse() -> Pattern:
    """Return the reversal of the bits of the terminal's number."""

    def image(numbers: IntArray, bits: int) -> IntArray:
        result = np.zeros_like(numbers)
        for bit in range(bits):
            result |= ((numbers >> bit) & 1) << (bits - 1 - bit)
        return result

    return _permuted(image)


@patterns.register(
    "bit_rotation",
    "the bits one place to the right",
    defined_for=POWERS_OF_TWO,
    examples=("bit_rotation",),
    small=("bit_rotation",),
)
def bit_rotation() -> Pattern:
    """Return the rotation that moves the lowest bit to the top."""
    return _permuted(
        lambda numbers, bits: (numbers >> 1) | ((numbers & 1) << max(bits - 1, 0)),
    )


@patterns.register(
    "shuffle",
    "the bits one place to the left",
    defined_for=POWERS_OF_TWO,
    examples=("shuffle",),
    small=("shuffle",),
)
def shuffle() -> Pattern:
    """Return the perfect shuffle, which moves the top bit to the bottom."""
    return _permuted(
        lambda numbers, bits: ((numbers << 1) & (2**bits - 1)) | (numbers >> max(bits - 1, 0)),
    )
