"""The virtual channels of paths by an order of channels: the next one whenever a number falls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from obroute.deadlock import Scheme
from obroute.network import Network
from obroute.rational import IntArray
from obroute.routing import PathBatch


class Rising(Scheme):
    """Virtual channel 0 for as long as the numbers of channels rise, 1 after they fell once, ….

    Pairs of a virtual channel and a number rise along every path, in the order of virtual
    channels first, so that no dependencies close a cycle (Dally and Seitz 1987).

    Parameters
    ----------
    order
        The number of each channel.
    """

    name = "rising"

    def __init__(self, order: IntArray) -> None:
        self.order = order

    def virtual_channels(self, network: Network, batch: PathBatch) -> NDArray[np.int32]:
        """Return how often numbers fell before each hop, in its path."""
        numbers = self.order[batch.channels]
        fell = np.zeros(len(numbers), dtype=np.int64)
        fell[1:] = numbers[1:] < numbers[:-1]
        fell[batch.starts[:-1][batch.lengths > 0]] = 0
        total = np.cumsum(fell)
        begins = batch.starts[:-1][batch.lengths > 0]
        return (total - np.repeat(total[begins], batch.lengths[batch.lengths > 0])).astype(
            np.int32
        )
