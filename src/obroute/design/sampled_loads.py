"""Loads of all channels under all sampled matrices at once, and the transpose of that map.

The map takes the flow variables to loads over bandwidths, samples × channels. Its matrix is never
written down: a pair of a matrix puts the flow of its canonical pair, carried to the pair's source,
on every channel, so both directions read the tables of the reduction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from obroute.compiled import compiled
from obroute.rational import FloatArray, IntArray
from obroute.symmetry import Reduction
from obroute.traffic import Traffic


@dataclass(frozen=True, eq=False)
class SampledLoads:
    """The linear map from flow variables to the loads of sampled matrices.

    Parameters
    ----------
    reduction
        The orbits of the flow variables.
    entries
        One column for each pair of each matrix: the matrix, the position of the source, of its
        canonical source, and of the destination as the canonical source sees it.
    amounts
        Packets per cycle of each entry.
    count
        Number of matrices.

    Examples
    --------
    >>> from obroute import make_network
    >>> from obroute.design.samples import draw_samples
    >>> from obroute.symmetry import declared_group
    >>> from obroute.traffic import Sample
    >>> ring = make_network("ring:5")
    >>> loads = SampledLoads.of(
    ...     Reduction.build(declared_group(ring)), draw_samples(ring, Sample(3))
    ... )
    >>> loads.of_flows(np.ones(loads.reduction.flow_count)).shape
    (3, 10)
    """

    reduction: Reduction
    entries: IntArray
    amounts: FloatArray
    count: int

    @classmethod
    def of(cls, reduction: Reduction, samples: Sequence[Traffic]) -> SampledLoads:
        """Return the map for sampled matrices."""
        network = reduction.network
        matrices = [traffic.amounts for traffic in samples]
        sizes = [matrix.nonzeros for matrix in matrices]
        source = np.concatenate([matrix.rows for matrix in matrices])
        destination = np.concatenate([matrix.columns for matrix in matrices])
        seen = reduction.node_frame[source, network.destinations[destination]]
        entries = (
            np.repeat(np.arange(len(samples)), sizes),
            source,
            reduction.canonical[source],
            network.destination_index[seen],
        )
        return cls(
            reduction,
            np.stack(entries).astype(np.int64),
            np.concatenate([matrix.values.to_float() for matrix in matrices]),
            len(samples),
        )

    def of_flows(self, flows: FloatArray) -> FloatArray:
        """Return the load over bandwidth of each channel under each matrix, in floats."""
        tables = self.reduction
        padded = np.append(flows, 0.0)
        loads: FloatArray = _loads(
            tables.flow_of, tables.channel_frame, self.entries, self.amounts, padded, self.count
        )
        return loads / tables.network.bandwidth.to_float()

    def charged(self, weights: FloatArray) -> FloatArray:
        """Return what weights on the loads, samples × channels, charge each flow variable."""
        tables = self.reduction
        scaled = weights / tables.network.bandwidth.to_float()
        size = tables.flow_count + 1
        charges: FloatArray = _charges(
            tables.flow_of, tables.channel_frame, self.entries, self.amounts, scaled, size
        )
        return charges[:-1]


@compiled
def _loads(
    flow_of: NDArray[np.int32],
    channel_frame: NDArray[np.int32],
    entries: IntArray,
    amounts: FloatArray,
    flows: FloatArray,
    count: int,
) -> FloatArray:  # pragma: no cover  # compiled
    """Add up; variable -1, of channels that a pair does not use, is the last, which is zero."""
    channels = channel_frame.shape[1]
    loads = np.zeros((count, channels))
    last = len(flows) - 1
    for entry in range(len(amounts)):
        sample, source, frame, there = entries[:, entry]
        variables, places = flow_of[frame, there], channel_frame[source]
        into, rate = loads[sample], amounts[entry]
        for channel in range(channels):
            variable = variables[places[channel]]
            into[channel] += rate * flows[variable if variable >= 0 else last]
    return loads


@compiled
def _charges(
    flow_of: NDArray[np.int32],
    channel_frame: NDArray[np.int32],
    entries: IntArray,
    amounts: FloatArray,
    weights: FloatArray,
    size: int,
) -> FloatArray:  # pragma: no cover  # compiled
    channels = channel_frame.shape[1]
    charges = np.zeros(size)
    for entry in range(len(amounts)):
        sample, source, frame, there = entries[:, entry]
        variables, places = flow_of[frame, there], channel_frame[source]
        out, rate = weights[sample], amounts[entry]
        for channel in range(channels):
            if out[channel] != 0.0:
                variable = variables[places[channel]]
                charges[variable if variable >= 0 else size - 1] += rate * out[channel]
    return charges
