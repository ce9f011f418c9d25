"""Sets of paths that a design may use, and the orbits of their paths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import and_

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from obroute.design.formulation import PathColumns
from obroute.design.full_problem import ListedPaths, PathList
from obroute.network import Network, Path
from obroute.routing import Routing, routings
from obroute.routing.contract import path_distribution
from obroute.routing.two_turn import check_two_turn, two_turn_paths
from obroute.specs import InputError
from obroute.symmetry import (
    Allowed,
    Reduction,
    SymmetryGroup,
    canonical_sources,
    common_generators,
    declared_group,
    orbits,
    preserving,
)


@dataclass(frozen=True, eq=False)
class AllowedPaths:
    """The paths that a design may use.

    Parameters
    ----------
    network
        The network that they are in.
    name
        ``all``, ``minimal``, ``two_turn``, the name of the routing whose paths it holds, or
        several of these joined by ``+``: the paths that all of them hold.
    listed
        Gives the paths of a pair of nodes; None where any path on the allowed channels may be
        taken.
    channels
        Says which channels each pair may use; None for all.
    words
        The paths in words, empty for all: “shortest paths”.
    routings
        The routings whose paths they are, if so.
    translates
        Whether translations of the network carry the set to itself.
    """

    network: Network
    name: str
    words: str = ""
    listed: Callable[[int, int], list[Path]] | None = None
    channels: Allowed | None = None
    routings: tuple[Routing, ...] = ()
    translates: bool = False

    @cached_property
    def by_source(self) -> ListedPaths | None:
        """What gives all listed paths of a source; None where none are listed.

        They are listed once for all bounds and checks. Two-turn paths of a torus are listed from
        one source and moved to the others.
        """
        if self.listed is None:
            return None
        network = self.network
        images = {
            generator: image
            for generator, image in network.automorphisms().items()
            if self.translates and generator.is_translation
        }
        moved = canonical_sources(network, images)
        lists = [_paths_from(network, self.listed, source) for source in moved.nodes.tolist()]

        def listed(place: int) -> PathList:
            paths = lists[moved.canonical[place]]
            ends = network.destinations[paths.ends]
            there = network.destination_index[moved.node_image[place][ends]]
            order = np.argsort(there, kind="stable")
            hops = np.repeat(order, paths.hops[order])
            within = np.arange(len(hops)) - np.repeat(
                np.cumsum(paths.hops[order]) - paths.hops[order], paths.hops[order]
            )
            starts = np.cumsum(paths.hops) - paths.hops
            channels = moved.channel_image[place][paths.channels[starts[hops] + within]]
            return PathList(channels.astype(np.int64), paths.hops[order], there[order])

        return listed

    def group(self) -> SymmetryGroup:
        """Return the symmetry of the network that keeps the set, as far as it is declared."""
        network = self.network
        if not self.routings:
            return declared_group(network)
        common = common_generators([routing.symmetries(network) for routing in self.routings])
        elements = tuple(preserving(network, image) for image in common.values())
        return SymmetryGroup(network, elements, "declared")

    def __and__(self, other: AllowedPaths) -> AllowedPaths:
        """Return the paths that both sets hold."""
        return AllowedPaths(
            self.network,
            f"{self.name}+{other.name}",
            " that are ".join(filter(None, (self.words, other.words))),
            _both_listed(self, other),
            _both_channels(self.channels, other.channels),
            self.routings + other.routings,
            (self.translates or self.listed is None)
            and (other.translates or other.listed is None),
        )


def _both_channels(one: Allowed | None, other: Allowed | None) -> Allowed | None:
    if one is None or other is None:
        return one or other
    return lambda s, d: one(s, d) & other(s, d)


def _both_listed(
    one: AllowedPaths, other: AllowedPaths
) -> Callable[[int, int], list[Path]] | None:
    """Return the listed paths of one set that the other has too; None where neither lists."""
    if one.listed is None:
        if other.listed is None:
            return None
        one, other = other, one
    listed = one.listed
    assert listed is not None

    def both(source: int, destination: int) -> list[Path]:
        paths = listed(source, destination)
        if other.listed is not None:
            known = set(other.listed(source, destination))
            paths = [path for path in paths if path in known]
        if other.channels is not None:
            may = other.channels(source, destination)
            paths = [path for path in paths if may[list(path)].all()]
        return paths

    return both


def _paths_from(
    network: Network, listed: Callable[[int, int], list[Path]], source: int
) -> PathList:
    channels: list[int] = []
    hops, ends = [], []
    for end, destination in enumerate(network.destinations.tolist()):
        if destination == source:
            continue
        for path in listed(source, destination):
            channels.extend(path)
            hops.append(len(path))
            ends.append(end)
    return PathList(*(np.array(values, dtype=np.int64) for values in (channels, hops, ends)))


def allowed_paths(network: Network, name: str) -> AllowedPaths:
    """Return the path set of that name: ``all``, ``minimal``, ``two_turn``, or a routing's paths.

    Names joined by ``+`` stand for the paths that all of them hold.

    Raises
    ------
    InputError
        If two-turn paths are not defined on the network, or there is no such routing.

    Examples
    --------
    >>> from obroute import make_network
    >>> torus = make_network("torus:8x8")
    >>> one, both = (allowed_paths(torus, name) for name in ("two_turn", "minimal+two_turn"))
    >>> [len(paths.listed(0, 9)) for paths in (one, both) if paths.listed]
    [104, 2]
    """
    if "+" in name:
        return reduce(and_, (allowed_paths(network, part) for part in name.split("+")))
    if name == "all":
        return AllowedPaths(network, name)
    if name == "minimal":
        return AllowedPaths(network, name, "shortest paths", channels=_minimal_channels(network))
    if name == "two_turn":
        check_two_turn(network)
        return AllowedPaths(
            network,
            name,
            "paths of at most two turns",
            lambda s, d: list(two_turn_paths(network, s, d)),
            translates=True,
        )
    try:
        routing = routings.create(name)
    except InputError as error:
        raise InputError(
            f"--paths {name}: expected all, minimal, two_turn, a routing whose paths to use, or "
            f"some of them joined by + ({error})"
        ) from None
    routing.check(network)
    return AllowedPaths(
        network,
        routing.name,
        f"the paths of {routing.name}",
        lambda s, d: list(path_distribution(routing, network, s, d)),
        routings=(routing,),
    )


def _minimal_channels(network: Network) -> Allowed:
    """Allow the channels that a shortest path of the pair crosses."""
    ahead = dijkstra(network.adjacency, unweighted=True)

    def allowed(source: int, destination: int) -> NDArray[np.bool_]:
        through = ahead[source, network.tail] + 1 + ahead[network.head, destination]
        return np.asarray(through == ahead[source, destination])

    return allowed


def path_columns(reduction: Reduction, paths: AllowedPaths) -> PathColumns | None:
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
            image = [number.get(element.carry(path), -1) for path in listed]
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
