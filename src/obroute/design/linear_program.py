"""Linear programs in exact integers, whose rows and columns are written in named blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from obroute.rational import IntArray

Name = TypeVar("Name", bound=str)


@dataclass
class LinearProgram:
    """Minimise ``cost · x`` over x ≥ 0 with rows ``matrix · x = rhs`` or ``≤ rhs``.

    ``matrix`` and ``cost`` are integers (``int64``), right-hand sides are rationals.
    """

    matrix: csr_array
    equality: NDArray[np.bool_]
    rhs: list[Fraction]
    cost: IntArray

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.matrix.shape
        return int(rows), int(columns)


@dataclass(frozen=True)
class Block:
    """Consecutive rows, or columns: the number of the first, and how many there are."""

    start: int
    size: int

    @property
    def slice(self) -> slice:
        """What takes the block out of an array over all rows, or columns."""
        return slice(self.start, self.start + self.size)

    @property
    def numbers(self) -> IntArray:
        """The number of each row, or column."""
        return np.arange(self.start, self.start + self.size)

    @property
    def number(self) -> int:
        """The number of the only row, or column."""
        if self.size != 1:
            raise ValueError(f"a block of {self.size} has no only one")
        return self.start


class Blocks(Generic[Name]):
    """Blocks one after the other, each found by its name; what was not added is not there.

    Examples
    --------
    >>> columns = Blocks()
    >>> flows, load = columns.add(5, "flow"), columns.add(1, "load")
    >>> columns["flow"].slice, columns["load"].number, columns.count
    (slice(0, 5, None), 5, 6)
    >>> "path" in columns, columns.get("path")
    (False, None)
    """

    def __init__(self) -> None:
        self.count = 0
        self._named: dict[Name, Block] = {}

    def add(self, size: int, name: Name | None = None) -> Block:
        """Append a block; one without a name is known to the caller alone."""
        block = Block(self.count, size)
        if name is not None:
            if name in self._named:
                raise ValueError(f"there is a block {name} already")
            self._named[name] = block
        self.count += size
        return block

    def __contains__(self, name: Name) -> bool:
        """Say whether there is a block of that name."""
        return name in self._named

    def __getitem__(self, name: Name) -> Block:
        """Return the block of that name."""
        return self._named[name]

    def get(self, name: Name) -> Block | None:
        """Return the block of that name, None if there is none."""
        return self._named.get(name)


class Rows(Generic[Name]):
    """Rows under construction, block by block.

    ``blocks`` says where they are, ``equality`` which are ``=``, ``rhs`` their right-hand sides.
    """

    def __init__(self) -> None:
        self.blocks: Blocks[Name] = Blocks()
        self.equality: list[bool] = []
        self.rhs: list[Fraction] = []
        self._rows: list[NDArray[Any]] = []
        self._columns: list[NDArray[Any]] = []
        self._values: list[NDArray[Any]] = []
        self._built: csr_array | None = None

    @property
    def count(self) -> int:
        """How many there are."""
        return self.blocks.count

    def add(
        self,
        rows: NDArray[Any],
        columns: NDArray[Any],
        values: NDArray[Any],
        rhs: Sequence[Fraction | int],
        *,
        equality: bool = False,
        name: Name | None = None,
    ) -> Block:
        """Append a block of as many rows as right-hand sides.

        ``values`` are the coefficients, of ``columns``, in ``rows`` counted from the first
        """
        block = self.blocks.add(len(rhs), name)
        self._rows.append(np.asarray(rows, dtype=np.int64) + block.start)
        self._columns.append(np.asarray(columns, dtype=np.int64))
        self._values.append(np.asarray(values, dtype=np.int64))
        self.rhs.extend(Fraction(value) for value in rhs)
        self.equality.extend([equality] * len(rhs))
        return block

    def row(self, number: int) -> tuple[NDArray[Any], NDArray[Any], Fraction]:
        """Return columns, coefficients and right-hand side of a row that was added alone."""
        place = next(
            place
            for place in reversed(range(len(self._rows)))
            if self._rows[place].size and self._rows[place][0] == number
        )
        return self._columns[place], self._values[place], self.rhs[number]

    def matrix(self, columns: int) -> csr_array:
        """Return the coefficients; the same matrix until rows or columns are added."""
        if self._built is not None and self._built.shape == (self.count, columns):
            return self._built
        places = (np.concatenate(self._rows), np.concatenate(self._columns))
        matrix = csr_array(
            (np.concatenate(self._values), places), shape=(self.count, columns), dtype=np.int64
        )
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        self._built = matrix
        return matrix
