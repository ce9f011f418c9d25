"""Sets of paths that a design may use, and the orbits of their paths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from obroute.design.formulation import PathColumns
from obroute.network import Network, Path
from obroute.routing import Routing, routings
from obroute.routing.contract import path_distribution
from obroute.routing.designed import carried
from obroute.routing.two_turn import check_two_turn, two_turn_paths
from obroute.specs import InputError
from obroute.symmetry import (
    Allowed,
    Reduction,
    SymmetryGroup,
    declared_group,
    orbits,
    preserving,
)


@dataclass(frozen=True)
class PathSet:
    """The paths that a design may use.

    Parameters
    ----------
    name
        ``all``, ``minimal``, ``two_turn``, or the name of the routing whose paths it holds.
    listed
        Gives the paths of a pair of nodes; None where any path on the allowed channels may be
        taken.
    allowed
        Says which channels each pair may use; None for all.
    routing
        The routing whose paths they are, if so.
    """

    name: str
    listed: Callable[[int, int], list[Path]] | None = None
    allowed: Allowed | None = None
    routing: Routing | None = None

    def group(self, network: Network) -> SymmetryGroup:
        """Return the symmetry of the network that keeps the set, as far as it is declared."""
        if self.routing is None:
            return declared_group(network)
        images = self.routing.symmetries(network)
        elements = tuple(preserving(network, image) for image in images.values())
        return SymmetryGroup(network, elements, "declared")


def make_path_set(network: Network, name: str) -> PathSet:
    """Return the path set of that name: ``all``, ``minimal``, ``two_turn``, or a routing's paths.

    Raises
    ------
    InputError
        If two-turn paths are not defined on the network, or there is no such routing.
    """
    if name == "all":
        return PathSet(name)
    if name == "minimal":
        return PathSet(name, allowed=_minimal_channels(network))
    if name == "two_turn":
        check_two_turn(network)
        return PathSet(name, lambda s, d: list(two_turn_paths(network, s, d)))
    try:
        routing = routings.create(name)
    except InputError as error:
        raise InputError(
            f"--paths {name}: expected all, minimal, two_turn, or a routing whose paths to use "
            f"({error})"
        ) from None
    routing.check(network)
    return PathSet(
        routing.name,
        lambda s, d: list(path_distribution(routing, network, s, d)),
        routing=routing,
    )


def _minimal_channels(network: Network) -> Allowed:
    """Allow the channels that a shortest path of the pair crosses."""
    ahead = dijkstra(network.adjacency, unweighted=True)

    def allowed(source: int, destination: int) -> NDArray[np.bool_]:
        through = ahead[source, network.tail] + 1 + ahead[network.head, destination]
        return np.asarray(through == ahead[source, destination])

    return allowed


def path_columns(reduction: Reduction, paths: PathSet) -> PathColumns | None:
    """Return the orbits of the listed paths, None where the set lists none.

    Raises
    ------
    InputError
        If a pair has no path, or the group carries a path out of the set.
    """
    if paths.listed is None:
        return None
    network = reduction.network
    every: list[list[Path]] = []
    variables = []
    count = 0
    for pair in reduction.pairs:
        listed = list(dict.fromkeys(paths.listed(pair.source, pair.destination)))
        if not listed:
            raise InputError(
                f"path set {paths.name} has no path from node {network.describe(pair.source)} to "
                f"node {network.describe(pair.destination)} of {network.name}; use a larger set"
            )
        number = {path: index for index, path in enumerate(listed)}
        images = []
        for element in pair.stabiliser:
            image = [number.get(carried(element, path), -1) for path in listed]
            if min(image) < 0:
                raise InputError(
                    f"path set {paths.name} is not kept by the {reduction.group.name} symmetry of "
                    f"{network.name}; use --symmetry translations or none"
                )
            images.append(np.array(image, dtype=np.int64))
        labels = orbits(len(listed), images)
        _, numbers = np.unique(labels, return_inverse=True)
        every.append(listed)
        variables.append(count + numbers.astype(np.int64))
        count += int(numbers.max()) + 1
    return PathColumns(every, variables, count)
