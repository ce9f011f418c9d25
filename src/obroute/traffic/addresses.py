"""The digit complement and the transpose: of coordinates on grids, of bits elsewhere."""

from __future__ import annotations

import numpy as np

from obroute.network import Network
from obroute.rational import IntArray
from obroute.topologies.grid import Grid
from obroute.traffic.bits import bits_of
from obroute.traffic.registry import GRIDS, POWERS_OF_TWO, Pattern, patterns

_COMPLEMENT_FOR = f"{GRIDS}, and {POWERS_OF_TWO}"
_TRANSPOSE_FOR = (
    "grids whose second half of dimensions repeats the first (9x9, 4x3x4x3, hypercubes of even "
    "dimension), and networks with 4^m terminals"
)


@patterns.register(
    "bit_complement",
    "every coordinate c to k-1-c",
    defined_for=_COMPLEMENT_FOR,
    examples=("bit_complement",),
    small=("bit_complement",),
)
def bit_complement() -> Pattern:
    """Return the digit complement, which on powers of two complements every bit."""

    def destinations(network: Network) -> IntArray | None:
        if not isinstance(network, Grid) and bits_of(network) is None:
            return None
        return np.arange(len(network.sources))[::-1].copy()

    return Pattern(destinations)


@patterns.register(
    "transpose",
    "swap the two halves of the address",
    defined_for=_TRANSPOSE_FOR,
    examples=("transpose",),
    small=("transpose",),
)
def transpose() -> Pattern:
    """Return the exchange of the first and second half of the coordinates, or of the bits."""

    def destinations(network: Network) -> IntArray | None:
        if isinstance(network, Grid):
            assert network.coordinates is not None
            half, odd = divmod(len(network.radices), 2)
            if not odd and network.radices[:half] == network.radices[half:]:
                return network.node_at(np.roll(network.coordinates, half, axis=1))
        bits = bits_of(network)
        if bits is None or bits % 2:
            return None
        high, low = np.divmod(np.arange(2**bits), 2 ** (bits // 2))
        swapped: IntArray = low * 2 ** (bits // 2) + high
        return swapped

    return Pattern(destinations)
