"""How hypercube, butterfly and Beneš network stand for one another, path by path.

A butterfly is a hypercube *unrolled*: at level l the bits before l are fixed, and the nodes of a
row, *contracted*, are one hypercube node (notes on routing permutations). A forward path of a
Beneš network, *folded* in the middle, goes forth and back in a butterfly. So a routing on one is
a routing on another; :func:`carried` carries a path distribution over such a map.

All four maps take and give paths as channels, and raise where the path has no counterpart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from obroute.network import Network, Path
from obroute.routing.bit_fixing import is_hypercube
from obroute.specs import InputError
from obroute.topologies.butterfly import BACKWARD, FORWARD, Benes, Butterfly, Multistage
from obroute.topologies.grid import Grid


def contract(stages: Multistage, cube: Grid, path: Path) -> Path:
    """Return a path's hypercube path: cross channels flip a bit, straight ones vanish.

    Every path of a butterfly or a Beneš network has one, forward or not. It leads from the row of
    the path's first node to the row of its last.

    Examples
    --------
    >>> from obroute import make_network
    >>> butterfly, cube = make_network("butterfly:2"), make_network("hypercube:2")
    >>> path = butterfly.path_from_nodes([0, 7, 8])  # (0,0) across to (2,1), straight to (2,2)
    >>> cube.path_nodes(0, contract(butterfly, cube, path))
    (0, 2)
    """
    _check_dimensions(cube, stages)
    crossed = []
    for channel in path:
        _, step, cross, row = stages.place_of(channel)
        if cross:
            crossed.append(cube.channel(row, row ^ stages.flips[step]))
    return tuple(crossed)


def unroll(cube: Grid, butterfly: Butterfly, source: int, path: Path) -> Path:
    """Return the butterfly's forward path that contracts to a hypercube path.

    ``source`` is the node that the path starts from; the butterfly's path leads from its input to
    the output of the row where the hypercube path ends.

    Raises
    ------
    InputError
        If the path does not cross the dimensions in ascending order, each at most once.

    Examples
    --------
    >>> from obroute import make_network
    >>> butterfly, cube = make_network("butterfly:2"), make_network("hypercube:2")
    >>> path = unroll(cube, butterfly, 0, cube.path_from_nodes([0, 2]))
    >>> [butterfly.describe(node) for node in butterfly.path_nodes(0, path)]
    ['(0,0)', '(2,1)', '(2,2)']
    """
    _check_dimensions(cube, butterfly)
    crossed = [int(cube.place_of_channel[channel, 0]) for channel in path]
    cube.path_nodes(source, path)  # raises where the path does not start there or has a gap
    if sorted(set(crossed)) != crossed:
        raise InputError(
            f"{cube.name}: a path that crosses dimensions {crossed} is none of {butterfly.name}; "
            "expected each at most once, in ascending order, as bit_fixing takes them"
        )
    row, unrolled = source, []
    for step, flip in enumerate(butterfly.flips):
        cross = int(step in crossed)
        unrolled.append(int(butterfly.channel_at(FORWARD, step, cross, row)))
        row ^= flip * cross
    return tuple(unrolled)


def fold(benes: Benes, butterfly: Butterfly, path: Path) -> Path:
    """Return a forward Beneš path as a butterfly path forth and back, from input to input.

    The levels of the second half lie on those of the first: level 2n - l on level l.

    Raises
    ------
    InputError
        If the path does not lead forward from an input to an output.

    Examples
    --------
    >>> from obroute import make_network
    >>> benes, butterfly = make_network("benes:1"), make_network("butterfly:1")
    >>> path = benes.path_from_nodes([0, 4, 2])  # (0,0), (1,1), (0,2)
    >>> [
    ...     butterfly.describe(node)
    ...     for node in butterfly.path_nodes(0, fold(benes, butterfly, path))
    ... ]
    ['(0,0)', '(1,1)', '(0,0)']
    """
    _check_dimensions(benes, butterfly)
    places = [benes.place_of(channel) for channel in path]
    _check_steps(benes, path, [(FORWARD, step) for step in range(benes.steps)])
    turn, last = butterfly.steps, benes.steps - 1
    return tuple(
        int(
            butterfly.channel_at(FORWARD, step, cross, row)
            if step < turn
            else butterfly.channel_at(BACKWARD, last - step, cross, row)
        )
        for _, step, cross, row in places
    )


def unfold(butterfly: Butterfly, benes: Benes, path: Path) -> Path:
    """Return a butterfly path forth and back as a forward Beneš path; undoes :func:`fold`.

    Raises
    ------
    InputError
        If the path does not lead from an input forward to an output and back to an input.
    """
    _check_dimensions(benes, butterfly)
    there = [(FORWARD, step) for step in range(butterfly.steps)]
    back = [(BACKWARD, step) for step in reversed(range(butterfly.steps))]
    _check_steps(butterfly, path, there + back)
    return tuple(
        int(benes.channel_at(FORWARD, step, cross, row))
        for step, (_, _, cross, row) in enumerate(butterfly.place_of(c) for c in path)
    )


def carried(
    distribution: Mapping[Path, Fraction], carry: Callable[[Path], Path]
) -> dict[Path, Fraction]:
    """Return the distribution of the images of paths, equal images added.

    >>> carried({(0, 1): Fraction(1, 2), (0, 2): Fraction(1, 2)}, lambda path: path[:1])
    {(0,): Fraction(1, 1)}
    """
    images: dict[Path, Fraction] = {}
    for path, probability in distribution.items():
        image = carry(path)
        images[image] = images.get(image, Fraction(0)) + probability
    return images


def carrier(first: Network, second: Network) -> Callable[[int, Path], tuple[int, Path]]:
    """Return the map of a node and a path from it to those of a corresponding network.

    Butterflies and Beneš networks are carried to a hypercube, paths of a hypercube that cross the
    dimensions in order to a butterfly, and forward paths of a Beneš network to a butterfly.

    Raises
    ------
    InputError
        If no map leads from one to the other. The map raises where a path has no counterpart.

    Examples
    --------
    >>> from obroute import make_network
    >>> cube, butterfly = make_network("hypercube:2"), make_network("butterfly:2")
    >>> there, back = carrier(cube, butterfly), carrier(butterfly, cube)
    >>> path = cube.path_from_nodes([0, 2])
    >>> back(*there(0, path)) == (0, path)
    True
    """
    _check_dimensions(first, second)
    if isinstance(first, Multistage) and isinstance(second, Grid):
        stages, cube = first, second
        return lambda node, path: (node // (stages.steps + 1), contract(stages, cube, path))
    if isinstance(first, Grid) and isinstance(second, Butterfly):
        grid, butterfly = first, second
        return lambda node, path: (
            int(butterfly.sources[node]),
            unroll(grid, butterfly, node, path),
        )
    if isinstance(first, Benes) and isinstance(second, Butterfly):
        benes, folded = first, second
        return lambda node, path: (
            int(folded.sources[node // (benes.steps + 1)]),
            fold(benes, folded, path),
        )
    raise InputError(
        f"no path of {first.name} is carried to {second.name}; expected butterfly or benes to "
        "hypercube, hypercube to butterfly, or benes to butterfly"
    )


def _dimensions(network: Network) -> int:
    if isinstance(network, Multistage):
        return network.bits
    if is_hypercube(network):
        return network.dimensions
    raise InputError(f"{network.name} is no hypercube; expected one, such as hypercube:3")


def _check_dimensions(first: Network, second: Network) -> None:
    if _dimensions(first) != _dimensions(second):
        raise InputError(
            f"{first.name} and {second.name} do not correspond; expected the same number of "
            "dimensions"
        )


def _check_steps(stages: Multistage, path: Path, expected: list[tuple[int, int]]) -> None:
    """Raise unless the path has these directions and steps and no gap."""
    places = [stages.place_of(channel)[:2] for channel in path]
    if places != expected:
        raise InputError(
            f"{stages.name}: a path over steps {[step for _, step in places]} has no counterpart; "
            f"expected {[step for _, step in expected]}, forward from an input"
            + (" and back" if (BACKWARD, 0) in expected else " to an output")
        )
    stages.path_nodes(int(stages.tail[path[0]]), path)
