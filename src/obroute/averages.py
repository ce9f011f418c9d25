"""Throughput over samples of random traffic: the average case, and the worst of permutations.

A sample says nothing of what it does not hold: the worst of many permutations is below the worst
case, and the average has an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from obroute.loads import PairLoadTensor
from obroute.rational import FloatArray
from obroute.specs import InputError
from obroute.tasks import TaskRunner, run_serially
from obroute.traffic import Sample

SAMPLES_A_TASK = 500


@dataclass(frozen=True)
class RandomPermutations:
    """Largest normalized loads of seeded random permutations: a sample, not a bound."""

    seed: int
    loads: list[Fraction]

    @property
    def worst(self) -> Fraction:
        """The largest load in the sample."""
        return max(self.loads)


@dataclass(frozen=True)
class AverageCase:
    """Throughput over seeded random doubly stochastic traffic.

    ``loads`` are the largest normalized loads, one a matrix.
    """

    seed: int
    kind: str
    loads: FloatArray

    @property
    def throughput(self) -> float:
        """Mean over the sample of the throughput; infinite where a matrix loads no channel."""
        return float(np.mean(1 / self.loads)) if np.all(self.loads) else float("inf")

    @property
    def standard_error(self) -> float:
        """Standard error of that mean; infinite for one matrix, and where the mean is."""
        if len(self.loads) < 2 or not np.all(self.loads):
            return float("inf")
        return float(np.std(1 / self.loads, ddof=1) / np.sqrt(len(self.loads)))

    @property
    def approximate_throughput(self) -> float:
        """Inverse of the mean load, the approximation of SPAA 2003, eq. 9."""
        return float(1 / np.mean(self.loads)) if np.any(self.loads) else float("inf")


def random_permutation_loads(
    tensor: PairLoadTensor, sample: Sample, run: TaskRunner = run_serially
) -> RandomPermutations:
    """Return the largest normalized load of each of many seeded random permutations."""
    parts = _in_parts(_permutation_loads, tensor, sample, "permutations", run)
    return RandomPermutations(sample.seed, [load for part in parts for load in part])


def average_case(
    tensor: PairLoadTensor, sample: Sample, run: TaskRunner = run_serially
) -> AverageCase:
    """Return the largest normalized load of each of many seeded random matrices.

    Raises
    ------
    InputError
        If terminals do not each inject and eject one packet per cycle.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> tensor = PairLoadTensor.build(make_network("torus:4x4"), make_routing("dor"))
    >>> sample = Sample(10, kind="mixture")
    >>> both = average_case(tensor, sample), average_case(tensor, sample.following(50))
    >>> [len(found.loads) for found in both]
    [10, 50]
    """
    if not tensor.network.has_unit_terminals:
        raise InputError(
            f"{tensor.network.name}: the average case needs terminals that each inject and eject "
            "one packet per cycle"
        )
    parts = _in_parts(_matrix_loads, tensor, sample, "matrices", run)
    return AverageCase(sample.seed, sample.kind, np.concatenate(list(parts)))


def _in_parts(
    function: Callable[[PairLoadTensor, Sample], Any],
    tensor: PairLoadTensor,
    sample: Sample,
    what: str,
    run: TaskRunner,
) -> Iterable[Any]:
    parts = sample.parts(SAMPLES_A_TASK)
    return run(function, (tensor,), parts, what, [part.count for part in parts])


def _permutation_loads(tensor: PairLoadTensor, sample: Sample) -> list[Fraction]:
    return tensor.permutation_maxima(sample.permutations(len(tensor.network.sources)))


def _matrix_loads(tensor: PairLoadTensor, sample: Sample) -> FloatArray:
    terminals = len(tensor.network.sources)
    # One after the other: all matrices of a part would take much memory.
    return np.concatenate(
        [tensor.matrix_maxima(one.matrices(terminals)) for one in sample.parts(1)]
    )
