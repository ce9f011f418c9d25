"""Traffic patterns by name: their registry, and the one function that makes any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from obroute.demands import permutation_matrix, permutation_of
from obroute.network import Network
from obroute.rational import IntArray, SparseRationalMatrix
from obroute.registry import Member, Registry
from obroute.specs import InputError
from obroute.traffic.reading import read_traffic

FILE_SUFFIXES = (".csv", ".json", ".txt")
GRIDS = "torus, mesh, ring and hypercube networks"
POWERS_OF_TWO = "networks whose number of terminals is a power of two"


@dataclass(frozen=True)
class Pattern(Member):
    """A traffic pattern: uniform traffic, a permutation, or any matrix of demands.

    Parameters
    ----------
    name
        The name that makes it again, such as ``tornado``.
    destinations
        Gives, on a network, the position of each source's destination, for a permutation.
    demands
        Gives, on a network, any other traffic: amounts in packets per cycle, sources ×
        destinations. Uniform traffic where neither is given.
    files
        The files that it was read from.
    """

    name: str
    destinations: Callable[[Network], IntArray] | None = None
    demands: Callable[[Network], SparseRationalMatrix] | None = None
    files: tuple[str, ...] = ()

    @property
    def is_uniform(self) -> bool:
        """Whether every source sends to every destination alike."""
        return self.destinations is None and self.demands is None

    def amounts(self, network: Network) -> SparseRationalMatrix:
        """Return the traffic (packets per cycle), sources × destinations.

        Raises
        ------
        InputError
            If the pattern is not defined on the network.

        Examples
        --------
        >>> from obroute import make_network
        >>> make_pattern("uniform").amounts(make_network("ring:4")).entry(1, 1)
        Fraction(1, 4)
        """
        if self.demands is not None:
            return self.demands(network)
        if self.destinations is not None:
            return permutation_matrix(self._named(network), len(network.destinations))
        rows, columns = network.uniform_weight()
        shape = len(rows), len(columns)
        sources, destinations = np.indices(shape).reshape(2, -1)
        amounts = rows.take(sources).times(columns.take(destinations))
        return SparseRationalMatrix.from_triplets(sources, destinations, amounts, shape)

    def permutation(self, network: Network) -> IntArray:
        """Return the position of the destination of each source.

        Raises
        ------
        InputError
            If the pattern is not defined on the network, or is no permutation of all of it.
        """
        if self.is_uniform:
            raise InputError("uniform traffic is no permutation")
        if self.destinations is not None:
            return self._named(network)
        found = permutation_of(self.amounts(network))
        if found is None:
            raise InputError(f"traffic {self.name} is a matrix of demands, no permutation")
        if (found < 0).any():
            silent = network.describe(int(network.sources[np.argmin(found)]))
            raise InputError(
                f"traffic {self.name} is no permutation of all sources: node {silent} "
                "sends nothing"
            )
        return found

    def _named(self, network: Network) -> IntArray:
        assert self.destinations is not None
        if not network.has_unit_terminals:
            raise InputError(
                f"pattern {self.name} is a permutation; {network.name} has terminals that do not "
                "each inject and eject one packet per cycle; use uniform, or a file of "
                "source,destination,amount"
            )
        return self.destinations(network)


patterns: Registry[Pattern] = Registry("pattern", ["obroute.traffic"])
"""Traffic patterns by name (``uniform``, ``tornado``, …)."""


def undefined(pattern: str, network: Network, defined_for: str) -> InputError:
    """Return the error of a pattern on a network that it is not defined for."""
    return InputError(
        f"pattern {pattern} is not defined on {network.name}; it is defined for {defined_for}"
    )


def make_pattern(spec: str) -> Pattern:
    """Make a pattern from its name, or from the name of a file of traffic.

    >>> make_pattern("tornado").name
    'tornado'
    """
    name = spec.strip()
    file = Path(name)
    is_file = name.endswith(FILE_SUFFIXES) or file.is_file()
    if is_file and name.partition(":")[0] not in patterns:
        kind = "permutation" if read_traffic(file).is_permutation else "matrix"
        return patterns.create(f"{kind}:{name}")
    return patterns.create(spec)
