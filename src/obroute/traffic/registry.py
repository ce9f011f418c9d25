"""Traffic patterns by name: their registry, and the one function that makes any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from obroute.names import stripped
from obroute.network import Network
from obroute.rational import IntArray, SparseRationalMatrix
from obroute.registry import Member, Registry
from obroute.specs import InputError, is_file
from obroute.traffic.demands import Traffic
from obroute.traffic.reading import read_traffic

FILE_SUFFIXES = (".csv", ".json", ".txt")
GRIDS = "torus, mesh, ring and hypercube networks"
POWERS_OF_TWO = "networks whose number of terminals is a power of two"


@dataclass(frozen=True, repr=False)
class Pattern(Member):
    """A traffic pattern: uniform traffic, a permutation, or any matrix of demands.

    Parameters
    ----------
    destinations
        Gives, on a network, the position of each source's destination, for a permutation; None
        where the pattern is not defined.
    demands
        Gives, on a network, any other traffic: amounts in packets per cycle, sources ×
        destinations. Uniform traffic where neither is given.
    files
        The files that it was read from.
    name
        What to call a pattern that no registry names.
    """

    destinations: Callable[[Network], IntArray | None] | None = None
    demands: Callable[[Network], SparseRationalMatrix] | None = None
    files: tuple[str, ...] = ()
    name: str = "pattern"

    @property
    def is_uniform(self) -> bool:
        """Whether every source sends to every destination alike."""
        return self.destinations is None and self.demands is None

    def traffic(self, network: Network) -> Traffic:
        """Return what every source of a network sends.

        Raises
        ------
        InputError
            If the pattern is not defined on the network.

        Examples
        --------
        >>> from obroute import make_network
        >>> make_pattern("neighbor").traffic(make_network("ring:4")).permutation.tolist()
        [1, 2, 3, 0]
        """
        if self.demands is not None:
            return Traffic.of_amounts(network, self.demands(network), self.name)
        if self.destinations is None:
            return Traffic.uniform(network)
        if not network.has_unit_terminals:
            raise InputError(
                f"pattern {self.name} is a permutation; {network.name} has terminals that do not "
                "each inject and eject one packet per cycle; use uniform, or a file of "
                "source,destination,amount"
            )
        destinations = self.destinations(network)
        if destinations is None:
            raise InputError(
                f"pattern {self.family} is not defined on {network.name}; it is defined for "
                f"{patterns.find(self.family).defined_for}"
            )
        return Traffic.of_permutation(network, destinations, self.name)

    def amounts(self, network: Network) -> SparseRationalMatrix:
        """Return the traffic as amounts (packets per cycle), sources × destinations."""
        return self.traffic(network).amounts

    def permutation(self, network: Network) -> IntArray:
        """Return the position of the destination of each source.

        Raises
        ------
        InputError
            If the pattern is not defined on the network, or is no permutation of all of it.
        """
        return self.traffic(network).full_permutation()


patterns: Registry[Pattern] = Registry("pattern", ["obroute.traffic"])
"""Traffic patterns by name (``uniform``, ``tornado``, …)."""


def make_pattern(spec: str) -> Pattern:
    """Make a pattern from its name, or from the name of a file of traffic.

    >>> make_pattern("tornado").name
    'tornado'
    """
    name = stripped(spec)
    is_traffic = name.endswith(FILE_SUFFIXES) or is_file(name)
    if is_traffic and name.partition(":")[0] not in patterns:
        kind = "permutation" if read_traffic(Path(name)).is_permutation else "matrix"
        return patterns.create(f"{kind}:{name}")
    return patterns.create(spec)


def defined_patterns(names: Sequence[str], network: Network) -> list[str]:
    """Return the names of the patterns that are defined on a network, in their order.

    Raises
    ------
    InputError
        If a name is unknown.

    Examples
    --------
    >>> from obroute import make_network
    >>> defined_patterns(["uniform", "tornado", "shuffle"], make_network("torus:3x3"))
    ['uniform', 'tornado']
    """
    found = []
    for name in names:
        pattern = make_pattern(name)
        try:
            pattern.traffic(network)
        except InputError:
            continue
        found.append(name)
    return found
