"""Convex combinations of routings: ``1/3*dor+2/3*ival``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.dependencies import Dependencies
from obroute.generators import Generators
from obroute.network import Network, Path
from obroute.rational import SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.specs import InputError, parse_fraction, split_outside
from obroute.symmetry import common_generators


class Combination(Routing):
    """A packet takes one of several routings, each with a given probability (SPAA 2003, eq. 11).

    Raises
    ------
    InputError
        If a probability is not positive or they do not sum to one.
    """

    def __init__(self, parts: Sequence[tuple[Fraction, Routing]]) -> None:
        super().__init__()
        self.parts: tuple[tuple[Fraction, Routing], ...] = tuple(
            (weight * share, part)
            for weight, routing in parts
            for share, part in _parts_of(routing)
        )
        self.name = "+".join(f"{weight}*{routing.name}" for weight, routing in self.parts)
        total = sum((weight for weight, _ in self.parts), Fraction(0))
        if total != 1 or any(weight < 0 for weight, _ in self.parts):
            raise InputError(
                f"the weights of {self.name} sum to {total}; expected weights of at least 0 that "
                "sum to 1"
            )
        self.parts = tuple((weight, routing) for weight, routing in self.parts if weight)
        self.files = tuple(dict.fromkeys(f for part in self.components() for f in part.files))

    @property
    def takes_shortest_paths(self) -> bool:  # type: ignore[override]  # a combination derives it
        """Whether every part does."""
        return all(routing.takes_shortest_paths for _, routing in self.parts)

    def components(self) -> Iterator[Routing]:
        """Yield those of its parts."""
        for _, routing in self.parts:
            yield from routing.components()

    def on(self, network: Network) -> Routing:
        """Return the combination of what its parts are there."""
        parts = [(weight, routing.on(network)) for weight, routing in self.parts]
        same = all(new is old for (_, new), (_, old) in zip(parts, self.parts, strict=True))
        return self if same else self.remember(network, "on", lambda: Combination(parts))

    def depends_on(self, network: Network | None = None) -> Dependencies:
        """Return what each of its parts depends on, and itself."""
        parts = (routing.depends_on(network) for _, routing in self.parts)
        return Dependencies.union((super().depends_on(), *parts))

    @property
    def label(self) -> str:
        """The labels of the parts with their weights."""
        return "+".join(f"{weight}*{routing.label}" for weight, routing in self.parts)

    def check(self, network: Network) -> None:
        """Raise where one of the routings is not defined."""
        for _, routing in self.parts:
            routing.check(network)

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of every part, their probabilities scaled by its weight."""
        for weight, routing in self.parts:
            for probability, path in routing.paths(network, source, destination):
                yield weight * probability, path

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the combination of the parts' pair loads, which are linear in the routing."""
        return SparseRationalMatrix.sum_of(
            [routing.pair_loads(network, channel).scaled(weight) for weight, routing in self.parts]
        )

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the combination of the parts' channel loads."""
        return SparseRationalMatrix.sum_of(
            [
                routing.channel_loads(network, sources, destinations).scaled(weight)
                for weight, routing in self.parts
            ]
        )

    def symmetries(self, network: Network) -> Generators:
        """Return the generators that every part respects."""
        return common_generators([routing.symmetries(network) for _, routing in self.parts])

    def most_crossings(self, network: Network) -> int:
        """Return the largest bound of a part."""
        return max(routing.most_crossings(network) for _, routing in self.parts)

    def longest_path(self, network: Network) -> int | None:
        """Return the largest bound of a part, if every part has one."""
        bounds = [routing.longest_path(network) for _, routing in self.parts]
        known = [bound for bound in bounds if bound is not None]
        return max(known) if len(known) == len(bounds) else None

    def sample_path(
        self, network: Network, source: int, destination: int, generator: np.random.Generator
    ) -> Path:
        """Draw a part, then one of its paths."""
        weights = np.array([float(weight) for weight, _ in self.parts])
        chosen = self.parts[generator.choice(len(weights), p=weights / weights.sum())][1]
        return chosen.sample_path(network, source, destination, generator)


def _parts_of(routing: Routing) -> Sequence[tuple[Fraction, Routing]]:
    return routing.parts if isinstance(routing, Combination) else [(Fraction(1), routing)]


def interpolate(first: Routing, second: Routing, alpha: Fraction) -> Combination:
    """Return the routing that takes ``first`` with probability ``alpha``, else ``second``.

    >>> from obroute import make_routing
    >>> interpolate(make_routing("dor"), make_routing("ival"), Fraction(1, 3)).name
    '1/3*dor+2/3*ival'
    """
    return Combination([(alpha, first), (1 - alpha, second)])


def parse_combination(spec: str, create: Callable[[str], Routing]) -> Combination:
    """Read ``weight*routing+weight*routing+…``; a parameter may have a ``+`` of its own."""
    parts = []
    for part in _weighted_names(spec):
        weight, star, name = part.strip().partition("*")
        if not star:
            raise InputError(
                f"'{spec}': '{part}' has no weight; expected weight*routing joined by +, such as "
                "1/3*dor+2/3*ival"
            )
        parts.append((parse_fraction(weight), create(name)))
    return Combination(parts)


def _weighted_names(spec: str) -> list[str]:
    """Split at each ``+`` but those within a parameter: of ``optimal:paths=minimal+two_turn``.

    >>> _weighted_names("1/2*optimal:paths=minimal+two_turn+1/2*dor")
    ['1/2*optimal:paths=minimal+two_turn', '1/2*dor']
    """
    names: list[str] = []
    for part in split_outside(spec, "+"):
        if names and "*" not in part and ":" in names[-1]:
            names[-1] += f"+{part}"
        else:
            names.append(part)
    return names
