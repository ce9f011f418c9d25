"""Traffic: named patterns, traffic from files, random permutations and matrices.

A named pattern other than ``uniform`` is a permutation of the terminals; a file may also hold a
partial one, or demands of any size (see :mod:`obroute.demands`). Bit patterns read a terminal's
number as bits; digit patterns read its coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path as FilePath

import numpy as np

from obroute.demands import permutation_matrix, permutation_of, read_traffic
from obroute.network import Network
from obroute.rational import FloatArray, IntArray, SparseRationalMatrix
from obroute.specs import InputError, Parameter, Registry, parse_choice, parse_integer
from obroute.topologies.grid import Grid

GRIDS = "torus, mesh, ring and hypercube networks"
FILE_SUFFIXES = (".csv", ".json", ".txt")
POWERS_OF_TWO = "networks whose number of terminals is a power of two"


@dataclass(frozen=True)
class Pattern:
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


patterns: Registry[Pattern] = Registry("pattern")
"""Traffic patterns by name (``uniform``, ``tornado``, …)."""


@patterns.register("uniform", "every source to every destination alike, itself included")
def uniform() -> Pattern:
    """Return uniform traffic: each pair with weight 1/N."""
    return Pattern("uniform")


def _undefined(pattern: str, network: Network, defined_for: str) -> InputError:
    return InputError(
        f"pattern {pattern} is not defined on {network.name}; it is defined for {defined_for}"
    )


def _grid_pattern(
    name: str, defined_for: str, image: Callable[[Grid, IntArray], IntArray | None]
) -> Pattern:
    def destinations(network: Network) -> IntArray:
        found = None
        if isinstance(network, Grid):
            assert network.coordinates is not None
            found = image(network, network.coordinates)
        if not isinstance(network, Grid) or found is None:
            raise _undefined(name, network, defined_for)
        return network.node_at(found % np.array(network.radices))

    return Pattern(name, destinations)


def _bits(network: Network) -> int | None:
    count = len(network.sources)
    return count.bit_length() - 1 if count & (count - 1) == 0 else None


def _bit_pattern(name: str, image: Callable[[IntArray, int], IntArray]) -> Pattern:
    def destinations(network: Network) -> IntArray:
        bits = _bits(network)
        if bits is None:
            raise _undefined(name, network, POWERS_OF_TWO)
        return image(np.arange(len(network.sources)), bits)

    return Pattern(name, destinations)


_COMPLEMENT_FOR = f"{GRIDS}, and {POWERS_OF_TWO}"
_TRANSPOSE_FOR = (
    "grids whose second half of dimensions repeats the first (9x9, 4x3x4x3, hypercubes of even "
    "dimension), and networks with 4^m terminals"
)


@patterns.register("bit_complement", "every coordinate c to k-1-c", defined_for=_COMPLEMENT_FOR)
def bit_complement() -> Pattern:
    """Return the digit complement, which on powers of two complements every bit."""

    def destinations(network: Network) -> IntArray:
        if not isinstance(network, Grid) and _bits(network) is None:
            raise _undefined("bit_complement", network, _COMPLEMENT_FOR)
        return np.arange(len(network.sources))[::-1].copy()

    return Pattern("bit_complement", destinations)


@patterns.register("transpose", "swap the two halves of the address", defined_for=_TRANSPOSE_FOR)
def transpose() -> Pattern:
    """Return the exchange of the first and second half of the coordinates, or of the bits."""

    def destinations(network: Network) -> IntArray:
        if isinstance(network, Grid):
            assert network.coordinates is not None
            half, odd = divmod(len(network.radices), 2)
            if not odd and network.radices[:half] == network.radices[half:]:
                return network.node_at(np.roll(network.coordinates, half, axis=1))
        bits = _bits(network)
        if bits is None or bits % 2:
            raise _undefined("transpose", network, _TRANSPOSE_FOR)
        high, low = np.divmod(np.arange(2**bits), 2 ** (bits // 2))
        swapped: IntArray = low * 2 ** (bits // 2) + high
        return swapped

    return Pattern("transpose", destinations)


@patterns.register("bit_reverse", "the bits in reverse order", defined_for=POWERS_OF_TWO)
def bit_reverse() -> Pattern:
    """Return the reversal of the bits of the terminal's number."""

    def image(numbers: IntArray, bits: int) -> IntArray:
        result = np.zeros_like(numbers)
        for bit in range(bits):
            result |= ((numbers >> bit) & 1) << (bits - 1 - bit)
        return result

    return _bit_pattern("bit_reverse", image)


@patterns.register("bit_rotation", "the bits one place to the right", defined_for=POWERS_OF_TWO)
def bit_rotation() -> Pattern:
    """Return the rotation that moves the lowest bit to the top."""
    return _bit_pattern(
        "bit_rotation",
        lambda numbers, bits: (numbers >> 1) | ((numbers & 1) << max(bits - 1, 0)),
    )


@patterns.register("shuffle", "the bits one place to the left", defined_for=POWERS_OF_TWO)
def shuffle() -> Pattern:
    """Return the perfect shuffle, which moves the top bit to the bottom."""
    return _bit_pattern(
        "shuffle",
        lambda numbers, bits: ((numbers << 1) & (2**bits - 1)) | (numbers >> max(bits - 1, 0)),
    )


