"""The integer pair loads of many channels together, for loops that take all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from obroute.rational import IntArray, RationalArray, SparseRationalMatrix


@dataclass(frozen=True, eq=False)
class PairLoadBlocks:
    """Sparse pair loads of many channels: one denominator a channel, numerators of 63 bits.

    Parameters
    ----------
    channels
        Numbers of the channels.
    firsts
        Where the entries of each channel start, and their total.
    rows, columns, numerators
        Source, destination and positive numerator of each entry, sorted by channel, source and
        destination.
    denominators
        One a channel.
    shape
        Number of sources and of destinations.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> ring, dor = make_network("ring:5"), make_routing("dor")
    >>> blocks = PairLoadBlocks.of([dor.pair_loads(ring, channel) for channel in range(10)])
    >>> len(blocks), blocks.firsts[:3].tolist(), blocks.matrix(1).nonzeros
    (10, [0, 3, 6], 3)
    """

    channels: IntArray
    firsts: IntArray
    rows: IntArray
    columns: IntArray
    numerators: IntArray
    denominators: tuple[int, ...]
    shape: tuple[int, int]

    def __len__(self) -> int:
        return len(self.channels)

    @classmethod
    def of(
        cls, matrices: Sequence[SparseRationalMatrix], channels: Sequence[int] | None = None
    ) -> PairLoadBlocks:
        """Join the pair loads of channels, numbered from 0 unless numbers are given.

        Raises
        ------
        ValueError
            If a numerator needs more than 63 bits.
        """
        numerators = [matrix.values.numerators for matrix in matrices]
        if any(part.dtype == object for part in numerators):
            raise ValueError("pair loads beyond 63 bits; solve their channels one at a time")
        return cls(
            np.arange(len(matrices)) if channels is None else np.array(channels, dtype=np.int64),
            np.cumsum([0, *(matrix.nonzeros for matrix in matrices)], dtype=np.int64),
            np.concatenate([matrix.rows for matrix in matrices]),
            np.concatenate([matrix.columns for matrix in matrices]),
            np.concatenate(numerators),
            tuple(matrix.values.denominator for matrix in matrices),
            matrices[0].shape,
        )

    def matrix(self, place: int) -> SparseRationalMatrix:
        """Return the pair loads of the channel at one place."""
        entries = slice(int(self.firsts[place]), int(self.firsts[place + 1]))
        return SparseRationalMatrix(
            self.rows[entries],
            self.columns[entries],
            RationalArray(self.numerators[entries], self.denominators[place]),
            self.shape,
        )
