"""What a generator of a network's automorphisms does to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray


class Symmetry(Enum):
    """The kinds of automorphisms; a routing respects all of one kind, or none that it knows."""

    TRANSLATION = "translate"
    """Every node one step on: together they carry any node to any other of its kind."""
    REFLECTION = "reflect"
    """A dimension read backwards."""
    EXCHANGE = "exchange"
    """Two dimensions, or two nodes, change places."""
    CROSSING = "cross"
    """The straight and cross channels of a step change places."""
    CYCLE = "cycle"
    """All nodes in a circle, where any order of them is as good."""
    ROTATION = "rotate"
    """The whole turned about a point."""
    LINEAR = "map"
    """A linear map of all coordinates, over the integers or a finite field."""
    RELABELLING = "relabel"
    """Letters of which the names of nodes are made change places."""
    OF_DESIGN = "of the design"
    """A member of the group that a design was made with."""


@dataclass(frozen=True)
class Generator:
    """One generator: its kind, and which dimensions, bits, steps or nodes it is about.

    >>> str(Generator(Symmetry.EXCHANGE, (0, 2))), str(Generator(Symmetry.CYCLE))
    ('exchange 0 2', 'cycle')
    """

    kind: Symmetry
    about: tuple[int, ...] = ()

    @property
    def is_translation(self) -> bool:
        """Whether it moves all nodes alike."""
        return self.kind is Symmetry.TRANSLATION

    def __str__(self) -> str:
        return " ".join(map(str, (self.kind.value, *self.about)))


Generators = dict[Generator, NDArray[np.int64]]
"""Generators of automorphisms, each with the image of every node."""
