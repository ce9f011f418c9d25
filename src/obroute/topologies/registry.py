"""The registry of network families, and the parameter that they share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.registry import Entry, Registry
from obroute.specs import Parameter, parameter_of, parse_integer, parse_positive_fraction
from obroute.topologies.sizes import Size

Maker = TypeVar("Maker", bound=Callable[..., Any])


class Families(Registry[Network]):
    """The registry of network families, each of which says how large its members are."""

    def __init__(self, *places: str) -> None:
        super().__init__("network", places)
        self._sizes: dict[str, Callable[..., Size]] = {}

    def register(  # type: ignore[override]  # a family has to say more than others
        self, name: str, summary: str, *, size: Callable[..., Size], **said: Any
    ) -> Callable[[Maker], Maker]:
        """Register the decorated function or class, as :meth:`Registry.register` does.

        Parameters
        ----------
        name, summary, said
            As there.
        size
            Returns the size of a member from those of its parameters that it names. Nothing is
            built that :meth:`Size.check` refuses.
        """
        decorate = super().register(name, summary, **said)

        def with_size(make: Maker) -> Maker:
            made = decorate(make)
            self._sizes[name] = size
            return made

        return with_size

    def size_of(self, entry: Entry[Network], values: Mapping[str, Any]) -> Size:
        """Return how many nodes and channels a member with these parameters has."""
        size = self._sizes[entry.name]
        taken = inspect.signature(size).parameters
        return size(**{name: values[parameter_of(name)] for name in taken})

    def check(self, entry: Entry[Network], values: Mapping[str, Any]) -> None:
        """Refuse a network that is too large, before it is built."""
        self.size_of(entry, values).check()


networks = Families("obroute.topologies", "obroute.importers.hosted")
"""Families of networks by name (``torus``, ``mesh``, …)."""

Bandwidth = Annotated[
    Fraction,
    Parameter("bandwidth of every channel (packets per cycle)", parse_positive_fraction),
]

Hosts = Annotated[
    int,
    Parameter("hosts of every router, each of which injects a packet per cycle", parse_integer(1)),
]


def both_ways(first: NDArray[Any], second: NDArray[Any]) -> dict[str, Any]:
    """Return the two channels of each cable, by the fields of a network, ordered by their ends.

    >>> import numpy as np
    >>> {end: nodes.tolist() for end, nodes in both_ways(np.array([0]), np.array([2])).items()}
    {'tail': [0, 2], 'head': [2, 0]}
    """
    tail, head = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.lexsort((head, tail))
    return {"tail": tail[order], "head": head[order]}


def hosts_at(routers: IntArray, hosts: int) -> dict[str, Any]:
    """Return the terminals of a network whose hosts stand at routers, by its fields.

    Parameters
    ----------
    routers
        The nodes with hosts.
    hosts
        Hosts of each: what it injects and what it ejects at most (packets per cycle).

    Examples
    --------
    >>> import numpy as np
    >>> hosts_at(np.arange(3), 4)["injection"].sum()
    Fraction(12, 1)
    """
    each = RationalArray.full(len(routers), hosts)
    return {"sources": routers, "injection": each, "destinations": routers, "ejection": each}
