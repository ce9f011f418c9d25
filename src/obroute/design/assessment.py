"""How good a design for a sample is: on its own sample, and on traffic that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass

from obroute.averages import AverageCase, average_case
from obroute.loads import PairLoadTensor
from obroute.network import Network
from obroute.routing import Routing
from obroute.traffic import Sample


@dataclass(frozen=True)
class SampleAssessment:
    """Average case of a routing in and out of the sample that it was designed for."""

    in_sample: AverageCase
    out_of_sample: AverageCase


def assess(network: Network, routing: Routing, sample: Sample, fresh: int) -> SampleAssessment:
    """Return the average case over the sample, and over ``fresh`` further matrices.

    The fresh matrices are the next ones that the seed draws, so no matrix is in both.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> found = assess(make_network("torus:4x4"), make_routing("dor"), Sample(10), 50)
    >>> len(found.in_sample.loads), len(found.out_of_sample.loads)
    (10, 50)
    """
    tensor = PairLoadTensor.build(network, routing)
    return SampleAssessment(
        average_case(tensor, sample), average_case(tensor, sample.following(fresh))
    )