def _shift_pattern(
    name: str, dimensions: str, default: str, offset: Callable[[int], int]
) -> Pattern:
    def image(grid: Grid, coordinates: IntArray) -> IntArray:
        moved = coordinates.copy()
        for dimension in range(len(grid.radices) if dimensions == "all" else 1):
            moved[:, dimension] += offset(grid.radices[dimension])
        return moved

    shown = name if dimensions == default else f"{name}:dimensions={dimensions}"
    return _grid_pattern(shown, GRIDS, image)


def _dimensions(default: str) -> tuple[Parameter, ...]:
    return (
        Parameter(
            "dimensions",
            "shift the first coordinate only, or all",
            parse_choice("first", "all"),
            default,
        ),
    )


@patterns.register(
    "tornado",
    "just under half way round: ⌈k/2⌉-1 up in dimension 0",
    _dimensions("first"),
    defined_for=GRIDS,
)
def tornado(dimensions: str = "first") -> Pattern:
    """Return the shift by ⌈k/2⌉-1, which is (k-1)/2 for odd k (technical report, Figure 7)."""
    return _shift_pattern("tornado", dimensions, "first", lambda radix: (radix - 1) // 2)


@patterns.register("neighbor", "one up in every dimension", _dimensions("all"), defined_for=GRIDS)
def neighbor(dimensions: str = "all") -> Pattern:
    """Return the shift by one."""
    return _shift_pattern("neighbor", dimensions, "all", lambda radix: 1)


@patterns.register(
    "random_permutation",
    "one permutation drawn uniformly",
    (Parameter("seed", "seed of the draw", parse_integer(0), 0),),
    defined_for="every network with unit terminals",
)
def random_permutation(seed: int = 0) -> Pattern:
    """Return the permutation that the seed draws."""
    return Pattern(
        f"random_permutation:seed={seed}" if seed else "random_permutation",
        lambda network: np.random.default_rng(seed).permutation(len(network.sources)),
    )


_FILE = (Parameter("file", "CSV or JSON file of traffic", FilePath),)
_FILE_FOR = "networks with the terminals that the file names"


@patterns.register(
    "permutation", "a given permutation, or partial one", _FILE, defined_for=_FILE_FOR
)
def permutation_file(file: FilePath) -> Pattern:
    """Read a permutation: destinations in the order of sources, or pairs source,destination."""
    found = read_traffic(file)
    if not found.is_permutation:
        raise InputError(f"{file} says how much is sent; name it matrix:{file}")
    return Pattern(f"permutation:{file}", demands=found.amounts, files=(str(file),))


@patterns.register("matrix", "given demands of pairs", _FILE, defined_for=_FILE_FOR)
def matrix_file(file: FilePath) -> Pattern:
    """Read demands: source,destination,amount under that header, or a dense matrix."""
    return Pattern(f"matrix:{file}", demands=read_traffic(file).amounts, files=(str(file),))


def make_pattern(spec: str) -> Pattern:
    """Make a pattern from its name, or from the name of a file of traffic.

    >>> make_pattern("tornado").name
    'tornado'
    """
    name = spec.strip()
    file = FilePath(name)
    is_file = name.endswith(FILE_SUFFIXES) or file.is_file()
    if is_file and name.partition(":")[0] not in patterns:
        kind = "permutation" if read_traffic(file).is_permutation else "matrix"
        return patterns.create(f"{kind}:{name}")
    return patterns.create(spec)


def random_permutations(count: int, terminals: int, seed: int, first: int = 0) -> IntArray:
    """Return seeded random permutations, one a row.

    Row i depends on the seed and ``first + i`` alone, so any split into batches draws the same.

    >>> random_permutations(2, 4, seed=1).tolist() == random_permutations(
    ...     1, 4, 1
    ... ).tolist() + random_permutations(1, 4, 1, first=1).tolist()
    True
    """
    return np.stack(
        [
            np.random.default_rng([seed, first + index]).permutation(terminals)
            for index in range(count)
        ]
    )


def random_doubly_stochastic(
    count: int, terminals: int, seed: int, kind: str, first: int = 0
) -> FloatArray:
    """Return seeded random doubly stochastic matrices, count × terminals × terminals.

    ``permutation`` draws single permutations, ``mixture`` the mean of as many permutations as
    there are terminals, ``sinkhorn`` scales a matrix of uniform entries until rows and columns
    sum to one (to 1e-12).
    """
    found = np.zeros((count, terminals, terminals))
    rows = np.arange(terminals)
    for index in range(count):
        generator = np.random.default_rng([seed, first + index])
        matrix = found[index]
        if kind == "sinkhorn":
            matrix[:] = generator.random((terminals, terminals))
            while np.abs(matrix.sum(axis=1) - 1).max() > 1e-12:
                matrix /= matrix.sum(axis=1, keepdims=True)
                matrix /= matrix.sum(axis=0, keepdims=True)
        else:
            draws = terminals if kind == "mixture" else 1
            for _ in range(draws):
                matrix[rows, generator.permutation(terminals)] += 1 / draws
    return found


MATRIX_KINDS = ("permutation", "mixture", "sinkhorn")
