"""Sampled traffic of the average case, drawn as the evaluation draws it.

The rows that bound the loads are many and dense, and few of them matter: they are added as they
are violated, and at the end every one of them is checked.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.rational import RationalArray
from obroute.specs import InputError
from obroute.symmetry import Reduction
from obroute.traffic import Sample, Traffic


def draw_samples(network: Network, sample: Sample) -> list[Traffic]:
    """Draw the matrices that ``obroute evaluate --average-case`` draws for the same seed.

    Raises
    ------
    InputError
        If the count is not positive, or terminals are not unit ones.
    """
    if sample.count < 1:
        raise InputError(
            f"a sample of {sample.count} matrices has no average; draw at least one, such as "
            "--samples 100"
        )
    if not network.has_unit_terminals:
        raise InputError(
            f"{network.name}: the average case needs terminals that each inject and eject one "
            "packet per cycle; design for the worst case or for capacity"
        )
    return sample.traffic(network)


def flow_variables(reduction: Reduction, traffic: Traffic) -> NDArray[np.int32]:
    """Return the flow variable of each pair of a matrix on each channel, or -1."""
    network, amounts = reduction.network, traffic.amounts
    there = network.destination_index[
        reduction.node_frame[amounts.rows, network.destinations[amounts.columns]]
    ]
    return np.asarray(
        reduction.flow_of[
            reduction.canonical[amounts.rows][:, None],
            there[:, None],
            reduction.channel_frame[amounts.rows],
        ]
    )


def scaled_loads(reduction: Reduction, traffic: Traffic, flows: NDArray[Any]) -> NDArray[Any]:
    """Return the load of every channel under a matrix, for flows of any dtype.

    Times the denominator of the matrix, so that integers stay integers.
    """
    padded = np.append(flows, flows.dtype.type(0) if flows.dtype != object else 0)
    pair_flows = padded[flow_variables(reduction, traffic)]
    amounts = traffic.amounts.values.numerators
    if np.all(amounts == 1):
        return np.asarray(pair_flows.sum(axis=0))
    return np.asarray((pair_flows * amounts[:, None]).sum(axis=0))


def largest_sampled_load(reduction: Reduction, traffic: Traffic, flows: RationalArray) -> Fraction:
    """Return the exact largest load over bandwidth of any channel under a matrix."""
    network = reduction.network
    loads = scaled_loads(reduction, traffic, flows.numerators.astype(object))
    bandwidths = network.bandwidth.numerators.astype(object)
    common = int(np.lcm.reduce(bandwidths))
    scaled = loads * (common // bandwidths)
    return Fraction(
        int(scaled.max()) * network.bandwidth.denominator,
        common * flows.denominator * traffic.amounts.values.denominator,
    )
