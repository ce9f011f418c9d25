"""Networks whose nodes have a coordinate in each of some dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from obroute.network import Network


@dataclass(frozen=True, eq=False)
class RadixNetwork(Network):
    """A network of so many routers along each dimension.

    Parameters
    ----------
    radices
        Routers along each dimension.
    """

    size_is: ClassVar[str] = "radix k"

    radices: tuple[int, ...] = ()

    @property
    def radix(self) -> int | None:
        """Routers along each dimension, None where the dimensions are unlike."""
        return self.radices[0] if len(set(self.radices)) == 1 else None

    @property
    def dimensions(self) -> int:
        """Number of dimensions."""
        return len(self.radices)

    @property
    def size(self) -> int | None:
        """The radix, if there is one."""
        return self.radix
